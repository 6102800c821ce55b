import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { Answer, RequestOf, ResponseOf, Route } from '../../src/shared/contract/api.ts';
import { createHome, launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';
import { HubProcess, useHub } from '../harness/hub-in-terminal.ts';
import type { Caller } from '../harness/hub-in-terminal.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';

const TTL_MS = 3_000;
/** A term, the hold-off after it and a look of the loop, with room for a busy machine, ms. */
const TAKEOVER_LIMIT_MS = 40_000;

let receiver: Receiver;
let hub: HubProcess;
let folder: string;
let homes: string[] = [];
let apps: LaunchedApp[] = [];

test.beforeEach(async () => {
  receiver = await Receiver.start();
  folder = temporaryFolder();
  hub = await HubProcess.start(folder);
  homes = [];
  apps = [];
});
test.afterEach(async () => {
  for (const launched of apps) await launched.close();
  hub.kill();
  await hub.exited;
  await receiver.close();
  for (const each of [...homes, folder]) rmSync(each, { recursive: true, force: true });
});

/** A device whose window is real, and which is asked through the bridge of that window. */
class WindowDevice implements Caller {
  readonly launched: LaunchedApp;

  constructor(launched: LaunchedApp) {
    this.launched = launched;
  }

  call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
    const { window: page }: { window: Page } = this.launched;
    return page.evaluate(
      ([asked, what]) => (window as unknown as { fencepost: Caller }).fencepost.call(asked as R, what as RequestOf<R>),
      [route, request] as const,
    );
  }

  async must<R extends Route>(route: R, request: RequestOf<R>): Promise<ResponseOf<R>> {
    const answer = await this.call(route, request);
    if (!answer.ok) throw new Error(`${route}: ${answer.error.message}`);
    return answer.value;
  }

  async agent(source: string): Promise<string> {
    const saved = await this.must('agents.save', { fileName: 'agent.yaml', source });
    const { agentId } = saved as { agentId: string };
    const { previewDigest } = await this.must('agents.get', { agentId });
    const authorise = { agentId, previewDigest } as unknown as RequestOf<'agents.authorise'>;
    await this.must('agents.authorise', authorise);
    return agentId;
  }

  run(agentId: string, requestId = 'the-same-slot'): Promise<{ runId: string }> {
    return this.must('runs.start', { agentId, requestId });
  }

  async status(runId: string): Promise<string> {
    const view = await this.must('runs.get', { runId });
    return view.row.status;
  }

  async lease(agentId: string): Promise<ResponseOf<'leases.list'>['leases'][number] | undefined> {
    const { leases } = await this.must('leases.list', {});
    return leases.find((lease) => lease.agentId === agentId);
  }
}

async function pairedDevice(name: string): Promise<WindowDevice> {
  const home = createHome();
  homes.push(home);
  const launched = await launchApp({ home });
  apps.push(launched);
  const device = new WindowDevice(launched);
  await device.must('settings.set', { deviceName: name, isOnboarded: true });
  await useHub(device, hub);
  return device;
}

