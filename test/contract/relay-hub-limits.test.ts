import { once } from 'node:events';
import { request as startRequest } from 'node:https';
import type { ClientRequest } from 'node:http';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { HUB_LIMITS, RELAY_LARGE_AT_ONCE } from '../../src/main/hub/hub-limits.ts';
import type { HubLimits } from '../../src/main/hub/hub-limits.ts';
import { HUB_PATHS } from '../../src/main/hub/hub-wire.ts';
import { RELAY_PATHS } from '../../src/main/hub/relay/relay-wire.ts';
import { BOX_LIMIT_CHARACTERS } from '../../src/shared/core/sync/sealed.ts';
import { startTestHub } from './hub-benches.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';
import { openSession, proof, sendProved } from './hub-stranger.ts';
import type { RawSession } from './hub-stranger.ts';
import { openRelayOf } from './relay-hub-bench.ts';
import { ANNA, BEN, must, pullAll, sampleOperation, sampleOperations, stateOf } from './relay-samples.ts';

const PATHS = Object.values(RELAY_PATHS);
const PUSH = JSON.stringify({ operations: sampleOperations(ANNA, [1, 2]) });

let running: RunningHub;
let anna: DeviceKeys;
let ben: DeviceKeys;

async function begin(limits: Partial<HubLimits> = {}): Promise<void> {
  running = await startTestHub(limits);
  [anna, ben] = [await running.letIn(ANNA), await running.letIn(BEN)];
}

/** Whatever was tried: the hub lives and holds exactly so much of each journal. */
async function expectHeads(heads: Readonly<Record<string, number>>): Promise<void> {
  const relay = openRelayOf(running, ben);
  expect((await stateOf(relay)).heads).toEqual(heads);
  await relay.close();
}

afterEach(() => running.close());

/** A request that a test ends when it wants to. */
function openRequest(
  session: RawSession,
  of: { readonly path: string; readonly body: string; readonly sequence: number },
): { readonly request: ClientRequest; readonly reply: Promise<number | null> } {
  const { port } = running.hub();
  const headers = { host: `127.0.0.1:${port}`, 'content-length': String(Buffer.byteLength(of.body)) };
  const request = startRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: of.path,
    headers: { ...headers, ...proof(session, of) },
    rejectUnauthorized: false,
    agent: false,
  });
  const reply = new Promise<number | null>((resolve) => {
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  request.flushHeaders();
  return { request, reply };
}

describe('what is too much', () => {
  it('is refused by length, on each path by its own', async () => {
    await begin();
    const session = await openSession(running, anna);
    const tries = [
      [RELAY_PATHS.pull, 200_000],
      [RELAY_PATHS.push, 2 * BOX_LIMIT_CHARACTERS],
      [RELAY_PATHS.addPart, BOX_LIMIT_CHARACTERS + 2_000_000],
      // The room for journals is no room for questions to the register.
      [HUB_PATHS.ask, HUB_LIMITS.bodyBytes + 1],
    ] as const;
    for (const [index, [path, characters]] of tries.entries()) {
      const body = 'x'.repeat(characters);
      const reply = await sendProved(running, session, { path, body, sequence: index + 1 });
      expect(reply === null || reply.status === 413, path).toBe(true);
    }
    await expectHeads({});
  });

  it('is refused where one device hands over many large pieces at once, and nobody else is', async () => {
    await begin();
    const session = await openSession(running, anna);
    const open = (sequence: number) => openRequest(session, { path: RELAY_PATHS.push, body: PUSH, sequence });
    const held = Array.from({ length: RELAY_LARGE_AT_ONCE }, (_, index) => open(index + 1));
    let sequence = 100;
    // Those before are there as soon as one more is refused.
    await expect
      .poll(async () => {
        const one = open((sequence += 1));
        one.request.end(PUSH);
        return await one.reply;
      })
      .toBe(429);
    const bens = openRelayOf(running, ben);
    must(await bens.push(sampleOperations(BEN, [1, 1])));
    await bens.close();
    for (const { request } of held) request.end(PUSH);
    expect(await Promise.all(held.map(({ reply }) => reply))).toEqual(held.map(() => 200));
    await expectHeads({ anna: 2, ben: 1 });
  });

  it('may take its time as part of a journal, but not as a question to the register', async () => {
    await begin({ headersMs: 300, requestMs: 300, checkEveryMs: 50 });
    const session = await openSession(running, anna);
    const journal = openRequest(session, { path: RELAY_PATHS.push, body: PUSH, sequence: 1 });
    journal.request.write(PUSH.slice(0, 10));
    const question = openRequest(session, { path: HUB_PATHS.current, body: '["agent"]', sequence: 2 });
    const cut = once(question.request, 'close');
    question.request.write('[');
    expect(await question.reply).toBe(413);
    await cut;
    journal.request.end(PUSH.slice(10));
    expect(await journal.reply).toBe(200);
    await expectHeads({ anna: 2 });
  });
});

describe('what is malformed', () => {
  it('is never an error of the hub, and is kept by nobody', async () => {
    await begin();
    const session = await openSession(running, anna);
    const number = fc.oneof(fc.constantFrom(0, -1, 1.5, 1e300, 2 ** 53, '1', null), fc.double());
    const right = sampleOperation(ANNA, 1);
    const spoilt = fc.oneof(
      fc.record({ ...fcConstants(right), seq: number }),
      fc.record({ ...fcConstants(right), wallMs: fc.constantFrom(-1, 0.5, '1', null) }),
      fc.record({ ...fcConstants(right), counter: fc.constantFrom(-1, 0.5, '1', null) }),
      fc.record({ ...fcConstants(right), box: fc.constantFrom('', 'a b', 'ä', '=', 1, null) }),
      fc.record({ ...fcConstants(right), deviceId: fc.constantFrom('', ' anna', 'a\u0000', 7, '__proto__') }),
      fc.record({ ...fcConstants(right), more: fc.jsonValue() }),
    );
    const frontier = fc.dictionary(fc.string(), fc.oneof(number, fc.jsonValue()), { minKeys: 1 });
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ operations: fc.oneof(fc.jsonValue(), fc.array(spoilt, { minLength: 1, maxLength: 3 })) }).map(toJson),
      fc.record({ have: frontier }).map(toJson),
      fc.record({ header: fc.jsonValue() }).map(toJson),
      fc.record({ uploadId: fc.jsonValue(), index: number, part: fc.jsonValue() }).map(toJson),
    );
    let sequence = 0;
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), body, async (path, text) => {
        sequence += 1;
        const reply = await sendProved(running, session, { path, body: text, sequence });
        expect([200, 400], `${path} ${text}`).toContain(reply?.status);
        seen.add(reply?.status ?? 0);
      }),
      { numRuns: 400, seed: 20_261_130, examples: [[RELAY_PATHS.contact, '{}']] },
    );
    expect(seen).toEqual(new Set([200, 400]));
    await expectHeads({});
    expect((await pullAll(openRelayOf(running, ben))).operations).toEqual([]);
  });
});

function fcConstants(of: object): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, fc.constant(value)]));
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
