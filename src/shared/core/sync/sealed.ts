import type { DeviceId } from '../../contract/identifiers.ts';
import { ownMember } from '../../lib/own-member.ts';

/**
 * One operation as a relay sees it: whose, which, when and how long, and nothing else (protocol section 7). The same
 * operation sealed twice with one key gives the same box, so that a relay can tell a repetition from a fork.
 */
export interface SealedOperation {
  readonly deviceId: DeviceId;
  /** Its place in the device's journal, from 1. */
  readonly seq: number;
  /** The hybrid clock of the operation. */
  readonly wallMs: number;
  readonly counter: number;
  /** Everything else, encrypted; base64url. At most `BOX_LIMIT_CHARACTERS`. */
  readonly box: string;
}

/** The longest box that any relay takes: an operation with the texts it refers to, encrypted. */
export const BOX_LIMIT_CHARACTERS = 8 * 1_048_576;

/** Up to which entry each device's journal is known; a device that is not named is known up to 0. */
export type Frontier = Readonly<Record<string, number>>;

/** What a relay tells about a checkpoint without opening it. */
export interface CheckpointHeader {
  /** Lower-case hexadecimal, 64 characters: names the content. */
  readonly checkpointId: string;
  readonly deviceId: DeviceId;
  /** Everything up to here is in it. */
  readonly frontier: Frontier;
  /** Number of its encrypted parts, each at most `BOX_LIMIT_CHARACTERS`, 1 to `CHECKPOINT_PART_LIMIT`. */
  readonly partCount: number;
}

export const CHECKPOINT_PART_LIMIT = 4_096;

/** How far `have` is known of a device. */
export function knownUpTo(have: Frontier, deviceId: string): number {
  return ownMember(have, deviceId) ?? 0;
}

/** Everything that either side knows. */
export function joinFrontiers(one: Frontier, other: Frontier): Frontier {
  const joined = new Map(Object.entries(one));
  for (const [deviceId, seq] of Object.entries(other)) joined.set(deviceId, Math.max(joined.get(deviceId) ?? 0, seq));
  return Object.fromEntries(joined);
}

/** Whether `have` knows all that `need` names. */
export function coversFrontier(have: Frontier, need: Frontier): boolean {
  return Object.entries(need).every(([deviceId, seq]) => knownUpTo(have, deviceId) >= seq);
}

/** What every one of `acknowledged` knows: below it nothing is asked for again. Empty where nobody is asked. */
export function stableFrontier(acknowledged: readonly Frontier[]): Frontier {
  const [first, ...rest] = acknowledged;
  if (first === undefined) return {};
  const stable = new Map<string, number>();
  for (const [deviceId, seq] of Object.entries(first)) {
    const least = rest.reduce((known, each) => Math.min(known, knownUpTo(each, deviceId)), seq);
    if (least > 0) stable.set(deviceId, least);
  }
  return Object.fromEntries(stable);
}

/**
 * Entries that somebody has acknowledged, that are known here, and that are not held any more: two devices that did not see each
 * other yet may both have dropped what only the checkpoint of the other one lacked. Whoever comes later would never hear of them.
 * `ownId`: what this device wrote and has not handed over yet is not lost, whatever it acknowledged.
 */
export function lostFrontier(of: {
  readonly held: Frontier;
  readonly acknowledged: readonly Frontier[];
  readonly have: Frontier;
  readonly ownId: string;
}): Frontier {
  let acknowledged: Frontier = {};
  for (const each of of.acknowledged) acknowledged = joinFrontiers(acknowledged, each);
  const lost = Object.entries(acknowledged).filter(
    ([deviceId, seq]) =>
      deviceId !== of.ownId && seq > knownUpTo(of.held, deviceId) && seq <= knownUpTo(of.have, deviceId),
  );
  return Object.fromEntries(lost);
}
