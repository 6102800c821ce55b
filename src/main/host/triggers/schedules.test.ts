import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { Receiver } from '../../../../test/harness/receiver.ts';
import { HostBench } from '../testing/host-bench.ts';
import { must, useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { rebuildProjections } from '../../store/projections/rebuild.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SEVEN_MS = 7 * HOUR_MS;

const newFolder = useTemporaryFolders();

interface Missed {
  readonly slot: string;
  readonly reason: string;
  readonly state: string;
  readonly slot_count: number;
  readonly run_id: string | null;
}

/** An agent that is due every day at seven, and whose runs end at once, or wait for a person. */
function daily(of: { policy?: string; cron?: string; asks?: boolean; name?: string; act?: string } = {}): string {
  const { policy = 'once', cron = '0 7 * * *', asks = false, name = 'daily', act } = of;
  const states = asks
    ? `  ask: { type: approve, question: May I?, of: act, onSuccess: act, onFailure: end }
  act: { type: tool, call: { tool: http.request, method: POST, url: 'http://127.0.0.1:1/x' }, onSuccess: end }
  end: { type: done }`
    : act === undefined
      ? '  end: { type: done }'
      : `  act: { type: tool, call: { tool: http.request, method: POST, url: '${act}' }, effect: { kind: blind }, onSuccess: end }
  end: { type: done }`;
  return `fencepost: 1
id: ${name}
name: ${name}
scope: { hosts: ['${new URL(act ?? 'http://127.0.0.1:1').host}'] }
triggers: { schedules: [{ id: seven, cron: '${cron}', timeZone: UTC, missed: ${policy} }] }
start: ${asks ? 'ask' : act === undefined ? 'end' : 'act'}
states:
${states}
`;
}

let folder: string;
let bench: HostBench;

beforeEach(async () => {
  folder = newFolder();
  bench = await HostBench.start(folder);
  // The evening before, by every clock of the device.
  const nowMs = bench.clock.read().wallMs;
  passes(2 * DAY_MS - (nowMs % DAY_MS) - HOUR_MS);
});
afterEach(async () => {
  await bench.close();
});

function passes(ms: number): void {
  bench.clock.shift({ wallMs: ms, monotonicMs: ms, bootMs: ms });
}

/** Time passes until so long after the start of the day of the first seven o'clock, and the triggers look. */
function timeIs(sinceFirstDayMs: number): void {
  const dayMs = Math.floor((startMs + 2 * HOUR_MS) / DAY_MS) * DAY_MS;
  passes(dayMs + sinceFirstDayMs - bench.clock.read().wallMs);
  bench.host.resume();
}

let startMs = 0;
async function arm(text: string): Promise<AgentId> {
  startMs = bench.clock.read().wallMs;
  const before = bench.count('trigger.armed');
  const agentId = await bench.agent(text);
  bench.host.resume();
  await bench.until('the schedule counts', () => bench.count('trigger.armed') > before);
  return agentId;
}

/** The device is off until it is started anew on the same folder; the clocks went on. */
async function restart(offMs: number): Promise<void> {
  const nowMs = bench.clock.read().wallMs;
  await bench.close();
  bench = await HostBench.start(folder, undefined, { wallMs: nowMs + offMs });
}

const missed = (): Missed[] => bench.rows<Missed>('SELECT * FROM missed_slots ORDER BY seq');
const fired = (): number => bench.count('trigger.fired');
const states = (): string[] => missed().map(({ reason, state }) => `${reason}: ${state}`);

describe('a schedule', { timeout: 60_000 }, () => {
  it('fires before its time, twice, or not at all', async () => {
    await arm(daily());
    expect(fired()).toBe(0);
    timeIs(SEVEN_MS + 1_000);
    await bench.until('it fires', () => fired() === 1);
    timeIs(SEVEN_MS + 30_000);
    timeIs(SEVEN_MS + DAY_MS);
    await bench.until('it fires the next day', () => fired() === 2);
    expect(missed()).toEqual([]);
    const [run] = bench.rows<{ started_by: string }>('SELECT started_by FROM runs');
    expect(run?.started_by).toBe('its schedule “seven”');
  });

  it('catches up with what was before its permission', async () => {
    timeIs(SEVEN_MS + MINUTE_MS);
    await arm(daily({ policy: 'each' }));
    timeIs(SEVEN_MS + DAY_MS);
    await bench.until('it fires', () => fired() === 1);
    expect(missed()).toEqual([]);
  });

  it('is switched off silently when the permission is gone, and catches up when there is a new one', async () => {
    const agentId = await arm(daily());
    must(await bench.host.control.revoke(agentId, 'Test'));
    timeIs(SEVEN_MS + 1_000);
    await bench.until('the slot leaves a line', () => states().join() === 'no-permission: open');
    timeIs(SEVEN_MS + DAY_MS);
    await bench.until('so does the next', () => missed().length === 2);
    await bench.authorise(agentId);
    timeIs(SEVEN_MS + DAY_MS + 5 * MINUTE_MS);
    await bench.until('it counts again', () => bench.count('trigger.armed') === 2);
    timeIs(SEVEN_MS + 2 * DAY_MS);
    await bench.until('it fires', () => fired() === 1);
    expect(missed()).toHaveLength(2);
  });

  it('runs a revision that nobody has permitted', async () => {
    await arm(daily());
    must(await bench.host.control.saveAgent('strategy.yaml', daily({ policy: 'skip' })));
    timeIs(SEVEN_MS + 1_000);
    await bench.until('the slot leaves a line', () => states().join() === 'no-permission: open');
    expect(fired()).toBe(0);
  });
});

describe('slots that passed while the device was off', { timeout: 60_000 }, () => {
  it('are forgotten under skip', async () => {
    await arm(daily({ policy: 'skip' }));
    await restart(3 * DAY_MS);
    await bench.until('they leave a line', () => states().join() === 'device-off: open');
    expect(missed()[0]?.slot_count).toBe(3);
    expect(fired()).toBe(0);
  });

  it('start more than one run under once', async () => {
    await arm(daily());
    await restart(3 * DAY_MS);
    await bench.until('one run makes up for them', () => states().join() === 'device-off: ran');
    expect(missed()[0]?.slot_count).toBe(3);
    expect(fired()).toBe(1);
  });

  // anthropics/claude-code#44128
  it('start all at once under each', async () => {
    await arm(daily({ policy: 'each', asks: true }));
    await restart(3 * DAY_MS);
    const phases = () =>
      bench.rows<{ phase: string }>('SELECT phase FROM runs ORDER BY run_number').map((run) => run.phase);
    for (const number of [1, 2, 3]) {
      await bench.until(
        `run ${number} asks`,
        () => phases().join() === [...Array(number - 1).fill('ended'), 'needs-approval'].join(),
      );
      bench.host.resume();
      expect(states().filter((state) => state === 'device-off: ran')).toHaveLength(number);
      expect(fired()).toBe(number);
      const [open] = bench.rows<{ run_id: never }>('SELECT run_id FROM runs WHERE ending IS NULL');
      if (open !== undefined) must(await bench.host.control.stopRun(open.run_id, 'Test'));
    }
    expect(bench.rows('SELECT DISTINCT run_id FROM missed_slots')).toHaveLength(3);
  });

  it('of two agents start in the same moment', async () => {
    const receiver = await Receiver.start();
    receiver.behaviour = () => 'hang';
    try {
      await arm(daily({ name: 'one', act: `${receiver.origin}/slow` }));
      await arm(daily({ name: 'two' }));
      await restart(DAY_MS);
      await bench.until('the first is at work', () => receiver.hits('/slow') === 1);
      await bench.until('both slots are known', () => missed().length === 2);
      // Each of them makes the triggers look again, and the look before it is over then.
      for (const [index, name] of ['three', 'four'].entries()) {
        await bench.agent(daily({ name }));
        await bench.until('the triggers looked', () => bench.count('trigger.armed') === 3 + index);
      }
      expect(fired()).toBe(1);
    } finally {
      await receiver.close();
    }
    // Nobody knows how the first ended: it waits for a person, and holds nobody up.
    await bench.until('the second has its turn', () => states().join() === 'device-off: ran,device-off: ran');
  });

  it('can be run or skipped twice by two presses', async () => {
    await arm(daily({ policy: 'skip' }));
    await restart(DAY_MS);
    await bench.until('it is missed', () => missed().length === 1);
    const slot = missed()[0]?.slot ?? '';
    const ref = { agentId: 'daily', kind: 'schedule', triggerId: 'seven', slot } as const;
    const { control } = bench.host;
    const [one, two] = await Promise.all([control.runMissed(ref, 'Test'), control.runMissed(ref, 'Test')]);
    expect(must(one).runId).toBe(must(two).runId);
    expect(must(await control.runMissed(ref, 'Test')).runId).toBe(must(one).runId);
    expect(await control.skipMissed(ref, 'Test')).toMatchObject({ ok: false, error: { code: 'already-decided' } });
    expect(fired()).toBe(1);
    expect(states()).toEqual(['device-off: ran']);
  });
});

describe('a calendar that jumps', { timeout: 60_000 }, () => {
  it('and comes back from a year ahead silences the schedule for a year, or runs a slot twice', async () => {
    await arm(daily());
    timeIs(SEVEN_MS + 1_000);
    await bench.until('it fires', () => fired() === 1);
    bench.clock.shift({ wallMs: 365 * DAY_MS });
    bench.host.resume();
    await bench.until('one run makes up for the year', () => fired() === 2);
    bench.clock.shift({ wallMs: -365 * DAY_MS - 30_000 });
    bench.host.resume();
    await bench.until('the jump leaves a line', () => states().includes('clock-went-back: noted'));
    timeIs(SEVEN_MS + 1_000);
    timeIs(SEVEN_MS + DAY_MS);
    await bench.until('it fires the next day', () => fired() === 3);
    const slots = bench.rows<{ slot: string }>(
      `SELECT json_extract(payload, '$.source.slot') AS slot FROM ops WHERE kind = 'trigger.fired'`,
    );
    expect(new Set(slots.map((row) => row.slot)).size).toBe(3);
  });

  it('by some minutes back fires the slot again', async () => {
    await arm(daily());
    timeIs(SEVEN_MS + 1_000);
    await bench.until('it fires', () => fired() === 1);
    bench.clock.shift({ wallMs: -10 * MINUTE_MS });
    bench.host.resume();
    timeIs(SEVEN_MS + 2_000);
    timeIs(SEVEN_MS + DAY_MS);
    await bench.until('it fires the next day', () => fired() === 2);
    expect(missed()).toEqual([]);
  });
});

it('projections made again from the journal forget where a schedule was', { timeout: 60_000 }, async () => {
  await arm(daily({ policy: 'skip' }));
  timeIs(SEVEN_MS + 1_000);
  await bench.until('it fires', () => fired() === 1);
  await restart(2 * DAY_MS);
  await bench.until('it is missed', () => missed().length === 1);
  const tables = () => [bench.rows('SELECT * FROM triggers'), bench.rows('SELECT * FROM missed_slots')];
  const before = tables();
  const db = bench.host.control.connection()?.db;
  if (db !== undefined) rebuildProjections(db);
  expect(tables()).toEqual(before);
});
