import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createSecureServer } from 'node:https';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureHubCertificate } from '../../src/main/hub/certificate.ts';
import { HUB_LIMITS } from '../../src/main/hub/hub-limits.ts';
import { HUB_HEADERS, HUB_PATHS } from '../../src/main/hub/hub-wire.ts';
import { newHubSecret } from '../../src/main/hub/proofs.ts';
import { AGENT, ANNA, TTL_MS } from './coordinator-bench.ts';
import { startTestHub } from './hub-benches.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';
import {
  askChallenge,
  expectNothingGranted,
  openLine,
  openSession,
  proof,
  send,
  sendProved,
  signIn,
} from './hub-stranger.ts';
import { must } from './sqlite-benches.ts';

const ACQUIRE = { verb: 'acquire', deviceId: ANNA, nonce: 'nonce', ttlMs: TTL_MS } as const;
const ASK = JSON.stringify([{ agentId: AGENT, verb: ACQUIRE }]);

let running: RunningHub;
let anna: DeviceKeys;

beforeEach(async () => {
  running = await startTestHub();
  anna = await running.letIn(ANNA);
});

afterEach(async () => {
  await expectNothingGranted(running, anna);
  await running.close();
});

describe('whoever cannot prove who they are gets no lease', () => {
  it('refuses a question without a session, and one with an invented session', async () => {
    expect(await send(running, { path: HUB_PATHS.ask, body: ASK })).toMatchObject({ status: 401 });
    const invented = { sessionId: newHubSecret(), sessionKey: newHubSecret() };
    const asked = await sendProved(running, invented, { path: HUB_PATHS.ask, body: ASK, sequence: 1 });
    expect(asked).toMatchObject({ status: 401, body: { code: 'not-signed-in' } });
  });

  it('refuses a wrong token, another key, and a signature for another hub', async () => {
    const refused = { status: 401, body: { code: 'not-paired' } };
    expect(await signIn(running, anna, { token: newHubSecret() })).toMatchObject(refused);
    const stranger = await running.letIn('mallory');
    expect(await signIn(running, { ...anna, privateKey: stranger.privateKey })).toMatchObject(refused);
    expect(await signIn(running, anna, { fingerprint: 'AA' })).toMatchObject(refused);
    expect(await signIn(running, { ...anna, deviceId: 'nobody' as typeof ANNA })).toMatchObject(refused);
  });

  it('refuses a challenge that was answered before, is too old, or was given to another device', async () => {
    const challenge = await askChallenge(running, ANNA);
    expect(await signIn(running, anna, { challenge })).toMatchObject({ status: 200 });
    expect(await signIn(running, anna, { challenge })).toMatchObject({ status: 401 });
    const old = await askChallenge(running, ANNA);
    const [nonce = '', until = '', seal = ''] = old.split('.');
    const longer = `${nonce}.${Number(until) + 60_000}.${seal}`;
    expect(await signIn(running, anna, { challenge: longer }), 'with a later end').toMatchObject({ status: 401 });
    await running.letIn('ben');
    const other = await askChallenge(running, 'ben');
    expect(await signIn(running, anna, { challenge: other })).toMatchObject({ status: 401 });
    running.pass(HUB_LIMITS.challengeMs + 1);
    expect(await signIn(running, anna, { challenge: old })).toMatchObject({ status: 401 });
  });

  it('refuses a wrong proof, and one for other bytes, another path or another number', async () => {
    const session = await openSession(running, anna);
    const { path } = { path: HUB_PATHS.ask };
    const right = { path, sequence: 1, body: ASK };
    const tries: Record<string, string>[] = [
      { ...proof(session, right), [HUB_HEADERS.mac]: newHubSecret() },
      proof({ ...session, sessionKey: newHubSecret() }, right),
      proof(session, { ...right, body: '[]' }),
      proof(session, { ...right, path: HUB_PATHS.current }),
      { ...proof(session, right), [HUB_HEADERS.sequence]: '2' },
      { ...proof(session, right), [HUB_HEADERS.sequence]: '1e0' },
    ];
    for (const headers of tries) {
      expect(await send(running, { path, body: ASK, headers })).toMatchObject({ status: 401 });
    }
  });

  it('does not do a request a second time that is sent again byte for byte', async () => {
    const session = await openSession(running, anna);
    const body = JSON.stringify([AGENT]);
    const headers = proof(session, { path: HUB_PATHS.current, sequence: 7, body });
    expect(await send(running, { path: HUB_PATHS.current, body, headers })).toMatchObject({ status: 200 });
    const again = await send(running, { path: HUB_PATHS.current, body, headers });
    expect(again).toMatchObject({ status: 409, body: { code: 'replayed' } });
    const late = await sendProved(running, session, { path: HUB_PATHS.current, body, sequence: 3 });
    expect(late, 'one that overtook another is no replay').toMatchObject({ status: 200 });
    await sendProved(running, session, { path: HUB_PATHS.current, body, sequence: 50_000 });
    const forgotten = await sendProved(running, session, { path: HUB_PATHS.current, body, sequence: 4 });
    expect(forgotten, 'what is too far behind to remember').toMatchObject({ status: 409 });
  });

  it('does not let a device speak for another, in no verb of a request', async () => {
    const mallory = await openSession(running, await running.letIn('mallory'));
    const own = { agentId: 'own', verb: { ...ACQUIRE, deviceId: 'mallory' } };
    const body = JSON.stringify([own, { agentId: AGENT, verb: ACQUIRE }]);
    const asked = await sendProved(running, mallory, { path: HUB_PATHS.ask, body, sequence: 1 });
    expect(asked).toMatchObject({ status: 403, body: { code: 'other-device' } });
    expect(must(await running.register().current('own' as typeof AGENT)).epoch, 'nor its own of that request').toBe(0);
  });
});

