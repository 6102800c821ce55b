import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../../test/harness/receiver.ts';
import { useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { HostBench, twoSteps } from '../testing/host-bench.ts';

const HOUR_MS = 3_600_000;
const newFolder = useTemporaryFolders();

// The sleeps and steps are injected: `ShiftedClock` adds them to the machine's own clocks at a crash point.
describe('clocks that jump', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  beforeEach(async () => {
    receiver = await Receiver.start();
    bench = await HostBench.start(newFolder());
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  it('a machine that slept between the record and the send, its process clock standing still, sends nothing then and once later', async () => {
    const agentId = await bench.agent(twoSteps('sleeper', receiver.origin));
    bench.at('after-in-flight', () => bench.clock.shift({ wallMs: HOUR_MS, bootMs: HOUR_MS }));
    let hitsWhenWithheld = -1;
    // The lease ran out in the sleep, so it is granted anew with a hold-off, which is let pass at once.
    bench.at(
      'after-acquire',
      () => {
        hitsWhenWithheld = receiver.hits('/sleeper/first');
        bench.clock.shift({ wallMs: 3_600, monotonicMs: 3_600, bootMs: 3_600 });
      },
      2,
    );
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(hitsWhenWithheld).toBe(0);
    expect(bench.refusals()).toContain('fence: clocks-disagree');
    expect(bench.count('effect.withheld')).toBe(1);
    expect(bench.rows('SELECT epoch FROM high_water')).toEqual([{ epoch: 2 }]);
    expect(receiver.hits('/sleeper/first')).toBe(1);
    expect(receiver.hits('/sleeper/second')).toBe(1);
  });

  it('a sleep before the first record waits for the register, and is not taken for a short one', async () => {
    const agentId = await bench.agent(twoSteps('early', receiver.origin));
    bench.at('before-intent', () => bench.clock.shift({ wallMs: HOUR_MS, bootMs: HOUR_MS }));
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(bench.count('effect.withheld')).toBe(0);
    expect(bench.refusals().length).toBeGreaterThan(0);
    expect(receiver.hits('/early/first')).toBe(1);
  });

  it('a calendar that is set back an hour is doubted, read again, and then acted on under the same epoch', async () => {
    const agentId = await bench.agent(twoSteps('stepped', receiver.origin));
    bench.at('after-settle', () => bench.clock.shift({ wallMs: -HOUR_MS }));
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(bench.count('lease.doubtful')).toBe(1);
    expect(bench.rows('SELECT epoch FROM high_water')).toEqual([{ epoch: 1 }]);
    expect(receiver.hits('/stepped/first')).toBe(1);
    expect(receiver.hits('/stepped/second')).toBe(1);
    const times = bench.rows<{ wall_ms: number }>('SELECT wall_ms FROM ops ORDER BY seq').map((row) => row.wall_ms);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it('a suspend event between the record and the send withholds it even when no clock shows a gap', async () => {
    const agentId = await bench.agent(twoSteps('event', receiver.origin));
    bench.at('after-in-flight', () => bench.host.suspend());
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(bench.refusals()).toEqual(['fence: suspended']);
    expect(receiver.hits('/event/first')).toBe(1);
    expect(receiver.hits('/event/second')).toBe(1);
  });
});
