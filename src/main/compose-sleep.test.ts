import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AsleepSummary } from '../shared/contract/asleep-views.ts';
import { HostBench } from './host/testing/host-bench.ts';
import { must, useTemporaryFolders } from './store/testing/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const CALLER = { surface: 'window', name: 'You' } as const;
/** Due at every full hour; what is missed waits for a person. */
const HOURLY = `fencepost: 1
id: hourly
name: Hourly
triggers: { schedules: [{ id: hour, cron: '0 * * * *', timeZone: UTC, missed: skip }] }
start: end
states:
  end: { type: done }
`;

const newFolder = useTemporaryFolders();

describe('a host that was asleep', { timeout: 60_000 }, () => {
  let bench: HostBench;
  beforeEach(async () => {
    bench = await HostBench.start(newFolder());
  });
  afterEach(() => bench.close());

  const passes = (ms: number) => bench.clock.shift({ wallMs: ms, monotonicMs: ms, bootMs: ms });
  const look = async (): Promise<AsleepSummary | null> =>
    must(await bench.host.handlers['asleep.get']({}, CALLER)).summary;

  it('keeps silent about what was missed, tells of it after it was seen, or of a sleep in which nothing changed', async () => {
    let changes = 0;
    bench.host.onChange(() => (changes += 1));
    // Ten minutes past, so that only the sleep meets a full hour.
    passes(HOUR_MS + 600_000 - (bench.clock.read().wallMs % HOUR_MS));
    await bench.agent(HOURLY);
    await bench.until('the schedule counts', () => bench.count('trigger.armed') > 0);
    bench.host.suspend();
    passes(600_000);
    const before = changes;
    bench.host.resume();
    expect(await look()).toBeNull();
    // The window looks at once, also where nothing was written down.
    expect(changes).toBeGreaterThan(before);

    bench.host.suspend();
    passes(2 * HOUR_MS);
    bench.host.resume();
    await bench.until('what was missed is noted', () => bench.count('trigger.missed') > 0);
    const told = await look();
    expect(told?.missed).toMatchObject([{ agentName: 'Hourly', state: 'open', slotCount: 2, canRun: true }]);
    expect(told?.asleepMs).toBeGreaterThanOrEqual(2 * HOUR_MS);
    await bench.host.handlers['asleep.dismiss']({ untilMs: told?.untilMs ?? 0 }, CALLER);
    expect(await look()).toBeNull();
    // Seeing it answers nothing.
    expect(bench.count('trigger.skipped')).toBe(0);
  });
});