describe('a device that was removed', () => {
  it('is out at once, with everything it has open', async () => {
    const session = await openSession(running, anna);
    const { line, status } = await openLine(
      running,
      proof(session, { method: 'GET', path: HUB_PATHS.changes, sequence: 1 }),
    );
    expect(status).toBe(101);
    const closed = once(line, 'close');
    must(await running.hub().devices.revoke(ANNA));
    await closed;
    const asked = await sendProved(running, session, { path: HUB_PATHS.ask, body: ASK, sequence: 2 });
    expect(asked).toMatchObject({ status: 401 });
    const again = await signIn(running, anna);
    expect(again).toMatchObject({ status: 401, body: { code: 'device-removed' } });
    expect(await signIn(running, { ...anna, privateKey: (await running.letIn('mallory')).privateKey })).toMatchObject({
      body: { code: 'not-paired' },
    });
    anna = await running.letIn(ANNA);
  });

  it('is out at once where another hub on the same list removed it', async () => {
    const session = await openSession(running, anna);
    must(await running.devices().revoke(ANNA, 1));
    const asked = await sendProved(running, session, { path: HUB_PATHS.ask, body: ASK, sequence: 1 });
    expect(asked).toMatchObject({ status: 401, body: { code: 'device-removed' } });
    anna = await running.letIn(ANNA);
  });
});

