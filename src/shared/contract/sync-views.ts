import type { Problem } from './errors.ts';
import type { RelayChoice } from './sync-requests.ts';

/** Why a journal is put aside, and what a person can do. */
interface QuarantineView {
  readonly reason:
    | 'chain'
    | 'foreign-signature'
    | 'clock-ahead'
    | 'cannot-open'
    | 'not-understood'
    | 'let-go'
    | 'too-late';
  readonly sentence: string;
  readonly wayOut: string;
  readonly sinceMs: number;
}

/** One device in what is shared. */
export interface SyncDeviceRow {
  readonly deviceId: string;
  readonly name: string;
  readonly isThisDevice: boolean;
  readonly version: string;
  /** Its last contact with the relay, wall ms; `null` if the relay does not know it. */
  readonly lastSeenAtMs: number | null;
  /** Entries of its journal: known here, and on the relay. For this device: written, and handed over. */
  readonly knownSeq: number;
  readonly relaySeq: number;
  /** How many entries of this device it has not acknowledged yet; 0 for this device. */
  readonly lacksOfOurs: number;
  /** When the oldest entry of this device that was not handed over was written, wall ms; `null` for other devices and if there is none. */
  readonly oldestUnsentAtMs: number | null;
  /** Its clock against this one's, as its entries show, ms; positive is ahead. `null` if nothing is known. */
  readonly clockOffsetMs: number | null;
  /** Names of the agents that it has the right to act for. */
  readonly leases: readonly string[];
  readonly letGoAtMs: number | null;
  /** It has said nothing for so long that a person should look. */
  readonly isSilent: boolean;
  readonly quarantine: QuarantineView | null;
}

/** One attempt of an effect that was made twice. */
export interface ConflictAttempt {
  readonly deviceName: string;
  readonly epoch: number;
  readonly number: number;
  /** Wall ms; `null` if it never started. */
  readonly startedAtMs: number | null;
  readonly sentence: string;
  /** The one that the run goes on from. */
  readonly counts: boolean;
}

/** It happened twice, or may have: two attempts of one effect, side by side. */
export interface ConflictView {
  readonly runId: string;
  readonly runTitle: string;
  readonly effectTitle: string;
  readonly target: string;
  readonly attempts: readonly ConflictAttempt[];
}

/** How the journals of this device and the others stand. */
export interface SyncView {
  readonly sequence: number;
  readonly state: 'off' | 'ready' | 'catching-up' | 'offline' | 'trouble';
  /** What is so, in a sentence. */
  readonly sentence: string;
  readonly relay: { readonly choice: RelayChoice; readonly name: string } | null;
  /** How a person compares what two devices share; empty while nothing is shared. */
  readonly spaceName: string;
  /** The recovery words are still kept here. */
  readonly hasWords: boolean;
  readonly syncedAtMs: number | null;
  readonly problem: Problem | null;
  readonly catchUp: { readonly done: number; readonly total: number } | null;
  readonly devices: readonly SyncDeviceRow[];
  readonly conflicts: readonly ConflictView[];
}

/** The words of the recovery sheet, and the sheet itself to be printed. */
export interface RecoveryWordsView {
  readonly words: readonly string[];
  readonly spaceName: string;
  readonly html: string;
}

/** For the status bar: a short word of how it stands. */
export interface SyncChip {
  readonly state: SyncView['state'];
  readonly syncedAtMs: number | null;
  /** Devices besides this one, and how many of them have all that this one wrote. */
  readonly others: number;
  readonly othersInStep: number;
  readonly catchUp: SyncView['catchUp'];
}
