import type { RunStatus } from '../core/run/run-state.ts';
import type { MissedReason, MissedState } from '../core/trigger/missed.ts';
import type { TriggerKind } from '../core/trigger/occurrence.ts';

/** A run that a trigger started. How it stands comes from the run itself. */
export interface TriggeredRun {
  readonly runId: string;
  readonly number: number;
  readonly status: RunStatus;
  readonly startedAtMs: number;
}

/** One trigger. Times are wall milliseconds. */
export interface TriggerRow {
  readonly agentId: string;
  readonly agentName: string;
  readonly kind: TriggerKind;
  readonly triggerId: string;
  /** In plain words: `Every day at 07:00 (Europe/Berlin)`. */
  readonly words: string;
  /** What a missed slot of a schedule leads to; empty for other triggers. */
  readonly policy: string;
  readonly isOn: boolean;
  /** Why it starts nothing now; empty if it does. */
  readonly note: string;
  readonly nextAtMs: number | null;
  readonly lastRun: TriggeredRun | null;
}

/** One entry about something that was due and started no run then. */
export interface MissedRow {
  readonly agentId: string;
  readonly agentName: string;
  readonly kind: TriggerKind;
  readonly triggerId: string;
  readonly slot: string;
  readonly reason: MissedReason;
  readonly state: MissedState;
  /** What was due, and why no run was started; says that nothing was sent. */
  readonly sentence: string;
  readonly dueAtMs: number;
  readonly firstDueAtMs: number;
  readonly slotCount: number;
  readonly isMore: boolean;
  readonly canRun: boolean;
  readonly run: TriggeredRun | null;
}

export interface SchedulesView {
  readonly sequence: number;
  readonly triggers: readonly TriggerRow[];
  /** Those that ask for an answer first, then the newest. */
  readonly missed: readonly MissedRow[];
  /** Where webhooks are called on this device; `null` while none may be. */
  readonly webhookOrigin: string | null;
  /** Why they cannot be called although they may be; empty otherwise. */
  readonly webhookTrouble: string;
}

/** A schedule that a person is putting together, before anything is saved. */
export interface ScheduleDraftView {
  readonly sequence: number;
  /** In plain words; empty where there is a problem. */
  readonly words: string;
  /** Its next times, soonest first, wall ms. */
  readonly nextAtMs: readonly number[];
  /** The agent's file with the schedule in it, to be saved as it is; `null` where there is a problem. */
  readonly file: { readonly fileName: string; readonly source: string } | null;
  /** Why it can't be added; empty if it can. */
  readonly problem: string;
}
