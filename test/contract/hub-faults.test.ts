import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHubCoordinator } from '../../src/main/coordinators/hub/hub-coordinator.ts';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { openHubRegister } from '../../src/main/coordinators/sqlite/hub-register.ts';
import { HUB_LIMITS } from '../../src/main/hub/hub-limits.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { AGENT, agentId, ANNA, attemptToken, BEN, effect, TTL_MS } from './coordinator-bench.ts';
import { createFakeClock } from './fake-clock.ts';
import { startTestHub } from './hub-benches.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';
import { must } from './sqlite-benches.ts';

const ACQUIRE = { verb: 'acquire', deviceId: ANNA, nonce: 'nonce', ttlMs: TTL_MS } as const;
const unreachable = { ok: false, error: { code: 'register-unreachable' } };

const DIGEST = 'd'.repeat(160);

let running: RunningHub;
let anna: DeviceKeys;

beforeEach(async () => {
  running = await startTestHub();
  anna = await running.letIn(ANNA);
});

afterEach(() => running.close());

/** A line between client and hub that can be cut: what the client sends still arrives, what the hub says does not. */
class CutProxy {
  isCut = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(port: number) {
    this.#server = createServer((inner) => {
      const outer = connect({ host: '127.0.0.1', port });
      for (const socket of [inner, outer]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.#sockets.delete(socket));
      }
      inner.on('data', (part) => outer.write(part));
      outer.on('data', (part) => (this.isCut ? inner.destroy() : inner.write(part)));
      inner.on('close', () => this.isCut || outer.destroy());
      outer.on('close', () => inner.destroy());
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('the hub, cut off', () => {
  it('leaves the outcome unknown when an answer is lost, sends nothing twice, and knows its grant by the nonce', async () => {
    const line = new CutProxy(running.hub().port);
    const port = await line.listen();
    const of = { addresses: ['127.0.0.1'], port, certificatePem: running.certificate.certificatePem, name: 'Test hub' };
    expect((await openHubCoordinator({ ...of, ...anna })).ok, 'by a port that the hub was not told').toBe(false);
    await running.alsoCalledBy(port);
    const client = must(await openHubCoordinator({ ...of, ...anna }));
    line.isCut = true;
    expect(await client.ask(AGENT, ACQUIRE)).toMatchObject(unreachable);
    await expect.poll(async () => must(await running.register().current(AGENT)).epoch, { timeout: 5_000 }).toBe(1);
    line.isCut = false;
    const again = must(await client.ask(AGENT, ACQUIRE));
    expect(again.reply).toEqual({ kind: 'granted', epoch: 1, holdOff: false, isReplay: true });
    await client.close();
    line.close();
  });
});

describe('the hub, restarted', () => {
  it('answers the same client again, which signs in by itself, and begins every held lease again', async () => {
    const client = await running.connect(anna);
    const { reply } = must(await client.ask(AGENT, ACQUIRE));
    expect(reply).toMatchObject({ kind: 'granted', epoch: 1 });
    running.pass(TTL_MS - 1);
    await running.restart();
    // The connections that broke may have cost one question, whose outcome is then unknown.
    await expect.poll(async () => (await client.current(AGENT)).ok, { timeout: 5_000 }).toBe(true);
    expect(must(await client.current(AGENT)).remainingMs).toBe(TTL_MS);
    running.pass(TTL_MS);
    const renew = { verb: 'renew', deviceId: ANNA, epoch: 1, nonce: 'nonce' } as const;
    expect(must(await client.ask(AGENT, renew)).reply).toMatchObject({ kind: 'lost' });
  });

  it('signs in by itself where the session is over, and asks again, since nothing was done', async () => {
    const client = await running.connect(anna);
    running.pass(HUB_LIMITS.sessionIdleMs + 1);
    expect(must(await client.ask(AGENT, ACQUIRE)).reply).toMatchObject({ kind: 'granted', epoch: 1, isReplay: false });
  });

  it('does not bring a lease back to life that somebody was told has run out', async () => {
    const client = await running.connect(anna);
    must(await client.ask(AGENT, ACQUIRE));
    running.pass(TTL_MS);
    expect(must(await client.current(AGENT)).remainingMs).toBe(0);
    await running.restart();
    await expect.poll(async () => (await client.current(AGENT)).ok, { timeout: 5_000 }).toBe(true);
    expect(must(await client.current(AGENT))).toMatchObject({ remainingMs: 0, lease: { holder: ANNA } });
  });

  it('is opened by a device that knew it while it is away, answers nothing, and is there when it is', async () => {
    const { identity } = running.register();
    const { port } = running.hub();
    const { certificatePem } = running.certificate;
    await running.hub().close();
    const of = { addresses: ['127.0.0.1'], port, certificatePem, name: 'Test hub', ...anna };
    expect(await openHubCoordinator(of)).toMatchObject(unreachable);
    const client = must(await openHubCoordinator({ ...of, known: identity }));
    expect(await client.ask(AGENT, ACQUIRE)).toMatchObject(unreachable);
    await running.restart();
    expect(await client.ask(AGENT, ACQUIRE)).toMatchObject({ ok: true, value: { reply: { kind: 'granted' } } });
    await client.close();
  });

  it('is refused when another register answers under its certificate', async () => {
    const { port } = running.hub();
    const { certificatePem } = running.certificate;
    const of = { addresses: ['127.0.0.1'], port, certificatePem, name: 'Test hub', ...anna };
    const known = { coordinatorId: 'another', incarnation: 'life' };
    expect(await openHubCoordinator({ ...of, known })).toMatchObject({ error: { code: 'register-went-back' } });
  });
});

describe("the hub's register", () => {
  it('is held by one process at a time, and is no file for other registers', async () => {
    const second = await openHubRegister({ folder: running.folder, version: '0.0.0-test' });
    expect(second).toMatchObject({ ok: false, error: { code: 'profile-in-use' } });
    const file = join(running.folder, 'hub.sqlite');
    expect(openFileCoordinator({ file, clock: createFakeClock() })).toMatchObject({ error: { code: 'store-foreign' } });
  });

  it('writes once for all who ask in one turn', async () => {
    const before = running.register().commits();
    const agents = Array.from({ length: 64 }, (_, index) => agentId(`agent-${index}`));
    const asked = await Promise.all(agents.map((agent) => running.register().ask(agent, ACQUIRE)));
    expect(asked.every((answer) => answer.ok && answer.value.reply.kind === 'granted')).toBe(true);
    expect(running.register().commits() - before).toBe(1);
  });

  it('writes a few times for 64 who ask over the network at once', async () => {
    const client = await running.connect(anna);
    const before = running.register().commits();
    const agents = Array.from({ length: 64 }, (_, index) => agentId(`agent-${index}`));
    await Promise.all(agents.map((agent) => client.ask(agent, ACQUIRE)));
    expect(running.register().commits() - before).toBeLessThanOrEqual(4);
  });

  it('takes nothing from the others when one question would leave a row that nobody can read', async () => {
    const endless = { ...ACQUIRE, ttlMs: Number.POSITIVE_INFINITY };
    const [wrong, right] = await Promise.all([
      running.register().ask(agentId('endless'), endless),
      running.register().ask(AGENT, ACQUIRE),
    ]);
    expect(wrong).toMatchObject(unreachable);
    expect(right).toMatchObject({ ok: true, value: { reply: { kind: 'granted' } } });
    expect(must(await running.register().current(agentId('endless'))).epoch).toBe(0);
  });
});

describe('long answers, one after another', () => {
  it('break no connection under the next request, which would leave its outcome unknown', async () => {
    const { port } = running.hub();
    await running.stop();
    const program = fileURLToPath(new URL('../harness/hub-process.ts', import.meta.url));
    // In a process of its own: only then does the next question arrive while the last answer is still being let go of.
    const child = fork(program, [running.folder, String(port)], { execArgv: [] });
    await once(child, 'message');
    const client = await running.connect(anna, port);
    let unknown = 0;
    // Long questions too, and answers of some 100 KiB: Node breaks a connection between two pieces of a question.
    const lane = async (_: unknown, index: number): Promise<void> => {
      for (let count = 0; count < 100; count += 1) {
        const agent = agentId(`agent-${index}-${Math.floor(count / 10)}`);
        const entry = { effect: effect(`mail-${count}`, agent), attemptToken: attemptToken('try'), digest: DIGEST };
        const announce = { verb: 'announce', deviceId: ANNA, epoch: 1, entry, permit: null } as const;
        if (!(await client.ask(agent, count % 10 === 0 ? ACQUIRE : announce)).ok) unknown += 1;
      }
    };
    await Promise.all(Array.from({ length: 64 }, lane));
    expect(unknown).toBe(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

describe('what the hub tells by itself', () => {
  it('names an agent that was acquired, ran out, or was released, and not one that was only renewed or announced', async () => {
    const client = await running.connect(anna);
    const heard: AgentId[] = [];
    const stop = client.onChange((agent) => void heard.push(agent));
    const other = await running.connect(await running.letIn(BEN));
    const first = agentId('first');
    const heardOf = (agent: AgentId) => expect.poll(() => heard.includes(agent), { timeout: 5_000 }).toBe(true);
    // The line opens by itself; until then changes are not told.
    await expect.poll(async () => (await tryOnce(other, heard)) > 0, { timeout: 5_000 }).toBe(true);
    must(await other.ask(first, { ...ACQUIRE, deviceId: BEN }));
    await heardOf(first);
    heard.length = 0;
    must(await other.ask(first, { verb: 'renew', deviceId: BEN, epoch: 1, nonce: 'nonce' }));
    const entry = { effect: effect('mail', first), attemptToken: attemptToken('try'), digest: 'd' };
    must(await other.ask(first, { verb: 'announce', deviceId: BEN, epoch: 1, entry, permit: null }));
    must(await other.ask(agentId('marker'), { ...ACQUIRE, deviceId: BEN }));
    await heardOf(agentId('marker'));
    expect(heard).not.toContain(first);
    running.pass(TTL_MS);
    await heardOf(first);
    stop();
  });

  it('names every agent that was asked about after the line broke, since nobody knows what was missed', async () => {
    const client = await running.connect(anna);
    must(await client.current(AGENT));
    const heard: AgentId[] = [];
    client.onChange((agent) => void heard.push(agent));
    await expect.poll(() => heard, { timeout: 5_000 }).toContain(AGENT);
    heard.length = 0;
    await running.restart();
    await expect.poll(() => heard, { timeout: 10_000 }).toContain(AGENT);
  });

  it('tells of devices that come and go', async () => {
    const client = await running.connect(anna);
    let told = 0;
    client.onDevices(() => void (told += 1));
    await expect.poll(() => told, { timeout: 5_000 }).toBe(1);
    await running.letIn(BEN);
    must(await running.hub().devices.revoke(BEN));
    await expect.poll(() => told, { timeout: 5_000 }).toBe(2);
  });
});

let probes = 0;

/** Changes something of its own, and says whether that was heard. */
async function tryOnce(client: Awaited<ReturnType<RunningHub['connect']>>, heard: readonly AgentId[]): Promise<number> {
  probes += 1;
  must(await client.ask(agentId(`probe-${probes}`), { ...ACQUIRE, deviceId: BEN }));
  return heard.filter((agent) => agent.startsWith('probe-')).length;
}
