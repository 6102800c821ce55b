import { sha256 } from '../../src/main/store/connection.ts';
import type { EffectIdentity } from '../../src/shared/contract/identifiers.ts';
import { encodeIdentity } from '../../src/shared/lib/identity.ts';

/** The id that goes out with every attempt at one effect. */
export function effectIdOf({ agentId, runId, effectKey }: EffectIdentity): string {
  return sha256(encodeIdentity([agentId, runId, effectKey]));
}