describe('who may call', () => {
  it.each([
    ['a name that somebody points at this machine', { host: 'evil.example:443' }],
    ['the right name with another port', { host: '127.0.0.1:1' }],
    ['a page of a browser', { origin: 'https://evil.example' }],
    ['a page of this very address', { origin: 'null' }],
    ['a browser without an origin', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s, before it looks at anything else', async (_what, headers) => {
    const session = await openSession(running, anna);
    const asked = await sendProved(running, session, { path: HUB_PATHS.ask, body: ASK, sequence: 1, headers });
    expect(asked).toMatchObject({ status: 403, body: { code: 'foreign' } });
    const line = await openLine(running, {
      ...proof(session, { method: 'GET', path: HUB_PATHS.changes, sequence: 2 }),
      ...headers,
    });
    expect(line.status).toBe(403);
  });

  it('refuses a line for changes without a proof', async () => {
    expect((await openLine(running, {})).status).toBe(401);
    const session = await openSession(running, anna);
    const other = proof(session, { method: 'GET', path: HUB_PATHS.devices, sequence: 1 });
    expect((await openLine(running, other)).status).toBe(401);
  });
});

describe('what is malformed', () => {
  it('is never an error of the hub and never a grant, whatever is sent by a stranger or a device', async () => {
    const session = await openSession(running, anna);
    let sequence = 0;
    const paths = [HUB_PATHS.ask, HUB_PATHS.current];
    const verb = fc.oneof(
      fc.jsonValue(),
      fc.record({ ...ACQUIRE_PARTS, extra: fc.jsonValue() }),
      fc.record({ ...ACQUIRE_PARTS, ttlMs: fc.oneof(fc.double(), fc.constant(-1), fc.constant(1e12)) }),
      fc.record({ ...ACQUIRE_PARTS, deviceId: fc.oneof(fc.jsonValue(), fc.constant('anna ')) }),
      fc.record({ ...ACQUIRE_PARTS, nonce: fc.constantFrom('', '\u0000', 'x'.repeat(161), null) }),
      fc.record({ verb: fc.constantFrom('__proto__', 'toString', 'grant', 'delete'), deviceId: fc.constant(ANNA) }),
    );
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .array(fc.record({ agentId: fc.oneof(fc.constant(AGENT), fc.jsonValue()), verb }), { maxLength: 3 })
        .map(toJson),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), body, async (path, text) => {
        sequence += 1;
        const reply = await sendProved(running, session, { path, body: text, sequence });
        expect(reply?.status, text).toBe(400);
      }),
      {
        numRuns: 300,
        seed: 20_261_129,
        examples: [
          [HUB_PATHS.ask, '[]'],
          [HUB_PATHS.ask, '{"__proto__":1}'],
        ],
      },
    );
  });

  it('is refused whole where one question of many is', async () => {
    const session = await openSession(running, anna);
    const right = { agentId: 'right', verb: ACQUIRE };
    for (const wrong of [{ ...right, verb: { ...ACQUIRE, ttlMs: 0 } }, { ...right, more: 1 }, null]) {
      const sequence = Math.floor(Math.random() * 1_000) + 1;
      const asked = await sendProved(running, session, { path: HUB_PATHS.ask, body: toJson([right, wrong]), sequence });
      expect(asked?.status).toBe(400);
    }
    expect(must(await running.register().current('right' as typeof AGENT)).epoch).toBe(0);
  });
});

describe('a client', () => {
  it('sends nothing to a machine that shows another certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-other-hub-'));
    const other = must(ensureHubCertificate(folder));
    const seen: string[] = [];
    const impostor = createSecureServer({ cert: other.certificatePem, key: other.keyPem }, (request, response) => {
      seen.push(request.url ?? '');
      response.end('{}');
    });
    impostor.listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    const { port } = impostor.address() as AddressInfo;
    await expect(running.connect(anna, port)).rejects.toThrow('register-unreachable');
    expect(seen).toEqual([]);
    impostor.close();
    impostor.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not take silence for an answer, and not for longer than its limit', async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const startedMs = performance.now();
    await expect(running.connect(anna, (silent.address() as AddressInfo).port)).rejects.toThrow('register-unreachable');
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    silent.close();
  });
});

const ACQUIRE_PARTS = {
  verb: fc.constant('acquire'),
  deviceId: fc.constant<unknown>(ANNA),
  nonce: fc.constant<unknown>('n'),
  ttlMs: fc.constant<unknown>(0),
};

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
