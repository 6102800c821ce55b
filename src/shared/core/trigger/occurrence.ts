import type { AgentId, Digest } from '../../contract/identifiers.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { encodeIdentity } from '../../lib/identity.ts';

/** What started a run by itself: which trigger of the agent, and which of its occurrences. */
export type AutomaticSource =
  /** `slot` is a local time, see `slotsOf`: every device gives it the same name. */
  | { readonly by: 'schedule'; readonly triggerId: string; readonly slot: string }
  /** The same content at the same path is the same occurrence. */
  | { readonly by: 'file'; readonly triggerId: string; readonly path: string; readonly contentDigest: string }
  | { readonly by: 'webhook'; readonly triggerId: string; readonly requestId: string }
  /** The run that has ended. */
  | { readonly by: 'run'; readonly triggerId: string; readonly runId: string };

/** What started a run. Issue of the same occurrence on two devices gives the same run id. */
export type TriggerSource = { readonly by: 'person'; readonly requestId: string } | AutomaticSource;

/** The kinds of triggers that need no hand. */
export type TriggerKind = AutomaticSource['by'];

/** What a run's id is the SHA-256 of. */
export function occurrenceText(agentId: AgentId, source: TriggerSource): string {
  if (source.by === 'person') return encodeIdentity([agentId, source.by, source.requestId]);
  return encodeIdentity([agentId, source.by, source.triggerId, occurrenceName(source)]);
}

/** The one text that tells the occurrences of a trigger apart. */
export function occurrenceName(source: AutomaticSource): string {
  switch (source.by) {
    case 'schedule':
      return source.slot;
    case 'file':
      return encodeIdentity([source.path, source.contentDigest]);
    case 'webhook':
      return source.requestId;
    case 'run':
      return source.runId;
    default:
      return assertNever(source);
  }
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
