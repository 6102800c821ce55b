import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import type { Device, Fault, Message, State, World } from './state.ts';

/** Takes one possible next moment; `broken` names the invariant that the step itself broke. */
export type Emit = (actor: number, text: string, next: State, broken: string | null) => void;

export function withDevice(state: State, index: number, device: Device): State {
  return { ...state, devices: state.devices.map((each, at) => (at === index ? device : each)) };
}

export function deviceAt(state: State, index: number): Device {
  const device = state.devices[index];
  if (device === undefined) throw new Error('There is no such device.');
  return device;
}

/** One fewer of a fault that may still occur; `null` if it may not. */
export function spend(world: World, fault: Fault): World | null {
  const left = world.budget[fault];
  return left === 0 ? null : { ...world, budget: { ...world.budget, [fault]: left - 1 } };
}

/** Puts a question on the wire. Two that are the same in every word are one: the register cannot tell them apart. */
export function post(
  net: readonly Message[],
  from: number,
  incarnation: number,
  verb: RegisterVerb,
): readonly Message[] {
  const key = `${from}${incarnation}${wordsOf(verb)}`;
  if (net.some((message) => message.key === key)) return net;
  return [...net, { from, incarnation, verb, key }].toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

function wordsOf(verb: RegisterVerb): string {
  switch (verb.verb) {
    case 'acquire':
      return `acquire${verb.nonce}`;
    case 'renew':
      return `renew${verb.epoch}${verb.nonce}`;
    case 'release':
      return `release${verb.epoch}${verb.pendingClaims}${verb.isHoldOffOver ? 'o' : ''}`;
    case 'announce': {
      const { permit } = verb;
      const permission = permit === null ? '' : `${permit.reason}${permit.attemptToken}${permit.status}`;
      return `announce${verb.epoch}${verb.entry.effect.effectKey}${verb.entry.attemptToken}${permission}`;
    }
    case 'settle-tail':
      return `settle${verb.seq}.${verb.epoch}${verb.effect.effectKey}${verb.attemptToken}${verb.status}`;
    case 'prune-tail':
      return `prune${verb.epoch}${verb.uptoSeq}`;
    default:
      throw new Error('An unknown verb.');
  }
}

export function remove(net: readonly Message[], message: Message): readonly Message[] {
  return net.filter((each) => each !== message);
}
