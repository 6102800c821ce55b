import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { HostBench } from '../host/testing/host-bench.ts';
import { schedulesView } from './schedules.ts';
import { viewSource } from './view-source.ts';

const newFolder = useTemporaryFolders();
const SHUT = { origin: null, trouble: '' };
const STRATEGY = `fencepost: 1
id: report
name: Morning report
triggers:
  schedules: [{ id: daily, cron: '0 7 * * *', timeZone: Europe/Berlin }]
  afterRuns: [{ id: next, agent: nobody }]
start: end
states: { end: { type: done } }
`;

let bench: HostBench;
beforeEach(async () => {
  bench = await HostBench.start(newFolder());
});
afterEach(async () => {
  await bench.close();
});

function view() {
  const source = viewSource(bench.host.control);
  if (source === null) throw new Error('The store is not open.');
  return schedulesView(source, SHUT);
}

describe('the schedules', { timeout: 60_000 }, () => {
  it('that nobody has permitted, or that were switched off, look as if they would start', async () => {
    await bench.host.control.saveAgent('strategy.yaml', STRATEGY);
    expect(view().triggers.map(({ triggerId, isOn, nextAtMs }) => ({ triggerId, isOn, nextAtMs }))).toEqual([
      { triggerId: 'daily', isOn: false, nextAtMs: null },
      { triggerId: 'next', isOn: false, nextAtMs: null },
    ]);
    expect(view().triggers[0]).toMatchObject({
      words: 'Every day at 07:00 (Europe/Berlin)',
      note: 'Off: the agent has no permission to act as it is now.',
    });
    await bench.authorise('report' as AgentId);
    bench.host.resume();
    await bench.until('it counts', () => view().triggers[0]?.isOn === true);
    const next = new Date(view().triggers.find((each) => each.kind === 'schedule')?.nextAtMs ?? 0);
    expect(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' }).format(next)).toBe(
      '07:00',
    );
    await bench.host.control.revoke('report' as AgentId, 'Test');
    expect(view().triggers.every((each) => !each.isOn && each.note !== '' && each.nextAtMs === null)).toBe(true);
  });

  it('say that something ran because it was fired', async () => {
    await bench.agent(
      STRATEGY.replace(
        'start: end\nstates: { end: { type: done } }',
        'start: rest\nstates: { rest: { type: wait, forMs: 3600000, onSuccess: end }, end: { type: done } }',
      ),
    );
    bench.host.resume();
    await bench.until('it counts', () => view().triggers[0]?.isOn === true);
    const nextMs = view().triggers.find((each) => each.kind === 'schedule')?.nextAtMs ?? 0;
    const ms = nextMs + 1_000 - bench.clock.read().wallMs;
    bench.clock.shift({ wallMs: ms, monotonicMs: ms, bootMs: ms });
    bench.host.resume();
    const daily = () => view().triggers.find((each) => each.kind === 'schedule');
    await bench.until('it waits', () => daily()?.lastRun?.status === 'waiting');
    const runId = daily()?.lastRun?.runId as RunId;
    await bench.host.control.stopRun(runId, 'Test');
    await bench.ended(runId);
    expect(daily()?.lastRun?.status).toBe('stopped');
    expect(view().missed).toEqual([]);
  });

  it('hide a missed time, or offer to run what ran or was skipped', async () => {
    const agentId = await bench.agent(STRATEGY);
    bench.host.resume();
    await bench.until('it counts', () => view().triggers[0]?.isOn === true);
    await bench.host.control.revoke(agentId, 'Test');
    const day = 86_400_000;
    bench.clock.shift({ wallMs: day, monotonicMs: day, bootMs: day });
    bench.host.resume();
    await bench.until('it is missed', () => view().missed.length === 1);
    const [missed] = view().missed;
    expect(missed).toMatchObject({ state: 'open', canRun: true, run: null, agentName: 'Morning report' });
    expect(missed?.sentence).toContain('Nothing was sent');
    if (missed === undefined) return;
    await bench.host.control.skipMissed(missed, 'Test');
    expect(view().missed[0]).toMatchObject({ state: 'skipped', canRun: false });
  });
});
