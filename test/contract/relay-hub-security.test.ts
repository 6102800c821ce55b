import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newHubSecret } from '../../src/main/hub/proofs.ts';
import { RELAY_PATHS } from '../../src/main/hub/relay/relay-wire.ts';
import { startTestHub } from './hub-benches.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';
import { openSession, proof, send, sendProved } from './hub-stranger.ts';
import type { RawSession, Reply } from './hub-stranger.ts';
import { openRelayOf } from './relay-hub-bench.ts';
import { ANNA, BEN, codeOf, must, sampleCheckpoint, sampleOperation, stateOf } from './relay-samples.ts';
import { sampleOperations } from './relay-samples.ts';

const PATHS = Object.values(RELAY_PATHS);
const PUSH = JSON.stringify({ operations: sampleOperations(ANNA, [1, 2]) });

let running: RunningHub;
let anna: DeviceKeys;
let ben: DeviceKeys;

beforeEach(async () => {
  running = await startTestHub();
  [anna, ben] = [await running.letIn(ANNA), await running.letIn(BEN)];
});

/** Whatever was tried: the hub lives and holds exactly so much of each journal. */
async function expectHeads(heads: Readonly<Record<string, number>>): Promise<void> {
  const relay = openRelayOf(running, ben);
  expect((await stateOf(relay)).heads).toEqual(heads);
  await relay.close();
}

afterEach(() => running.close());

describe('whoever is not paired', () => {
  it('gets and leaves nothing without a session, with an invented one, or with the proof of another request', async () => {
    const session = await openSession(running, anna);
    const invented = { sessionId: newHubSecret(), sessionKey: newHubSecret() };
    for (const path of PATHS) {
      const body = path === RELAY_PATHS.push ? PUSH : '{}';
      expect(await send(running, { path, body }), path).toMatchObject({ status: 401 });
      expect(await sendProved(running, invented, { path, body, sequence: 1 })).toMatchObject({ status: 401 });
      const headers = proof(session, { path, sequence: 1, body: `${body} ` });
      expect(await send(running, { path, body, headers })).toMatchObject({ status: 401 });
      expect(await send(running, { method: 'GET', path })).toMatchObject({ status: 404 });
    }
    await expectHeads({});
  });

  it('does nothing by sending a request of somebody else again', async () => {
    const session = await openSession(running, anna);
    const headers = proof(session, { path: RELAY_PATHS.letGo, sequence: 1, body: '{"deviceId":"ben"}' });
    const request = { path: RELAY_PATHS.letGo, body: '{"deviceId":"ben"}', headers };
    await stateOf(openRelayOf(running, ben));
    expect(await send(running, request)).toMatchObject({ status: 200, body: { ok: true } });
    const back = openRelayOf(running, ben);
    await stateOf(back);
    expect(await send(running, request)).toMatchObject({ status: 409, body: { code: 'replayed' } });
    const { members } = await stateOf(openRelayOf(running, anna));
    expect(members.find(({ deviceId }) => deviceId === BEN)).toMatchObject({ isLetGo: false });
    await back.close();
  });
});

