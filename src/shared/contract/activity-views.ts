import type { ActKind } from './acts.ts';
import type { Problem } from './errors.ts';
import type { RecordedEvent } from './events.ts';

/** Who did it: a person, an agent at its work, or the host by itself. */
export interface ActivityActor {
  readonly kind: 'person' | 'agent' | 'host';
  readonly name: string;
}

/** One entry of the record, for the list. */
export interface ActivityRow {
  /** Its place in the record of this device. */
  readonly seq: number;
  /** When the device that wrote it says it was, wall ms. */
  readonly atMs: number;
  readonly kind: string;
  /** `null` for a kind that a later version wrote. */
  readonly act: ActKind | null;
  readonly mark: 'plain' | 'done' | 'failed' | 'refused' | 'unclear';
  readonly actor: ActivityActor;
  readonly sentence: string;
  /** More about it in a few words; may be empty. */
  readonly measure: string;
  readonly agentId: string | null;
  /** Empty for an entry about no agent. */
  readonly agentName: string;
  readonly deviceName: string;
  readonly runId: string | null;
  readonly runNumber: number | null;
}

/** A page of the record, the newest first. */
export interface ActivityView {
  readonly sequence: number;
  /** The newest place in the whole record; 0 for an empty one. What comes later is news. */
  readonly newestSeq: number;
  readonly rows: readonly ActivityRow[];
  /** Where to go on; `null` at the beginning of the record. A page can be short, or empty, and not be the last. */
  readonly before: number | null;
  /** The devices that wrote any of the record. */
  readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
}

/** What came since a list was read. */
export interface ActivityNewsView {
  readonly sequence: number;
  readonly count: number;
  /** There are more than that. */
  readonly isMore: boolean;
}

/** One entry with its facts. */
export interface ActivityEntryView {
  readonly row: ActivityRow;
  readonly runTitle: string;
  /** As it was written; long texts are left out, their digests stay. */
  readonly event: RecordedEvent;
}

/** An export that was begun. */
export interface ExportBegunView {
  /** `null`: the person chose no file, and nothing was written. */
  readonly exportId: string | null;
  /** In a browser: where to fetch the file, once. `null` where the host writes it. */
  readonly path: string | null;
}

/** How an export stands. */
export interface ExportView {
  readonly state: 'waiting' | 'writing' | 'done' | 'failed' | 'cancelled';
  readonly fileName: string;
  /** The whole path, where the host wrote the file; empty in a browser, which knows best itself. */
  readonly place: string;
  readonly entries: number;
  readonly total: number;
  readonly bytes: number;
  readonly isSigned: boolean;
  readonly deviceId: string;
  /** What the file is signed with (Ed25519, raw, base64url); empty where it is not. */
  readonly publicKey: string;
  readonly problem: Problem | null;
}
