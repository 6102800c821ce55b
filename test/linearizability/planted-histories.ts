import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import { HistoryBuilder, acquire, announce, at, prune, release, renew, settle } from './history-builder.ts';
import type { Answered, Operation } from './history.ts';

const CURRENT = { verb: 'current' } as const;

/** Bends one answer of a history that was right. */
function bend(builder: HistoryBuilder, operation: Operation, change: (answer: Answered) => Answered): void {
  if (operation.answer === null) throw new Error('It has no answer.');
  builder.replace(operation, { answer: change(operation.answer) });
}

function bendView(builder: HistoryBuilder, operation: Operation, change: (view: RegisterView) => RegisterView): void {
  bend(builder, operation, (answer) => ({ ...answer, view: change(answer.view) }));
}

function history(write: (builder: HistoryBuilder) => void): () => readonly Operation[] {
  return () => {
    const builder = new HistoryBuilder();
    write(builder);
    return builder.operations;
  };
}

/** The first answer again, as a cache or a lagging copy would give it. */
function stale(builder: HistoryBuilder, operation: Operation, from: Operation): void {
  bend(builder, operation, (answer) => ({ ...answer, view: from.answer?.view ?? answer.view }));
}

/** Histories that no register can have made, by the hazard. TTL is 100 ms throughout. */
export const BAD_HISTORIES: Readonly<Record<string, () => readonly Operation[]>> = {
  'two holders at one epoch': history((builder) => {
    const first = builder.add('a', acquire('anna', 'n1'), at(0));
    const second = builder.add('b', acquire('ben', 'n2'), at(10));
    bend(builder, second, () => ({
      reply: { kind: 'granted', epoch: 1, holdOff: false, isReplay: false },
      view: { ...viewOf(first), lease: { ...leaseOf(first), holder: 'ben' as DeviceId, nonce: 'n2' } },
    }));
  }),
  'an epoch that is used again after a release': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', release('anna', 1), at(10));
    const again = builder.add('b', acquire('ben', 'n2'), at(20));
    bend(builder, again, ({ view }) => ({
      reply: { kind: 'granted', epoch: 1, holdOff: false, isReplay: false },
      view: { ...view, epoch: 1, lease: { ...leaseOf(again), epoch: 1 } },
    }));
  }),
  'an epoch that goes back': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', acquire('ben', 'n2'), at(150));
    const read = builder.add('a', CURRENT, at(160));
    bendView(builder, read, (view) => ({ ...view, epoch: 1, lease: { ...leaseOf(read), epoch: 1 } }));
  }),
  'an epoch that rises on a renewal': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    const renewed = builder.add('a', renew('anna', 1, 'n1'), at(30));
    bend(builder, renewed, ({ view }) => ({
      reply: { kind: 'renewed', epoch: 2 },
      view: { ...view, epoch: 2, lease: { ...leaseOf(renewed), epoch: 2 } },
    }));
  }),
  'a renewal after somebody else was granted the agent': history((builder) => {
    const mine = builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', acquire('ben', 'n2'), at(150));
    const renewed = builder.add('a', renew('anna', 1, 'n1'), at(160));
    bend(builder, renewed, () => ({ reply: { kind: 'renewed', epoch: 1 }, view: viewOf(mine) }));
  }),
  'a renewal long after the lease had run out': history((builder) => {
    const mine = builder.add('a', acquire('anna', 'n1'), at(0));
    const renewed = builder.add('a', renew('anna', 1, 'n1'), at(400));
    bend(builder, renewed, () => ({ reply: { kind: 'renewed', epoch: 1 }, view: viewOf(mine) }));
  }),
  'a lease that comes back to life after it was seen to be over': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', CURRENT, at(101));
    const read = builder.add('a', CURRENT, at(103));
    bendView(builder, read, (view) => ({ ...view, remainingMs: 1 }));
  }),
  'a lease that outlives a restart of the machine': history((builder) => {
    const mine = builder.add('a', acquire('anna', 'n1'), at(0));
    builder.reboot(10, 12);
    const read = builder.add('a', CURRENT, at(20));
    bendView(builder, read, () => ({ ...viewOf(mine), remainingMs: 80 }));
  }),
  'a grant to another device before the TTL has passed': history((builder) => {
    builder.add('a', acquire('anna', 'n1', 50), at(0));
    const early = builder.add('b', acquire('ben', 'n2', 50), at(60));
    for (const each of builder.operations) builder.replace(each, longer(each));
    builder.replace(early, longer(early));
  }),
  'a lease that runs out although it was just renewed': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', renew('anna', 1, 'n1'), at(90));
    const read = builder.add('b', CURRENT, at(120));
    bendView(builder, read, (view) => ({ ...view, remainingMs: 0 }));
  }),
  'a read that does not see an acknowledged grant': history((builder) => {
    const before = builder.add('b', CURRENT, at(0));
    builder.add('a', acquire('anna', 'n1'), at(10));
    stale(builder, builder.add('b', CURRENT, at(20)), before);
  }),
  'a read that does not see an acknowledged announce': history((builder) => {
    const before = builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(10));
    stale(builder, builder.add('b', CURRENT, at(20)), before);
  }),
  'a read that goes back behind an earlier read': history((builder) => {
    const before = builder.add('b', CURRENT, at(0));
    builder.add('a', acquire('anna', 'n1'), { invokeMs: 5, effectMs: 6, returnMs: 90 });
    builder.add('c', CURRENT, at(20));
    stale(builder, builder.add('b', CURRENT, at(30)), before);
  }),
  'an announce that was acknowledged and is lost': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(10));
    const taken = builder.add('b', acquire('ben', 'n2'), at(150));
    bendView(builder, taken, (view) => ({ ...view, tail: [] }));
  }),
  'an announce under an epoch that is over': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', acquire('ben', 'n2'), at(150));
    const announced = builder.add('a', announce('anna', 1, 'mail'), at(160));
    bend(builder, announced, ({ view }) => ({ reply: { kind: 'announced', isReplay: false }, view }));
  }),
  'one effect announced twice, both granted': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(10));
    const again = builder.add('a', announce('anna', 1, 'mail'), at(20));
    bend(builder, again, ({ view }) => ({ reply: { kind: 'announced', isReplay: false }, view }));
  }),
  'a settlement that was acknowledged and is open again': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    const open = builder.add('a', announce('anna', 1, 'mail'), at(10));
    builder.add('a', settle('anna', 1, 'mail', 3), at(20));
    const read = builder.add('b', CURRENT, at(30));
    bendView(builder, read, (view) => ({ ...view, tail: viewOf(open).tail }));
  }),
  'a prune that drops an open entry': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(10));
    const pruned = builder.add('a', prune('anna', 1, 9), at(20));
    bend(builder, pruned, ({ view }) => ({ reply: { kind: 'pruned', dropped: 1 }, view: { ...view, tail: [] } }));
  }),
  'a frontier that goes back': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', prune('anna', 1, 9), at(10));
    const read = builder.add('b', CURRENT, at(20));
    bendView(builder, read, (view) => ({ ...view, frontier: { anna: 4 } }));
  }),
  'a release that was acknowledged and is undone': history((builder) => {
    const mine = builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', release('anna', 1), at(10));
    const read = builder.add('b', CURRENT, at(20));
    bendView(builder, read, () => ({ ...viewOf(mine), remainingMs: 80 }));
  }),
  'a takeover without hold-off from a holder that had not released': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    const taken = builder.add('b', acquire('ben', 'n2'), at(150));
    bend(builder, taken, ({ view }) => ({
      reply: { kind: 'granted', epoch: 2, holdOff: false, isReplay: false },
      view,
    }));
  }),
  'an acquire of unknown outcome that would have to take effect twice': history((builder) => {
    builder.forget(builder.add('a', acquire('anna', 'n1'), at(0)));
    builder.add('b', CURRENT, at(10));
    builder.add('b', acquire('ben', 'n2'), at(150));
    builder.add('b', release('ben', 2), at(160));
    const again = builder.add('x', acquire('anna', 'n1'), at(170));
    builder.add('b', CURRENT, at(180));
    builder.operations.splice(again.id, 1);
  }),
  'an outcome that takes effect before it was asked for': history((builder) => {
    const early = builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', CURRENT, at(10));
    builder.replace(early, { invokeMs: 20, returnMs: Infinity, answer: null });
  }),
  'an answer for the lease of another agent': history((builder) => {
    const taken = builder.add('a', acquire('anna', 'n1'), at(0));
    bendView(builder, taken, (view) => ({ ...view, lease: { ...leaseOf(taken), agentId: 'other' as never } }));
  }),
  'a register that is replaced by another one in the middle': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    const read = builder.add('b', CURRENT, at(10));
    bendView(builder, read, (view) => ({ ...view, coordinator: { ...view.coordinator, incarnation: 'second-life' } }));
  }),
};

function viewOf({ answer }: Operation): RegisterView {
  if (answer === null) throw new Error('It has no answer.');
  return answer.view;
}

function leaseOf(operation: Operation): NonNullable<RegisterView['lease']> {
  const { lease } = viewOf(operation);
  if (lease === null) throw new Error('Nobody holds it.');
  return lease;
}

/** The same answer for a lease of 100 ms. */
function longer(operation: Operation): Partial<Operation> {
  const { call, answer } = operation;
  if (call.verb !== 'acquire' || answer === null) return {};
  const view = { ...answer.view, lease: { ...leaseOf(operation), ttlMs: 100 }, remainingMs: 100 };
  return { call: { ...call, ttlMs: 100 }, answer: { ...answer, view } };
}
