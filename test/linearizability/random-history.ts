import { Random } from '../harness/random.ts';
import { HistoryBuilder } from './history-builder.ts';
import type { Answered, Operation } from './history.ts';
import { Moves } from './moves.ts';

const CLIENTS = 4;
/** How long before and after its effect an operation is asked and answered at most, ms. */
const WINDOW_MS = 15;
/** How late an operation of unknown outcome may take effect, ms. */
const LATE_MS = 400;

/** A random history of a true register, and what the register held after each operation. */
export interface RandomHistory {
  readonly operations: readonly Operation[];
  readonly builder: HistoryBuilder;
  /** Ids in the order in which they took effect. */
  readonly order: readonly number[];
}

/** Several clients at once, some of whose questions or answers are lost or late, and sometimes a restart of the machine. */
export function randomHistory(seed: number, length: number): RandomHistory {
  const random = new Random(seed, 'history');
  const builder = new HistoryBuilder();
  const clients = Array.from({ length: CLIENTS }, (_, client) => {
    const name = `${client}`;
    return { name, moves: new Moves({ agentId: 'agent-1', deviceId: `device-${client}`, name, random }) };
  });
  const order: number[] = [];
  let effectMs = 0;
  for (let count = 0; count < length; count += 1) {
    effectMs += random.chance(0.05) ? random.between(20, 250) : random.between(0.1, 8);
    if (random.chance(0.01)) {
      // A restart ends every client, so nothing overlaps it.
      effectMs += WINDOW_MS;
      builder.reboot(effectMs, effectMs + 1);
      effectMs += WINDOW_MS + 1;
    }
    const { name, moves } = random.pick(clients);
    const call = moves.next();
    const fate = call.verb === 'current' ? 1 : random.next();
    if (fate < 0.03 && call.verb !== 'current') {
      builder.lost(name, call, effectMs);
      continue;
    }
    const invokeMs = effectMs - random.between(0, fate < 0.06 ? LATE_MS : WINDOW_MS);
    const operation = builder.add(name, call, {
      invokeMs,
      effectMs,
      returnMs: effectMs + random.between(0, WINDOW_MS),
    });
    order.push(operation.id);
    if (operation.answer !== null) moves.learn(call, operation.answer);
    if (fate < 0.1) builder.forget(operation);
  }
  return { operations: builder.operations, builder, order };
}

type Corruption = (history: RandomHistory, operation: Operation, answer: Answered) => Answered | null;

/** Each bends one answer so that no order can explain it; `null` where the answer has nothing to bend in this way. */
export const CORRUPTIONS: Readonly<Record<string, Corruption>> = {
  'another epoch': (_, __, { reply, view }) => ({ reply, view: { ...view, epoch: view.epoch + 1_000 } }),
  'another holder': (_, __, { reply, view }) =>
    view.lease === null ? null : { reply, view: { ...view, lease: { ...view.lease, holder: 'stranger' as never } } },
  'another nonce': (_, __, { reply, view }) =>
    view.lease === null ? null : { reply, view: { ...view, lease: { ...view.lease, nonce: 'strange' } } },
  'another TTL': (_, __, { reply, view }) =>
    view.lease === null ? null : { reply, view: { ...view, lease: { ...view.lease, ttlMs: 4_000 } } },
  'another frontier': (_, __, { reply, view }) => ({
    reply,
    view: { ...view, frontier: { ...view.frontier, stranger: 9 } },
  }),
  'an entry too many': (_, __, { reply, view }) => {
    const [entry] = view.tail;
    if (entry === undefined) return null;
    return { reply, view: { ...view, tail: [...view.tail, { ...entry, attemptToken: 'strange' as never }] } };
  },
  'an entry of another status': (_, __, { reply, view }) => {
    const [entry, ...others] = view.tail;
    if (entry?.status !== 'committed') return null;
    return { reply, view: { ...view, tail: [{ ...entry, status: 'failed' }, ...others] } };
  },
  'an answer to another verb': (_, { call }, { reply, view }) =>
    reply === null || call.verb === 'release' ? null : { reply: { kind: 'claims-pending', pendingClaims: 7 }, view },
  'a refusal of what was granted': (_, { call }, { reply, view }) =>
    reply?.kind !== 'granted' || call.verb !== 'acquire'
      ? null
      : { reply: { kind: 'held', holder: call.deviceId, epoch: reply.epoch }, view },
  'a grant that was refused': (_, { call }, { reply, view }) =>
    reply?.kind !== 'held' || call.verb !== 'acquire'
      ? null
      : { reply: { kind: 'granted', epoch: reply.epoch + 1, holdOff: true, isReplay: false }, view },
  'the state before an acknowledged change': staleAnswer,
};

/** The view from before the last change that had been acknowledged when this was asked. */
function staleAnswer(
  { builder, operations, order }: RandomHistory,
  operation: Operation,
  answer: Answered,
): Answered | null {
  if (operation.call.verb !== 'current') return null;
  const place = order.indexOf(operation.id);
  for (let earlier = place - 1; earlier > 0; earlier -= 1) {
    const change = operations.find((each) => each.id === order[earlier]);
    const before = builder.views[earlier - 1];
    const after = builder.views[earlier];
    if (change === undefined || before === undefined || after === undefined) return null;
    if (change.returnMs < operation.invokeMs && stateOf(before) !== stateOf(after)) return { ...answer, view: before };
  }
  return null;
}

function stateOf({ epoch, lease, tail, frontier }: Answered['view']): string {
  return JSON.stringify([epoch, lease, tail, frontier]);
}
