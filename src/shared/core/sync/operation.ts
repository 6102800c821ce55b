import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Json } from '../../lib/canonical-json.ts';
import type { HybridTime } from './hybrid-clock.ts';

/** One entry of a device's journal. Immutable; its id covers its content and its place in the chain. */
export interface Operation {
  readonly opId: string;
  readonly deviceId: string;
  /** 1 for the first entry of a journal. */
  readonly seq: number;
  /** The id of the entry before it; empty for the first. */
  readonly prevHash: string;
  readonly time: HybridTime;
  /** The newest grant of its agent that the author knew of; 0 where there was none, or where it is about no agent. */
  readonly epoch: number;
  readonly kind: string;
  /** The payload as canonical JSON, so that the id can be checked without parsing. */
  readonly payload: string;
}

/** The text whose SHA-256 is the operation's id. Entries from before journals were shared have no epoch, and keep their ids. */
export function operationText(operation: Omit<Operation, 'opId'>): string {
  const { deviceId, seq, prevHash, time, epoch, kind, payload } = operation;
  const text: Json[] = [deviceId, seq, prevHash, time.wallMs, time.counter, kind, payload];
  return canonicalJson(epoch === 0 ? text : [...text, epoch]);
}

/** Canonical payload text of any event. */
export function payloadText(payload: Json): string {
  return canonicalJson(payload);
}

/** What is wrong with a chain, and where. */
export type ChainProblem =
  | { readonly kind: 'gap'; readonly seq: number; readonly found: number }
  | { readonly kind: 'broken-link'; readonly seq: number }
  | { readonly kind: 'wrong-hash'; readonly seq: number }
  | { readonly kind: 'foreign-device'; readonly seq: number };

/** Where a check of a chain stands: what has been verified so far. */
export interface ChainHead {
  readonly deviceId: string;
  readonly seq: number;
  readonly opId: string;
}

/** Checks that `operation` continues the chain exactly. `digest` is SHA-256 in hexadecimal. */
export function checkLink(
  head: ChainHead,
  operation: Operation,
  digest: (text: string) => string,
): ChainProblem | null {
  if (operation.deviceId !== head.deviceId) return { kind: 'foreign-device', seq: operation.seq };
  if (operation.seq !== head.seq + 1) return { kind: 'gap', seq: head.seq + 1, found: operation.seq };
  if (operation.prevHash !== head.opId) return { kind: 'broken-link', seq: operation.seq };
  if (digest(operationText(operation)) !== operation.opId) return { kind: 'wrong-hash', seq: operation.seq };
  return null;
}

/**
 * The same where entries at `cut` and below may be missing: what is left of them is checked by itself and against its
 * neighbour, and the first one above continues the cut. `head` is the last entry that was looked at.
 */
export function checkLinkOverGaps(
  head: ChainHead,
  operation: Operation,
  of: { readonly cut: ChainHead; readonly digest: (text: string) => string },
): ChainProblem | null {
  const { cut, digest } = of;
  const { seq } = operation;
  if (seq > cut.seq) return checkLink(head.seq < cut.seq ? cut : head, operation, digest);
  if (seq === cut.seq && operation.opId !== cut.opId) return { kind: 'broken-link', seq };
  if (seq === head.seq + 1) return checkLink(head, operation, digest);
  if (operation.deviceId !== head.deviceId) return { kind: 'foreign-device', seq };
  if (seq <= head.seq) return { kind: 'gap', seq: head.seq + 1, found: seq };
  return digest(operationText(operation)) === operation.opId ? null : { kind: 'wrong-hash', seq };
}
