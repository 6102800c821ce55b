import { describe, expect, it } from 'vitest';
import type { Digest, RunId } from '../../src/shared/contract/identifiers.ts';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import { ModelServer } from '../harness/model-server.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { ShiftedClock } from './device-bench.ts';
import type { Device } from './device-bench.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { agentText } from './strategies.ts';
import { ToolServer } from './tool-server.ts';

const TTL_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;
const DAY_KEY = '{ kind: idempotent-by-key, dedupeWindowMs: 86400000 }';

/** A person's *send again* about the newest effect that is unclear. */
async function sendAgain(device: Device): Promise<void> {
  const [unclear] = device.rows<{ attempt_token: string; input_digest: Digest; epoch: number }>(
    `SELECT * FROM attempts WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL`,
  );
  if (unclear === undefined) throw new Error('Nothing is unclear.');
  const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
  const answer = { attemptToken, inputDigest, epoch, choice: 'send-again', by: 'Test', reason: '' } as const;
  expect(await device.control.resolveRecovery(answer)).toMatchObject({ ok: true });
}

/** The device is gone and starts again much later: every lease and every memory of a connection has run out. */
async function startedAgain(setting: Setting, device: Device, of: { folder: string }): Promise<Device> {
  await device.vanish();
  const clock = new ShiftedClock();
  setting.pass(HOUR_MS, clock);
  const again = setting.device({ ...of, clock });
  again.at('after-acquire', () => clock.pass(HOLD_OFF_MS));
  again.start();
  return again;
}

describe('a call of a tool server', { concurrent: true }, () => {
  // agentrust-io/cmcp#571: the client's retry has a new call id, and is not recognised as the same call.
  it.each([
    { kind: 'blind', effect: '{ kind: blind }', calls: 1 },
    { kind: 'idempotent-by-key', effect: DAY_KEY, calls: 2 },
  ])('is another effect because its request has another id: $kind', ({ kind, effect, calls }) =>
    Setting.with(async (setting) => {
      const server = await ToolServer.start();
      try {
        const folder = temporaryFolder();
        const states = {
          pay: `{ type: tool, call: { tool: mcp.call, server: bank, name: pay }, onSuccess: finish }`,
        };
        const more = `, servers: { bank: { url: '${server.url}', effects: { pay: ${effect} } } }`;
        const text = agentText({ agentId: 'payer', origin: `http://${server.host}`, states, more, ttlMs: TTL_MS });
        const device = setting.device({ folder });
        const agentId = await device.agent(text);
        server.answers = false;
        // The effect has happened, and the process is gone before it can do anything about it.
        const gone = new Promise<void>((resolve) => device.at('after-effect', resolve));
        device.start();
        const runId = await device.run(agentId);
        await gone;
        server.answers = true;
        const again = await startedAgain(setting, device, { folder });
        if (kind === 'blind') await until('a person is asked', () => again.phase(runId) === 'needs-recovery');
        else expect(await again.ended(runId)).toBe('done');
        expect(await again.run(agentId), 'the same press').toBe(runId);
        await quietly(QUIET_MS);
        expect(server.calls).toHaveLength(calls);
        if (kind === 'blind') {
          await sendAgain(again);
          expect(await again.ended(runId)).toBe('done');
        }
        expect(server.calls).toHaveLength(2);
        expect(new Set(server.calls.map(({ transportId }) => transportId)).size, 'nothing was new').toBe(2);
        expect(new Set(server.calls.map(({ effectId }) => effectId)).size, 'another effect').toBe(1);
        expect(server.calls[0]?.effectId).not.toBe('');
      } finally {
        await server.close();
      }
    }),
  );
});

const PUBLISH =
  "{ name: publish, description: Publishes., parameters: { type: object }, call: { tool: http.request, method: POST, url: 'ORIGIN/publish', body: '{{ args.text }}' }, effect: { kind: blind } }";

/** An agent with one state in which a model may publish; whatever else, it is asked again where its endpoint fails. */
function writer(origin: string, mind: ModelServer): string {
  const retry = 'retry: { attempts: 4, firstDelayMs: 20 }';
  const states = {
    ask: `{ type: model, model: mind, prompt: Publish it., tools: [${PUBLISH.replace('ORIGIN', origin)}], ${retry}, onSuccess: finish }`,
  };
  const more = `, models: { mind: { provider: openai, baseUrl: '${mind.openaiBaseUrl}', model: thinker } }`;
  return agentText({ agentId: 'writer', origin, states, more, ttlMs: TTL_MS });
}

