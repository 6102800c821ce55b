import { z } from 'zod';
import type { RunStatus } from '../core/run/run-state.ts';
import type { MissedRow } from './schedule-views.ts';

/** Requests about what changed while this device was asleep. */
export const asleepRequestSchemas = {
  'asleep.get': z.strictObject({}),
  /** Up to the wake that was shown, wall ms: a later sleep is told of all the same. */
  'asleep.dismiss': z.strictObject({ untilMs: z.int().min(0) }),
} as const;

/** An agent whose right to act is not what it was. */
export interface AsleepRight {
  readonly agentId: string;
  readonly agentName: string;
  /** `doubtful`: nothing is sent until it is confirmed. `gone`: another device has it. */
  readonly state: 'doubtful' | 'gone';
  /** Who has it; empty while it is doubtful. */
  readonly deviceName: string;
}

/** A run that another device took on meanwhile, as it stands now. */
export interface AsleepRun {
  readonly runId: string;
  readonly number: number;
  /** Untrusted text. */
  readonly title: string;
  readonly status: RunStatus;
  readonly deviceName: string;
}

/** What changed while this device was asleep. Times are wall milliseconds. */
export interface AsleepSummary {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Several sleeps together, without what was between them. */
  readonly asleepMs: number;
  readonly rights: readonly AsleepRight[];
  /** The newest ones, and how many there are. */
  readonly runs: readonly AsleepRun[];
  readonly runCount: number;
  /** There was more than is looked through. */
  readonly isMore: boolean;
  /** Those that wait for an answer or their turn. */
  readonly missed: readonly MissedRow[];
  /** How many questions were answered, on which other device. */
  readonly answered: readonly { readonly deviceName: string; readonly count: number }[];
}

export interface AsleepView {
  readonly sequence: number;
  /** `null`: it was not asleep, nothing changed meanwhile, or it was seen. */
  readonly summary: AsleepSummary | null;
}
