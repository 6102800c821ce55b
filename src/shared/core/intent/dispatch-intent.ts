import type { AttemptIdentity, Digest, StateId } from '../../contract/identifiers.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { encodeIdentity } from '../../lib/identity.ts';

/** What kind of work a command is. */
export type CommandKind = 'authorization' | 'actor' | 'script' | 'workset-item';

/** Who performs the effect; frozen into the intent. */
export type DispatchRecipient =
  | { readonly recipient: 'authorization'; readonly semanticsDigest: string }
  | { readonly recipient: 'actor'; readonly bindingId: string; readonly runtimeId: string }
  | { readonly recipient: 'script'; readonly runtimeId: string; readonly entry: string }
  | { readonly recipient: 'workset-item'; readonly itemId: string; readonly bindingOrdinal: number };

/** The durable record written before an effect leaves. */
export interface DispatchIntent extends AttemptIdentity {
  readonly kind: CommandKind;
  readonly recipient: DispatchRecipient;
  readonly stateId: StateId;
  readonly stateVisit: number;
  readonly inputDigest: Digest;
  /** The authority it relies on; `null` or empty is no authority. */
  readonly grantDigest: string | null;
}

/** False when the command and its recipient contradict each other; no later fact can make that safe. */
export function routingMatchesKind(intent: Pick<DispatchIntent, 'kind' | 'recipient'>): boolean {
  return intent.recipient.recipient === intent.kind;
}

/** Equal keys mean the same delivery target. */
export function routingKey(recipient: DispatchRecipient): string {
  switch (recipient.recipient) {
    case 'authorization':
      return encodeIdentity([recipient.recipient, recipient.semanticsDigest]);
    case 'actor':
      return encodeIdentity([recipient.recipient, recipient.bindingId, recipient.runtimeId]);
    case 'script':
      return encodeIdentity([recipient.recipient, recipient.runtimeId, recipient.entry]);
    case 'workset-item':
      return encodeIdentity([recipient.recipient, recipient.itemId, String(recipient.bindingOrdinal)]);
    default:
      return assertNever(recipient);
  }
}
