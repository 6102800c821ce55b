import type { AgentId, Digest } from '../../contract/identifiers.ts';
import { encodeIdentity } from '../../lib/identity.ts';

/** What started a run. Issue of the same occurrence on two devices gives the same run id. */
export type TriggerSource = { readonly by: 'person'; readonly requestId: string };

/** What a run's id is the SHA-256 of. */
export function occurrenceText(agentId: AgentId, source: TriggerSource): string {
  return encodeIdentity([agentId, source.by, source.requestId]);
}

/** A second request for the same occurrence. */
export type OccurrenceVerdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'same-run' }
  /** The same request id with another content: never run, never merged. */
  | { readonly kind: 'conflict' };

/** Same occurrence and same request: the existing run is the answer (reference 2.3). */
export function judgeOccurrence(existingRequest: Digest | null, request: Digest): OccurrenceVerdict {
  if (existingRequest === null) return { kind: 'new' };
  return existingRequest === request ? { kind: 'same-run' } : { kind: 'conflict' };
}
