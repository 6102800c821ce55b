import { HistoryBuilder, acquire, announce, at, prune, release, renew, settle } from './history-builder.ts';
import type { Operation } from './history.ts';
import type { ExpiryRules } from './specification.ts';

/** A register whose clock is that of the history, with a grain of 10 ms, and never more than 20 ms late. */
export const RULES: ExpiryRules = { rateTolerance: 1, grainMs: 10, lateMs: 20 };

const CURRENT = { verb: 'current' } as const;

function history(write: (builder: HistoryBuilder) => void): () => readonly Operation[] {
  return () => {
    const builder = new HistoryBuilder();
    write(builder);
    return builder.operations;
  };
}

/** Histories that look odd and are right, by what is odd about them. TTL is 100 ms throughout. */
export const GOOD_HISTORIES: Readonly<Record<string, () => readonly Operation[]>> = {
  'nothing at all': history(() => {}),
  'reads of an agent that nobody ever held': history((builder) => {
    builder.add('a', CURRENT, at(0));
    builder.add('b', CURRENT, at(2));
  }),
  'one life of a lease with its tail': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(5));
    builder.add('a', settle('anna', 1, 'mail', 7), at(10));
    builder.add('a', renew('anna', 1, 'n1'), at(50));
    builder.add('a', prune('anna', 1, 7), at(60));
    builder.add('a', release('anna', 1), at(70));
    builder.add('b', acquire('ben', 'n2'), at(80));
  }),
  'two acquires at once, answered in the other order': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), { invokeMs: 0, effectMs: 5, returnMs: 30 });
    builder.add('b', acquire('ben', 'n2'), { invokeMs: 0, effectMs: 6, returnMs: 7 });
  }),
  'a read that overlaps a grant and sees the time before it, answered after it': history((builder) => {
    builder.add('b', CURRENT, { invokeMs: 0, effectMs: 1, returnMs: 40 });
    builder.add('a', acquire('anna', 'n1'), at(10));
  }),
  'an acquire of unknown outcome that takes effect much later': history((builder) => {
    const late = builder.lost('a', acquire('anna', 'n1'), 0);
    builder.add('b', acquire('ben', 'n2'), at(10));
    builder.add('b', release('ben', 1), at(20));
    const done = builder.add('a', acquire('anna', 'n1'), at(300));
    builder.forget(done);
    builder.add('b', CURRENT, at(310));
    builder.replace(done, { ...late, id: done.id });
    builder.operations.splice(0, 1);
  }),
  'an acquire of unknown outcome, asked again with its nonce': history((builder) => {
    builder.forget(builder.add('a', acquire('anna', 'n1'), at(0)));
    builder.add('a', acquire('anna', 'n1'), at(20));
  }),
  'many of unknown outcome that never took effect': history((builder) => {
    for (let index = 0; index < 40; index += 1) builder.lost('x', acquire(`device-${index}`, `lost-${index}`), index);
    builder.add('a', acquire('anna', 'n1'), at(50));
    for (let index = 0; index < 40; index += 1) builder.lost('a', renew('anna', 1, 'n1'), 60);
    builder.add('a', announce('anna', 1, 'mail'), at(70));
    builder.add('b', CURRENT, at(80));
  }),
  'a lease kept alive by a renewal nobody heard of': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.forget(builder.add('a', renew('anna', 1, 'n1'), at(90)));
    builder.add('b', acquire('ben', 'n2'), at(150));
  }),
  'an announce that nobody heard of, found in the tail after the takeover': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.forget(builder.add('a', announce('anna', 1, 'mail'), at(20)));
    builder.add('b', acquire('ben', 'n2'), at(101));
  }),
  'a takeover at the very edge of the lease': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', acquire('ben', 'n2'), { invokeMs: 99.9, effectMs: 100.5, returnMs: 100.5 });
  }),
  'a takeover that is early only by the grain of the clock': history((builder) => {
    builder.add('a', acquire('anna', 'n1', 91), at(0));
    const taken = builder.add('b', acquire('ben', 'n2', 91), at(92));
    const isSame = (operation: Operation): boolean => operation.id !== taken.id;
    for (const each of builder.operations.filter(isSame)) {
      builder.replace(each, withTtl(each, 100));
    }
    builder.replace(taken, withTtl(taken, 100));
  }),
  'an expiry that is seen late because the register was asked late': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('b', acquire('ben', 'n2'), { invokeMs: 50, effectMs: 400, returnMs: 500 });
  }),
  'a settlement by a device that has lost the lease': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(10));
    builder.add('b', acquire('ben', 'n2'), at(101));
    builder.add('a', settle('anna', 1, 'mail', 3), at(110));
    builder.add('b', CURRENT, at(120));
  }),
  'a holder that goes on announcing after its lease ran out and nobody took over': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', announce('anna', 1, 'mail'), at(200));
    builder.add('a', renew('anna', 1, 'n1'), at(210));
  }),
  'a renewal asked for early that was decided late, and kept the lease alive for as long': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.add('a', renew('anna', 1, 'n1'), at(11));
    builder.add('b', CURRENT, at(20));
    builder.add('a', renew('anna', 1, 'n1'), { invokeMs: 9, effectMs: 90, returnMs: 95 });
    builder.add('b', CURRENT, at(170));
  }),
  'a restart of the machine in the middle of a lease': history((builder) => {
    builder.add('a', acquire('anna', 'n1'), at(0));
    builder.reboot(10, 12);
    builder.add('b', acquire('ben', 'n2'), at(20));
  }),
  'a grant over a lease that had run out, before a restart of the machine that it was answered after': history(
    (builder) => {
      builder.add('a', acquire('anna', 'n1'), at(0));
      builder.add('b', CURRENT, at(150));
      builder.add('b', acquire('ben', 'n2'), { invokeMs: 160, effectMs: 165, returnMs: 200 });
      builder.reboot(166, 168);
      builder.add('c', CURRENT, at(170));
    },
  ),
};

/** The same answer for a longer lease. */
function withTtl(operation: Operation, ttlMs: number): Partial<Operation> {
  const { call, answer } = operation;
  if (call.verb !== 'acquire' || answer === null || answer.view.lease === null) return {};
  const view = { ...answer.view, lease: { ...answer.view.lease, ttlMs }, remainingMs: ttlMs };
  return { call: { ...call, ttlMs }, answer: { ...answer, view } };
}
