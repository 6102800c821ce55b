import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import type { ScriptedAnswer } from '../harness/model-dialects.ts';
import { ModelServer } from '../harness/model-server.ts';
import type { ModelRequest } from '../harness/model-server.ts';
import { Receiver } from '../harness/receiver.ts';
import { effectOf, writeGraph } from '../harness/strategies.ts';
import { begin, GraphScenario } from './graph-scenario.ts';
import type { RecordLook } from './graph-scenario.ts';

type Kind = 'blind' | 'keyed';

/** A model that asks for one call, then ends; each time it is asked anew it asks for another call. */
class ModelScenario extends GraphScenario {
  readonly server: ModelServer;
  /** Questions without and with a result of a call in them. */
  questions = 0;
  told = 0;
  /** Results that the model was told while no record had them. */
  readonly madeUp: string[] = [];
  #hangs: 'question' | 'told' | null = null;
  readonly #receiver: Receiver;
  readonly #path: string;

  constructor(server: ModelServer, receiver: Receiver, of: { name: string; kind: Kind }) {
    const path = `/${of.kind}/${of.name}`;
    const url = `${receiver.origin}${path}/{{ args.what }}`;
    const call = `{ tool: http.request, method: POST, url: '${url}' }`;
    const tool = `{ name: act, description: Acts, parameters: { type: object }, call: ${call}, effect: ${effectOf(of.kind, url)} }`;
    const states = {
      think: `{ type: model, model: muse, prompt: Go on., maxTurns: 4, tools: [${tool}], onSuccess: finish }`,
    };
    const scope = `models: { muse: { provider: openai, baseUrl: '${server.openaiBaseUrl}', model: muse } }`;
    super(of.name, writeGraph({ agentId: of.name, origin: receiver.origin, start: 'think', states, scope }));
    this.server = server;
    this.#receiver = receiver;
    this.#path = path;
    server.otherwise = (request) => this.#answer(request);
  }

  /** The next request of this sort is not answered. */
  hangOn(sort: 'question' | 'told'): void {
    this.#hangs = sort;
  }

  #answer(request: ModelRequest): ScriptedAnswer {
    const messages = request.body['messages'] as readonly { role: string; tool_call_id?: string }[];
    const results = messages.filter((message) => message.role === 'tool');
    const sort = results.length === 0 ? 'question' : 'told';
    const hangs = this.#hangs === sort;
    if (hangs) this.#hangs = null;
    for (const { tool_call_id: callId = '' } of results) if (!this.#isRecorded(callId)) this.madeUp.push(callId);
    if (sort === 'told') this.told += 1;
    else this.questions += 1;
    if (hangs) return { fault: 'hang' };
    if (sort === 'told') return { text: 'Done.' };
    const { questions } = this;
    return { calls: [{ id: `call-${questions}`, name: 'act', arguments: JSON.stringify({ what: `w${questions}` }) }] };
  }

  /** Read beside the living host, at the moment in which the model is told. */
  #isRecorded(callId: string): boolean {
    const db = new BetterSqlite(join(this.profileFolder, 'fencepost.sqlite'), { readonly: true });
    try {
      const sql = `SELECT 1 FROM ops WHERE kind = 'settle.recorded' AND json_extract(payload, '$.effect.effectKey') = ?`;
      return db.prepare(sql).get(`think#1/1.${callId}`) !== undefined;
    } finally {
      db.close();
    }
  }

  /** How often each call arrived, by what the model wanted. */
  hits(): readonly [number, number] {
    return [this.#receiver.hits(`${this.#path}/w1`), this.#receiver.hits(`${this.#path}/w2`)];
  }

  effects(): number {
    return this.#receiver.effects(`${this.#path}/w1`) + this.#receiver.effects(`${this.#path}/w2`);
  }
}

interface Case {
  readonly when: string;
  readonly kind: Kind;
  /** Where the host kills itself, or which request it is killed in the middle of. */
  readonly at: { point: CrashPoint; nth: number } | 'question' | 'told';
  readonly questions: number;
  readonly told: number;
  readonly hits: readonly [number, number];
  readonly recovery: readonly string[];
  readonly asks?: true;
}

const at = (point: CrashPoint, nth: number): { point: CrashPoint; nth: number } => ({ point, nth });
const AGAIN = ['in-doubt', 'repeated'] as const;
const ONCE = { kind: 'blind', questions: 1, told: 1, hits: [1, 0], recovery: [] } as const;
const ASKS = { kind: 'blind', questions: 1, told: 0, recovery: ['in-doubt'], asks: true } as const;

