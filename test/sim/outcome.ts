import type { Violation } from './checker.ts';
import type { Coverage } from './coverage.ts';
import type { FaultLog } from './fault-log.ts';

/** What a seed came to. */
export interface Outcome {
  readonly violation: Violation | null;
  /** SHA-256 over everything that was written and everything that left, in order. */
  readonly fingerprint: string;
  readonly simulatedMs: number;
  /** The part of it in which things went wrong, ms; and how long after it everything had come to rest, ms. */
  readonly troubledMs: number;
  readonly toRestMs: number;
  readonly events: number;
  readonly effects: number;
  readonly faults: FaultLog['counts'];
  readonly coverage: Coverage;
}