/** What a model says that wants to publish. */
function wish(id: string, text = 'It is stone.'): { calls: { id: string; name: string; arguments: string }[] } {
  return { calls: [{ id, name: 'publish', arguments: JSON.stringify({ text }) }] };
}

async function withMind(play: (setting: Setting, mind: ModelServer) => Promise<void>): Promise<void> {
  const mind = await ModelServer.start();
  try {
    await Setting.with((setting) => play(setting, mind));
  } finally {
    await mind.close();
  }
}

describe('what a model wants done', { concurrent: true }, () => {
  // crewAIInc/crewAI#5802, MervinPraison/PraisonAI#4621, langchain-ai/langgraph#8039: the task is tried again from its beginning.
  it('is done again because the model failed after it and was asked once more', () =>
    withMind(async (setting, mind) => {
      const { receiver, origin } = setting;
      const busy = { status: 503, error: { type: 'overloaded', message: 'Not now.' } };
      mind.script(wish('call_1'), busy, busy, { text: 'Published.' });
      const device = setting.device();
      const agentId = await device.agent(writer(origin, mind));
      device.start();
      const runId = await device.run(agentId);
      expect(await device.ended(runId)).toBe('done');
      expect(receiver.received.map(({ body }) => body)).toEqual(['It is stone.']);
      expect(mind.requests).toHaveLength(4);
      expect(mind.requests.slice(1).every(({ text }) => text.includes('call_1'))).toBe(true);
    }));

  // open-mercato/open-mercato#1417, agentrust-io/cmcp#571: it would ask for the same under a new id.
  it('and nobody knows whether it happened: the model is asked, and wants it again under a new id', () =>
    withMind(async (setting, mind) => {
      const { receiver, origin } = setting;
      const folder = temporaryFolder();
      receiver.behaviour = () => 'cut';
      mind.script(wish('call_1'));
      mind.otherwise = wish('call_new');
      const device = setting.device({ folder });
      const agentId = await device.agent(writer(origin, mind));
      device.start();
      const runId = await device.run(agentId);
      await until('a person is asked', () => device.phase(runId) === 'needs-recovery');
      const again = await startedAgain(setting, device, { folder });
      await quietly(QUIET_MS);
      expect(again.phase(runId)).toBe('needs-recovery');
      expect([mind.requests.length, receiver.hits('/publish')]).toEqual([1, 1]);
      // What a person lets out is the very same effect, and only then does the model hear of it.
      receiver.behaviour = () => 'answer';
      mind.otherwise = { text: 'Published.' };
      await sendAgain(again);
      expect(await again.ended(runId)).toBe('done');
      expect([mind.requests.length, receiver.hits('/publish')]).toEqual([2, 2]);
      expect(new Set(receiver.received.map(({ key }) => key)).size, 'another effect').toBe(1);
    }));

  // agent-of-empires/agent-of-empires#1727, deepnote/deepnote#445: effects went on for up to ten turns.
  it('goes on for some of its turns after a person stopped it', () =>
    withMind(async (setting, mind) => {
      const { receiver, origin } = setting;
      mind.script(...Array.from({ length: 10 }, (_, turn) => wish(`call_${turn}`, `turn ${turn}`)), { text: 'Done.' });
      const device = setting.device();
      const agentId = await device.agent(writer(origin, mind));
      let runId: RunId | null = null;
      const arrived = receiver.next(({ body }) => body === 'turn 1');
      let answerIt = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answerIt = resolve));
      receiver.answerAfter = ({ body }) => (body === 'turn 1' ? answered : Promise.resolve());
      device.start();
      runId = await device.run(agentId);
      await arrived;
      expect(await device.control.stopRun(runId, 'Anna')).toEqual({ ok: true, value: { wasInFlight: true } });
      await quietly(200);
      expect(device.ending(runId), 'called ended while something is on its way').toBeNull();
      answerIt();
      // mitre/mcp#40: and it is stopped, not failed.
      expect(await device.ended(runId)).toBe('stopped');
      await quietly(QUIET_MS);
      expect(receiver.received.map(({ body }) => body)).toEqual(['turn 0', 'turn 1']);
      expect(mind.requests).toHaveLength(2);
      const outcomes = device.rows<{ outcome: string }>('SELECT outcome FROM attempts ORDER BY rowid');
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('{"kind":"success"}'));
    }));
});