const CASES: readonly Case[] = [
  { ...ONCE, when: 'before the first question was written down', at: at('before-intent', 1) },
  { ...ONCE, when: 'before the first question left', at: at('before-effect', 1), recovery: AGAIN },
  { ...ONCE, when: 'while the model thinks', at: 'question', questions: 2, hits: [0, 1], recovery: AGAIN },
  {
    ...ONCE,
    when: 'with an answer that is not recorded',
    at: at('after-effect', 1),
    questions: 2,
    hits: [0, 1],
    recovery: AGAIN,
  },
  { ...ONCE, when: 'with an answer that is recorded', at: at('after-settle', 1) },
  { ...ONCE, when: 'before the call was written down', at: at('before-intent', 2) },
  { ...ASKS, when: 'before the call left', at: at('before-effect', 2), hits: [0, 0] },
  { ...ASKS, when: 'right after the call was written down', at: at('after-in-flight', 2), hits: [0, 0] },
  { ...ASKS, when: 'after the call left', at: at('after-effect', 2), hits: [1, 0] },
  { ...ONCE, when: 'before the call left', kind: 'keyed', at: at('before-effect', 2), recovery: AGAIN },
  { ...ONCE, when: 'after the call left', kind: 'keyed', at: at('after-effect', 2), hits: [2, 0], recovery: AGAIN },
  { ...ONCE, when: 'with a call that is recorded', at: at('after-settle', 2) },
  { ...ONCE, when: 'before the model is told', at: at('before-effect', 3), recovery: AGAIN },
  { ...ONCE, when: 'while the model is told', at: 'told', told: 2, recovery: AGAIN },
  { ...ONCE, when: 'with a last answer that is not recorded', at: at('after-effect', 3), told: 2, recovery: AGAIN },
  { ...ONCE, when: 'with a last answer that is recorded', at: at('after-settle', 3) },
];

describe('a model step: SIGKILL at a point, then two more starts', { concurrent: true, timeout: 300_000 }, () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  async function killAt(scenario: ModelScenario, place: Case['at']): Promise<RecordLook> {
    if (typeof place !== 'string') return scenario.crashAt(place.point, place.nth);
    scenario.hangOn(place);
    return scenario.crashOnce(() => scenario.server.received(place === 'question' ? 1 : 2));
  }

  function judge(scenario: ModelScenario, look: RecordLook, expected: Case): void {
    const [run] = look.runs;
    expect(run?.recovery).toEqual(expected.recovery);
    expect({ questions: scenario.questions, told: scenario.told, hits: scenario.hits() }).toEqual({
      questions: expected.questions,
      told: expected.told,
      hits: expected.hits,
    });
    // Whatever was asked or sent again went by the same key as before.
    expect(run?.effects.map((effect) => effect.sentAs.length)).toEqual(run?.effects.map(() => 1));
    const recorded = expected.hits[0] === 0 && expected.questions === 2 ? 'call-2' : 'call-1';
    const keys = ['think#1/1', `think#1/1.${recorded}`, ...(expected.asks === true ? [] : ['think#1/2'])];
    expect(run?.effects.map((effect) => effect.key)).toEqual(keys);
    expect(scenario.madeUp).toEqual([]);
  }

  for (const [index, each] of CASES.entries()) {
    test(`${each.kind}, killed ${each.when}: it is asked for what it said, acts twice, or hears what nobody recorded`, async () => {
      const { scenario } = await begin(
        async (beginning) => {
          const name = `model-${index}-${beginning}`;
          return new ModelScenario(await ModelServer.start(), receiver, { name, kind: each.kind });
        },
        (begun) => killAt(begun, each.at),
      );
      const asking = each.asks === true ? [''] : [];
      const first = await scenario.survive(asking);
      judge(scenario, first, each);
      const host = await scenario.start();
      await scenario.rests(host, asking);
      expect(await scenario.look(host)).toEqual(first);
      await scenario.answer(host, () => (scenario.effects() === 0 ? 'send-again' : 'it-happened'));
      await scenario.rests(host, []);
      const end = await scenario.look(host);
      expect(end.runs.map((run) => run.ending)).toEqual(['done']);
      expect([scenario.effects(), end.concluded, end.released]).toEqual([1, ['think#1'], ['think#1']]);
      expect([scenario.questions, scenario.told]).toEqual([each.questions, Math.max(1, each.told)]);
      expect(scenario.madeUp).toEqual([]);
      host.kill();
      await scenario.server.close();
    });
  }
});
