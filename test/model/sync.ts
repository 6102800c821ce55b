import { deviceId } from './names.ts';
import { deviceAt, post, spend, withDevice } from './moves.ts';
import type { Emit } from './moves.ts';
import type { Device, State } from './state.ts';

/** The relay of protocol section 4: journals go up, the tail is pruned by what went up, and other devices fold it. */
export function syncMoves(state: State, index: number, emit: Emit): void {
  const device = deviceAt(state, index);
  const world = spend(state.world, 'sync');
  if (world === null) return;
  const uptoSeq = device.commits.length;
  if (device.pushed < uptoSeq) {
    const pushed = withDevice({ ...state, world }, index, { ...device, pushed: uptoSeq });
    emit(index, 'hands its journal to the relay', pushed, null);
  }
  if (device.held !== null && device.pushed > 0) {
    const { epoch } = device.held;
    const verb = { verb: 'prune-tail', uptoSeq: device.pushed, deviceId: deviceId(index), epoch } as const;
    const net = post(state.net, index, device.incarnation, verb);
    if (net !== state.net) emit(index, 'asks to prune what the relay has', { ...state, world, net }, null);
  }
  state.devices.forEach((other, at) => {
    if (at === index || (device.folded[at] ?? 0) >= other.pushed) return;
    emit(index, `folds the journal of device ${at + 1}`, withDevice(state, index, folding(device, other, at)), null);
  });
}

function folding(device: Device, other: Device, at: number): Device {
  const bits = other.commits.slice(0, other.pushed).reduce((all, effect) => all | (1 << effect), 0);
  const folded = device.folded.map((seq, each) => (each === at ? other.pushed : seq));
  return { ...device, folded, oracle: device.oracle | bits };
}