function strategy(agentId: string, states: string): string {
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
scope: { hosts: ['${new URL(receiver.origin).host}'] }
leaseTtlMs: ${TTL_MS}
start: first
states:
${states}
  finish: { type: done }
`;
}

const send = (name: string, next: string): string =>
  `  ${name}: { type: tool, call: { tool: http.request, method: POST, url: '${receiver.origin}/${name}' }, effect: { kind: blind }, onSuccess: ${next} }`;

test('what one device did is done again by the other, or waited for although the first has let go', async () => {
  test.setTimeout(240_000);
  const [one, two] = [await pairedDevice('Laptop'), await pairedDevice('Desktop')];
  const source = strategy('mail', send('first', 'finish'));
  const agentId = await one.agent(source);
  await two.agent(source);
  const done = await one.run(agentId);
  await expect.poll(() => one.status(done.runId), { timeout: TAKEOVER_LIMIT_MS }).toBe('done');
  await expect.poll(async () => (await two.lease(agentId))?.state, { timeout: TAKEOVER_LIMIT_MS }).toBe('free');
  // The same occurrence on the other device, and a new one.
  const again = await two.run(agentId);
  expect(again.runId).toBe(done.runId);
  // A hold-off lasts for 3.5 s: looked at this often it would be seen.
  const seen = new Set<string | undefined>();
  const look = async (): Promise<string> => {
    seen.add((await two.lease(agentId))?.state);
    return two.status(again.runId);
  };
  const often = { timeout: TAKEOVER_LIMIT_MS, intervals: [250] };
  await expect.poll(look, often).toBe('done');
  expect(seen).not.toContain('hold-off');
  expect(receiver.hits('/first')).toBe(1);
  const next = await two.run(agentId, 'the-next-slot');
  await expect.poll(() => two.status(next.runId), { timeout: TAKEOVER_LIMIT_MS }).toBe('done');
  expect(receiver.hits('/first')).toBe(2);
  // Each names the other: they were paired under these names.
  const { devices } = await one.must('devices.list', {});
  expect(devices.map((device) => device.name).toSorted()).toEqual(['Desktop', 'Laptop']);
});

test('an app that is killed in the middle of a step leaves it to be repeated, or nobody is asked about it', async () => {
  test.setTimeout(240_000);
  const [one, two] = [await pairedDevice('Laptop'), await pairedDevice('Desktop')];
  const source = strategy('mail', send('first', 'finish'));
  const agentId = await one.agent(source);
  await two.agent(source);
  receiver.behaviour = () => 'hang';
  const arrived = receiver.next(() => true);
  await one.run(agentId);
  await arrived;
  one.launched.app.process().kill('SIGKILL');
  await one.launched.close();
  apps = apps.filter((launched) => launched !== one.launched);
  receiver.behaviour = () => 'answer';
  const taken = await two.run(agentId);
  await expect.poll(() => two.status(taken.runId), { timeout: TAKEOVER_LIMIT_MS }).toBe('needs-recovery');
  const { unclear } = await two.must('needs.list', {});
  expect(unclear).toHaveLength(1);
  expect(receiver.hits('/first')).toBe(1);
});

test('a machine that slept past its term goes on with what another device has taken over', async () => {
  test.skip(process.platform === 'win32', 'Windows has no signal that stops a process.');
  test.setTimeout(240_000);
  const [one, two] = [await pairedDevice('Laptop'), await pairedDevice('Desktop')];
  const pause = `  pause: { type: wait, forMs: 6000, onSuccess: second }`;
  const source = strategy('mail', [send('first', 'pause'), pause, send('second', 'finish')].join('\n'));
  const agentId = await one.agent(source);
  await two.agent(source);
  const { runId } = await one.run(agentId);
  await expect.poll(() => receiver.hits('/first'), { timeout: TAKEOVER_LIMIT_MS }).toBe(1);
  await expect.poll(async () => (await one.lease(agentId))?.settledEntries, { timeout: TAKEOVER_LIMIT_MS }).toBe(1);
  const { pid } = one.launched.app.process();
  if (pid === undefined) throw new Error('The app has no process.');
  process.kill(pid, 'SIGSTOP');
  await two.run(agentId);
  await expect.poll(() => two.status(runId), { timeout: 2 * TAKEOVER_LIMIT_MS }).toBe('done');
  process.kill(pid, 'SIGCONT');
  await one.launched.app.evaluate(({ powerMonitor }) => {
    powerMonitor.emit('resume');
  });
  // It is told that what it wanted to do has been done, and so it ends as well, without a second send.
  await expect.poll(() => one.status(runId), { timeout: 2 * TAKEOVER_LIMIT_MS }).toBe('done');
  expect(receiver.hits('/first')).toBe(1);
  expect(receiver.hits('/second')).toBe(1);
});

test('two windows do not show each other’s runs, or only after a while, and a permission does not go along', async () => {
  test.setTimeout(240_000);
  const [one, two] = [await pairedDevice('Laptop'), await pairedDevice('Desktop')];
  const relay = { kind: 'hub' } as const;
  const { words } = await one.must('sync.create', { relay });
  await two.must('sync.join', { relay, words: words.join(' ') });
  const agentId = await one.agent(strategy('mail', send('first', 'finish')));
  await expect
    .poll(async () => (await two.call('agents.get', { agentId })).ok, { timeout: TAKEOVER_LIMIT_MS })
    .toBe(true);
  const delays: number[] = [];
  for (let press = 0; press < 3; press += 1) {
    const { runId } = await one.run(agentId, `pressed ${press}`);
    const startedMs = performance.now();
    await expect
      .poll(async () => (await two.call('runs.get', { runId })).ok, { timeout: TAKEOVER_LIMIT_MS, intervals: [50] })
      .toBe(true);
    delays.push(performance.now() - startedMs);
    await expect.poll(() => two.status(runId), { timeout: TAKEOVER_LIMIT_MS }).toBe('done');
  }
  // A second is the goal; a machine that runs all suites is given more. The figure is printed.
  process.stdout.write(`another window knew of a run after ${delays.map((ms) => Math.round(ms)).join(', ')} ms\n`);
  expect(Math.min(...delays)).toBeLessThan(5_000);
  expect(receiver.hits('/first')).toBe(3);
  // The other device may act by the same permission, and its window shows what was done by which device.
  const own = await two.run(agentId, 'from the other one');
  await expect
    .poll(() => one.call('runs.get', { runId: own.runId }).then((answer) => answer.ok), { timeout: TAKEOVER_LIMIT_MS })
    .toBe(true);
  await expect.poll(() => one.status(own.runId), { timeout: TAKEOVER_LIMIT_MS }).toBe('done');
  expect(receiver.hits('/first')).toBe(4);
  const { devices } = await two.must('sync.get', {});
  expect(devices.map((device) => device.name).toSorted()).toEqual(['Desktop', 'Laptop']);
});
