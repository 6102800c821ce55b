import { knownUpTo, stableFrontier } from './sealed.ts';
import type { Frontier } from './sealed.ts';

/** A device that may still write something that is not here, as far as anybody knows. */
export interface CutMember {
  readonly deviceId: string;
  /** What it had folded when it last said so, its own journal included; `null` where it never did. */
  readonly acknowledged: Frontier | null;
}

/**
 * Up to where nothing can come any more that sorts before what is here: what every member has folded, where this record holds
 * all that each of them had written until then. What a member writes after it has folded an entry carries a later time and an
 * epoch that is not smaller, so it comes behind that entry in the fold (ADR 0018). Empty where anybody is missing.
 *
 * `ended`: journals that a person ended with a device that was let go, up to their last entry that counts.
 */
export function stableCut(of: {
  readonly held: Frontier;
  readonly members: readonly CutMember[];
  readonly ended: Frontier;
}): Frontier {
  const { held, members, ended } = of;
  const acknowledged: Frontier[] = [held];
  for (const member of members) {
    if (member.acknowledged === null) return {};
    if (knownUpTo(held, member.deviceId) < knownUpTo(member.acknowledged, member.deviceId)) return {};
    acknowledged.push(member.acknowledged);
  }
  const isCut = Object.entries(ended).some(([deviceId, seq]) => knownUpTo(held, deviceId) < seq);
  return isCut ? {} : stableFrontier(acknowledged);
}
