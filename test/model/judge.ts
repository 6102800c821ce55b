import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { deviceAt } from './moves.ts';
import { deviceIndex } from './names.ts';
import type { Attempt, Device, State, World } from './state.ts';
import { blockingEntry } from './tail.ts';
import type { Setting } from './time.ts';

// The invariants of protocol section 8 as this model judges them. I9 and I10 are about what happens in the end and about
// histories: the simulator and `test/linearizability` judge those.

/** Everything that must hold at the moment of a send. */
export function brokenBySend(setting: Setting, before: State, index: number, after: World): string | null {
  const device = deviceAt(before, index);
  const { flight } = device;
  if (flight === null) return 'a send without a dispatch';
  const approvals = after.approvals[flight.effect] ?? [];
  if (device.wentBack || device.incarnation !== device.mark.incarnation)
    return 'I8: a send on a register that went back';
  if (flight.epoch < device.mark.epoch) return 'I8: a send under a lower epoch than this device has seen';
  if (flight.left === 0) return 'I3: a send after its own claim’s deadline';
  const row = device.attempts.find((each) => each.token === flight.token);
  if (row?.progress !== 'in-flight' || row.owner?.epoch !== flight.epoch)
    return 'I4: a send without its durable intent';
  const isKnownHere = (device.oracle & (1 << flight.effect)) !== 0;
  if (isKnownHere && approvals.length === 0) return 'I6: an effect that this device’s own oracle holds happened again';
  return isForgotten(setting, before.world) ? null : brokenAcrossDevices(before, after, flight);
}

/**
 * A copy under the old name takes what it forgot away from every device that had it from the register alone, and no rule on
 * such a device can tell: `docs/runbooks/register-went-back.md`. What a device knows by itself must hold even then.
 */
function isForgotten({ scenario }: Setting, world: World): boolean {
  return scenario.restoreKeepsName && scenario.devices > 1 && hasRestored(scenario.budget.restore, world);
}

function hasRestored(allowed: number | undefined, { budget }: World): boolean {
  return budget.restore < (allowed ?? 0);
}

/** What must hold between the devices: one that sends may owe it to what another has done. */
function brokenAcrossDevices(
  before: State,
  after: World,
  of: { readonly epoch: number; readonly effect: number },
): string | null {
  if (of.epoch < before.world.topEpoch) return 'I3: a send by an older epoch after one by a newer epoch';
  const sends = after.sends[of.effect] ?? [];
  const approvals = after.approvals[of.effect] ?? [];
  const isCommitted = (before.world.committed & (1 << of.effect)) !== 0;
  if (isCommitted && approvals.length === 0) return 'I6: an effect that was committed happened again';
  if (sends.length > 1 + approvals.length) return 'I1: an effect happened twice without a person’s approval';
  const used = sends.filter((label) => label !== '');
  return new Set(used).size === used.length ? null : 'I1: one approval was used twice';
}

/**
 * What one step of a device may not do to it. I5: nothing that was written down is lost. A crash in here takes the memory and
 * leaves the record, as an honest disk does, and a transaction is one step: that the real record is like that is for
 * `test/crash-images` to show, and for the simulator's disks. What is judged here is that no step undoes another.
 */
export function brokenBetween(before: Device, after: Device): string | null {
  const { held, mark } = after;
  const isNew = held !== null && held.nonce !== before.held?.nonce;
  if (isNew && held.epoch <= before.mark.epoch)
    return 'I8: a grant of an epoch that had been granted before was believed';
  if (mark !== before.mark && mark.epoch < before.mark.epoch) return 'I5: the highest epoch that was seen is forgotten';
  if ((before.oracle & ~after.oracle) !== 0) return 'I5: a committed effect is forgotten';
  if (before.commits !== after.commits && before.commits.some((effect, at) => after.commits[at] !== effect))
    return 'I5: an entry of the journal is lost';
  if (before.attempts === after.attempts) return null;
  return before.attempts.every((row) => isKept(row, after.attempts)) ? null : 'I5: an attempt or its outcome is lost';
}

/**
 * An attempt stays, and so does its success. That one was *not* sent may be asked of a person all the same: the tail that was
 * not told so names it as open, and the host then takes the tail's word. They are asked in vain, and nothing happens twice.
 */
function isKept(row: Attempt, later: readonly Attempt[]): boolean {
  const now = later.find((each) => each.token === row.token);
  return now !== undefined && (row.outcome !== 'success' || now.outcome === row.outcome);
}

/** What must hold at every moment, whatever led to it. */
export function brokenAt(setting: Setting, state: State): string | null {
  const { world } = state;
  if (world.committed === 0) return null;
  return (
    brokenFold(state) ?? (hasRestored(setting.scenario.budget.restore, world) ? null : brokenOracle(setting, state))
  );
}

/**
 * I7: an oracle that grew entry by entry, in whatever order journals came and crashes cut, is the one that the same journals
 * give read at once. So devices that have folded the same hold the same.
 */
function brokenFold(state: State): string | null {
  const { devices } = state;
  for (let index = 0; index < devices.length; index += 1) {
    const device = deviceAt(state, index);
    let atOnce = 0;
    for (let at = 0; at < devices.length; at += 1) {
      const { commits } = deviceAt(state, at);
      const seq = at === index ? commits.length : (device.folded[at] ?? 0);
      for (let entry = 0; entry < seq; entry += 1) atOnce |= 1 << (commits[entry] ?? 0);
    }
    if (atOnce !== device.oracle) return 'I7: the same journals came to another oracle';
  }
  return null;
}

/** I6: a committed effect is in the tail, or every device that could dispatch it has it. */
function brokenOracle(setting: Setting, state: State): string | null {
  const { world, register } = state;
  for (let effect = 0; effect < setting.scenario.effects; effect += 1) {
    const isPlain = (world.committed & (1 << effect)) !== 0 && (world.approvals[effect]?.length ?? 0) === 0;
    if (!isPlain) continue;
    const found = blockingEntry(setting, register.record.tail, { effect, token: '' });
    if (found !== null) continue;
    const isEverywhere = state.devices.every(
      (device, index) => (device.oracle & (1 << effect)) !== 0 || isHeldBack(state, device, index),
    );
    if (!isEverywhere) return 'I6: a committed effect that a device could dispatch is not to be found';
  }
  return null;
}

/** The fence answers `behind` to a device that has not folded what was pruned. */
function isHeldBack({ register }: State, device: Device, index: number): boolean {
  return Object.entries(register.record.frontier).some(([id, seq]) => {
    const at = deviceIndex(id as DeviceId);
    return at !== index && (device.folded[at] ?? 0) < seq;
  });
}
