import type { Answer, ChangeNotice, ParsedRequestOf, Route } from '../../shared/contract/api.ts';
import type { LedgerDownload } from '../ledger/ledger-exports.ts';
import type { NoticeSource } from './notices.ts';

/** Who asks: the door it came through, and a name for limits and the log. */
export interface Caller {
  readonly surface: 'window' | 'browser';
  readonly name: string;
}

/** One handler per route; values, never rejections. */
export type Handlers = {
  readonly [R in Route]: (request: ParsedRequestOf<R>, caller: Caller) => Promise<Answer<R>>;
};

/** What a door to the host needs. `compose.ts` builds it. */
export interface Application {
  readonly handlers: Handlers;
  /** Returns the function that ends the subscription. */
  onChange(listener: (notice: ChangeNotice) => void): () => void;
  /** Power events are hints: nothing is decided by them. */
  suspend(): void;
  resume(): void;
  /** Stops taking claims, waits for what is in flight up to `limitMs`, releases the leases. */
  drain(limitMs: number): Promise<{ readonly leftUnclear: readonly string[] }>;
  /** The file of an export that this caller began, for a door that hands files over; once. */
  takeExport(exportId: string, callerName: string): LedgerDownload | null;
  close(): Promise<void>;
  /** For the shell: what the system is told of, and what it was told. */
  readonly notices: NoticeSource;
  /** For the shell. `inFlight`: the titles of what is on its way from this device, as agents named it. */
  readonly summary: () => {
    readonly running: number;
    readonly needsYou: number;
    readonly inFlight: readonly string[];
  };
}