describe('a device that was removed', () => {
  it('gets nothing from that moment, and is told so', async () => {
    const session = await openSession(running, anna);
    const relay = openRelayOf(running, anna);
    must(await relay.push(sampleOperations(ANNA, [1, 2])));
    must(await running.hub().devices.revoke(ANNA));
    for (const [index, path] of PATHS.entries()) {
      const body = path === RELAY_PATHS.push ? PUSH : '{}';
      expect(await sendProved(running, session, { path, body, sequence: index + 1 })).toMatchObject({ status: 401 });
    }
    const answers = [await relay.contact(), await relay.push(sampleOperations(ANNA, [3, 3])), await relay.pull({})];
    expect(answers.map(codeOf)).toEqual(['device-removed', 'device-removed', 'device-removed']);
    await expectHeads({ anna: 2 });
    await relay.close();
  });

  it('learns nothing that was being looked up for it when it was removed', async () => {
    must(await openRelayOf(running, ben).push(sampleOperations(BEN, [1, 1])));
    const journals = running.journals();
    const pull = journals.pull.bind(journals);
    const looking = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    journals.pull = async (have) => {
      const pulled = await pull(have);
      looking.resolve();
      await removed.promise;
      return pulled;
    };
    const session = await openSession(running, anna);
    const pulling = sendProved(running, session, { path: RELAY_PATHS.pull, body: '{"have":{}}', sequence: 1 });
    await looking.promise;
    must(await running.hub().devices.revoke(ANNA));
    removed.resolve();
    expect(await pulling).toMatchObject({ status: 401, body: { code: 'device-removed' } });
  });

  it('makes nobody keep anything for it, and is one of the members again once it is let in again', async () => {
    const [annas, bens] = [openRelayOf(running, anna), openRelayOf(running, ben)];
    for (const relay of [annas, bens]) await stateOf(relay);
    must(await bens.push(sampleOperations(BEN, [1, 3])));
    must(await bens.acknowledge({ ben: 3 }));
    const { header, parts } = sampleCheckpoint(BEN, { ben: 3 });
    must(await bens.putCheckpoint(header, parts));
    expect(must(await bens.collect()).dropped).toBe(0);
    must(await running.hub().devices.revoke(ANNA));
    expect(must(await bens.collect()).dropped).toBe(3);
    const isLetGo = async () => (await stateOf(bens)).members.find(({ deviceId }) => deviceId === ANNA)?.isLetGo;
    expect(await isLetGo()).toBe(true);
    const again = openRelayOf(running, await running.letIn(ANNA));
    await stateOf(again);
    expect(await isLetGo()).toBe(false);
    for (const relay of [annas, bens, again]) await relay.close();
  });
});

describe('a device that speaks for another', () => {
  it('leaves nothing in the journal of the other, whatever else is in the request', async () => {
    const session = await openSession(running, ben);
    const operations = [sampleOperation(BEN, 1), sampleOperation(ANNA, 1)];
    const body = JSON.stringify({ operations });
    const pushed = await sendProved(running, session, { path: RELAY_PATHS.push, body, sequence: 1 });
    expect(pushed).toMatchObject({ status: 200, body: { ok: false, error: { code: 'relay-foreign' } } });
    await expectHeads({});
  });

  it('cannot put its own part into a checkpoint that another hands over, nor end it', async () => {
    const [annas, bens] = [await openSession(running, anna), await openSession(running, ben)];
    const { header, parts } = sampleCheckpoint(ANNA, { anna: 1 });
    const ask = async (session: RawSession, of: { path: string; said: object; sequence: number }): Promise<Reply> => {
      const { path, said, sequence } = of;
      const reply = await sendProved(running, session, { path, body: JSON.stringify(said), sequence });
      if (reply === null) throw new Error('The connection was cut.');
      return reply;
    };
    const begun = await ask(annas, { path: RELAY_PATHS.beginCheckpoint, said: { header }, sequence: 1 });
    const { uploadId } = begun.body['value'] as { uploadId: string };
    const refused = { body: { ok: false, error: { code: 'input-invalid' } } };
    for (const [index, part] of parts.entries()) {
      const [path, sequence] = [RELAY_PATHS.addPart, index + 2];
      await ask(annas, { path, said: { uploadId, index, part }, sequence });
      const foreign = await ask(bens, { path, said: { uploadId, index, part: 'forged' }, sequence });
      expect(foreign).toMatchObject(refused);
    }
    const end = { path: RELAY_PATHS.endCheckpoint, said: { uploadId }, sequence: 9 };
    expect(await ask(bens, end)).toMatchObject(refused);
    expect(await ask(annas, end)).toMatchObject({ body: { ok: true } });
    expect(must(await openRelayOf(running, ben).checkpointPart(header.checkpointId, 1))).toBe(parts[1]);
  });
});
