import { z } from 'zod';

const nothing = z.strictObject({});
const retention = z.enum(['30-days', '90-days', '365-days', 'for-ever']);

/** How long the single steps of runs that have ended are kept before they are condensed. */
export type Retention = z.output<typeof retention>;

/** Requests about the record as a whole, and about what is told when something is wrong. */
export const recordRequestSchemas = {
  'record.get': nothing,
  'record.keep': z.strictObject({ retention }),
  /** Begins a check; `record.get` tells how far it is and what it found. */
  'record.check': nothing,
  'diagnostics.get': nothing,
  'diagnostics.openFolder': nothing,
} as const;

/** A check of the record, under way or over. */
export interface RecordCheckView {
  /** `broken-off`: the file could not be read to its end, so nobody knows. */
  readonly state: 'running' | 'whole' | 'damaged' | 'broken-off';
  /** Entries and texts that were looked at, and how many there are. */
  readonly read: number;
  readonly total: number;
  /** What came out, in words; how far it is while it runs. */
  readonly sentence: string;
  /** What is wrong, the first few. */
  readonly faults: readonly string[];
  /** What a person can do; empty if nothing is needed. */
  readonly wayOut: string;
  /** Wall ms; `null` while it runs. */
  readonly endedAtMs: number | null;
}

/** How large the record is, how long it is kept, and whether it is whole. */
export interface RecordView {
  readonly sequence: number;
  readonly databaseBytes: number;
  /** What is written and not yet in the file itself. */
  readonly logBytes: number;
  readonly journalEntries: number;
  readonly condensedRuns: number;
  readonly backups: {
    readonly folder: string;
    readonly count: number;
    readonly bytes: number;
    /** Wall ms; `null` without any. */
    readonly newestAtMs: number | null;
  };
  readonly retention: Retention;
  /** `null`: not since this start. */
  readonly check: RecordCheckView | null;
}

/** What to hand to whoever helps: no secret, no payload, no name that a person gave. */
export interface DiagnosticsView {
  readonly text: string;
}
