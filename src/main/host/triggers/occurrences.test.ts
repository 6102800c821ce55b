import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../../test/harness/receiver.ts';
import { must, useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { HostBench } from '../testing/host-bench.ts';

const DAY_MS = 86_400_000;
const SEVEN_MS = 7 * 3_600_000;

const newFolder = useTemporaryFolders();
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function device(of: { folder?: string; registerFile?: string; wallMs: number }): Promise<HostBench> {
  const bench = await HostBench.start(of.folder ?? newFolder(), of.registerFile, { wallMs: of.wallMs });
  open.push(bench);
  return bench;
}

/** One minute before seven, some days from now, so that clocks that go back find nothing there. */
function beforeSeven(): number {
  const nowMs = Date.now();
  return nowMs - (nowMs % DAY_MS) + 3 * DAY_MS + SEVEN_MS - 60_000;
}

/** Every clock of a device goes on to one second after seven. */
function untilSeven(bench: HostBench): void {
  const ms = beforeSeven() + 61_000 - bench.clock.read().wallMs;
  bench.clock.shift({ wallMs: ms, monotonicMs: ms, bootMs: ms });
  bench.host.resume();
}

async function arm(bench: HostBench, text: string): Promise<void> {
  const before = bench.count('trigger.armed');
  await bench.agent(text);
  bench.host.resume();
  await bench.until('its triggers count', () => bench.count('trigger.armed') > before);
}

function agent(id: string, triggers: string, act?: string): string {
  const states =
    act === undefined
      ? '  end: { type: done }'
      : `  act: { type: tool, call: { tool: http.request, method: POST, url: '${act}' }, effect: { kind: blind }, onSuccess: end, onFailure: broken }
  end: { type: done }
  broken: { type: fail }`;
  return `fencepost: 1
id: ${id}
name: ${id}
scope: { hosts: [${act === undefined ? '' : `'${new URL(act).host}'`}] }
triggers: ${triggers}
start: ${act === undefined ? 'end' : 'act'}
states:
${states}
`;
}

const SEVEN = `{ schedules: [{ id: seven, cron: '0 7 * * *', timeZone: UTC }] }`;

/** What is on the disk in this very moment, as after a crash of the machine that was not cut short. */
function crashImage(folder: string): string {
  const image = newFolder();
  for (const name of readdirSync(folder))
    if (name.startsWith('fencepost.sqlite')) cpSync(join(folder, name), join(image, name));
  return image;
}

describe('one slot on two devices', { timeout: 60_000 }, () => {
  it('is two runs, or one run that sends twice', async () => {
    const receiver = await Receiver.start();
    open.push(receiver);
    const registerFile = join(newFolder(), 'register.sqlite');
    const wallMs = beforeSeven();
    const devices = [await device({ registerFile, wallMs }), await device({ registerFile, wallMs })];
    for (const each of devices) await arm(each, agent('due', SEVEN, `${receiver.origin}/due`));
    for (const each of devices) untilSeven(each);
    for (const each of devices) await each.until('it has fired', () => each.count('trigger.fired') === 1);
    const ids = devices.map((each) => each.rows<{ run_id: string }>('SELECT run_id FROM runs')[0]?.run_id);
    expect(new Set(ids).size).toBe(1);
    for (const each of devices) {
      await each.until(
        'the run has ended',
        () => each.rows('SELECT 1 FROM runs WHERE ending IS NOT NULL').length === 1,
      );
    }
    expect(receiver.hits('/due')).toBe(1);
    expect(devices.reduce((sum, each) => sum + each.count('effect.started'), 0)).toBe(1);
  });
});

describe('a crash right after an occurrence has started its run', { timeout: 60_000 }, () => {
  it('fires the slot again, or forgets that it was fired', async () => {
    const folder = newFolder();
    const first = await device({ folder, wallMs: beforeSeven() });
    let image = '';
    first.at('after-trigger', () => {
      image = crashImage(folder);
    });
    await arm(first, agent('due', SEVEN));
    untilSeven(first);
    await first.until('it fires', () => image !== '');
    const second = await device({ folder: image, wallMs: first.clock.read().wallMs });
    await second.until('the run ends', () => second.count('run.ended') === 1);
    second.host.resume();
    await second.until(
      'it rests',
      () => second.rows(`SELECT 1 FROM triggers WHERE last_run_id IS NOT NULL`).length === 1,
    );
    expect(second.count('trigger.fired')).toBe(1);
    expect(second.count('trigger.missed')).toBe(0);
  });

  it('starts the follower of another run twice, or never', async () => {
    const folder = newFolder();
    const first = await device({ folder, wallMs: Date.now() });
    let image = '';
    const after = (nth: number) =>
      first.at(
        'after-trigger',
        () => {
          image = crashImage(folder);
        },
        nth,
      );
    after(2);
    await arm(first, agent('follower', '{ afterRuns: [{ id: next, agent: leader }] }'));
    const leader = await first.agent(agent('leader', '{}'));
    await first.run(leader);
    await first.until('the follower is started', () => image !== '');
    const second = await device({ folder: image, wallMs: first.clock.read().wallMs });
    await second.until('both have ended', () => second.count('run.ended') === 2);
    await second.run(leader, 'again');
    await second.until('and the next follower as well', () => second.count('run.ended') === 4);
    expect(second.rows(`SELECT 1 FROM runs WHERE agent_id = 'follower'`)).toHaveLength(2);
  });
});

describe('the end of another run', { timeout: 60_000 }, () => {
  it('before the permission starts a follower, or an ending that nobody asked for does', async () => {
    const bench = await device({ wallMs: Date.now() });
    const leader = await bench.agent(agent('leader', '{}', 'http://127.0.0.1:1/refused'));
    await bench.ended(await bench.run(leader, 'before'));
    await arm(bench, agent('on-done', '{ afterRuns: [{ id: next, agent: leader }] }'));
    await arm(
      bench,
      agent('on-failure', '{ afterRuns: [{ id: next, agent: leader, endings: [failed-nothing-sent] }] }'),
    );
    await bench.ended(await bench.run(leader, 'failing'));
    await bench.until('one follows', () => bench.rows(`SELECT 1 FROM runs WHERE agent_id = 'on-failure'`).length === 1);
    expect(bench.rows(`SELECT 1 FROM runs WHERE agent_id = 'on-done'`)).toHaveLength(0);
  });

  it('while the device was off is lost', async () => {
    const folder = newFolder();
    const first = await device({ folder, wallMs: Date.now() });
    await arm(first, agent('follower', '{ afterRuns: [{ id: next, agent: leader }] }'));
    const leader = await first.agent(agent('leader', '{}'));
    let image = '';
    // The last moment at which the leader has not ended: its end comes in the process of the copy.
    first.at('after-trigger', () => {
      image = crashImage(folder);
    });
    await first.run(leader);
    await first.until('it has begun', () => image !== '');
    const second = await device({ folder: image, wallMs: Date.now() });
    await second.until(
      'the follower ran',
      () => second.rows(`SELECT 1 FROM runs WHERE agent_id = 'follower'`).length === 1,
    );
  });

  it('is followed without a permission, or leaves no line', async () => {
    const bench = await device({ wallMs: Date.now() });
    await arm(bench, agent('follower', '{ afterRuns: [{ id: next, agent: leader }] }'));
    must(await bench.host.control.revoke('follower' as never, 'Test'));
    const leader = await bench.agent(agent('leader', '{}'));
    const runId = await bench.run(leader);
    await bench.until(
      'it leaves a line',
      () => bench.rows(`SELECT 1 FROM missed_slots WHERE reason = 'no-permission'`).length === 1,
    );
    await bench.authorise('follower' as never);
    const ref = { agentId: 'follower', kind: 'run', triggerId: 'next', slot: runId } as const;
    await bench.until('it counts again', () => bench.count('trigger.armed') === 2);
    must(await bench.host.control.runMissed(ref, 'Test'));
    expect(bench.rows(`SELECT 1 FROM runs WHERE agent_id = 'follower'`)).toHaveLength(1);
  });
});
