import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { CrashScenario } from './scenario.ts';

interface Ended {
  readonly ending: string | null;
  readonly phase: string;
}

const RUN = 'SELECT ending, phase FROM runs';
const REFUSALS = 'SELECT word, reason FROM refusals ORDER BY seq';

describe('zombie: frozen past its lease while another device takes over', { concurrent: true }, () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  // etcd-io/etcd#10811, getpaseo/paseo#3235
  test(
    'frozen before the fence: the other device acts, the zombie refuses visibly, one effect',
    { timeout: 300_000 },
    async () => {
      const scenario = new CrashScenario(receiver, { name: 'zombie-before', kind: 'blind', register: 'file' });
      const zombie = await scenario.startOther(temporaryFolder(), 'before-intent');
      await scenario.run(zombie);
      const other = await scenario.startOther(temporaryFolder());
      await scenario.run(other);
      await other.until<Ended>(RUN, ([run]) => run?.ending === 'done');
      expect(receiver.hits(scenario.path)).toBe(1);

      zombie.kill('SIGCONT');
      const refusals = await zombie.until<{ word: string; reason: string }>(REFUSALS, (rows) => rows.length > 0);
      // Its claim would have been born after its own deadline; had that passed, the fence would have said the same.
      expect(['invalid-lease', 'stale-epoch', 'not-held']).toContain(refusals[0]?.reason);
      // It gets the right to act back, finds the effect in the tail, and still does not repeat it.
      await zombie.until<Ended>(RUN, ([run]) => run?.ending === 'done');
      expect(receiver.hits(scenario.path)).toBe(1);
      zombie.kill();
      other.kill();
    },
  );

  test(
    'frozen between its last record and the send: it withholds, and the other device asks a person',
    { timeout: 300_000 },
    async () => {
      const scenario = new CrashScenario(receiver, { name: 'zombie-between', kind: 'blind', register: 'file' });
      const zombie = await scenario.startOther(temporaryFolder(), 'after-in-flight');
      await scenario.run(zombie);
      const other = await scenario.startOther(temporaryFolder());
      await scenario.run(other);
      await other.until<Ended>(RUN, ([run]) => run?.phase === 'needs-recovery');
      expect(receiver.hits(scenario.path)).toBe(0);

      zombie.kill('SIGCONT');
      // On a busy machine its first right to act may have run out before it froze: that says the same, earlier.
      const refusals = await zombie.until<{ word: string; reason: string }>(REFUSALS, (rows) =>
        rows.some(({ reason }) => reason === 'send-window-over'),
      );
      expect(refusals).toContainEqual({ word: 'fence', reason: 'send-window-over' });
      expect(receiver.hits(scenario.path)).toBe(0);
      zombie.kill();
      other.kill();
    },
  );

  test('an effect that another device has done is found in the tail, not repeated', { timeout: 300_000 }, async () => {
    const scenario = new CrashScenario(receiver, { name: 'zombie-done', kind: 'blind', register: 'file' });
    const first = await scenario.startOther(temporaryFolder());
    await scenario.run(first);
    await first.until<Ended>(RUN, ([run]) => run?.ending === 'done');
    first.kill();
    const other = await scenario.startOther(temporaryFolder());
    await scenario.run(other);
    await other.until<Ended>(RUN, ([run]) => run?.ending === 'done');
    expect(receiver.hits(scenario.path)).toBe(1);
    expect(await other.rows(REFUSALS)).toContainEqual({ word: 'fence', reason: 'already-committed' });
    other.kill();
  });
});
