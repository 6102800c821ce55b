import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import { effectKeySchema } from '../../contract/identifiers.ts';
import type { ModelEndpoint } from '../../contract/scope.ts';
import type { ModelState } from '../../contract/strategy.ts';
import { strategySchema } from '../../contract/strategy.ts';
import { isTurnKey, isUndoKey, partKeyOf, partOfKey } from './effect-key.ts';
import { nextModelAct } from './model-loop.ts';
import type { ModelAct, ModelAnswer, ModelTurn } from './model-loop.ts';

function modelState(limits: object): ModelState {
  const call = { tool: 'http.request', method: 'POST', url: 'https://api.example.com/{{ args.id }}' };
  const tools = [
    { server: 'files', names: ['read.file', 'list'] },
    { name: 'post', description: 'Posts.', parameters: { type: 'object' }, call },
  ];
  const state = { type: 'model', model: 'small', prompt: 'unused', tools, onSuccess: 'end', ...limits };
  const strategy = strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 's', states: { s: state } });
  const found = strategy.states['s' as StateId];
  if (found?.type !== 'model') throw new Error('The example is no model.');
  return found;
}

const END: ModelAnswer = { text: 'Done.', finish: 'end', calls: [], usage: { inputTokens: 1, outputTokens: 1 } };
const ENDPOINT: ModelEndpoint = {
  provider: 'openai',
  model: 'm',
  inputPricePerMillion: 1_000_000,
  outputPricePerMillion: 2_000_000,
};
const next = (turns: readonly ModelTurn[], state: ModelState): ModelAct =>
  nextModelAct(state, { prompt: 'Do it.', turns, endpoint: ENDPOINT });

describe('any model, however it misbehaves', () => {
  const ids = fc.oneof(
    fc.constantFrom('a', 'b', 'c', '', '__proto__', 'constructor', 'a!undo1', 'a/2', '1', 'functions.list:0'),
    fc.string({ maxLength: 70 }),
  );
  const calls = fc.record({
    id: ids,
    name: fc.constantFrom('post', 'files_list', 'files_read_file', 'shell', 'toString', ''),
    arguments: fc.oneof(fc.constantFrom('', '{}', '{"__proto__":1}', '[]', '{', 'null'), fc.json({ maxDepth: 2 })),
  });
  const answers = fc.record({
    text: fc.string({ maxLength: 5 }),
    finish: fc.constantFrom('end', 'tool-calls', 'length', 'refused', 'other'),
    calls: fc.array(calls, { maxLength: 4 }),
    usage: fc.record({ inputTokens: fc.nat(100), outputTokens: fc.nat(100) }),
  });
  const limits = fc.record({
    maxTurns: fc.integer({ min: 1, max: 6 }),
    tokenBudget: fc.integer({ min: 1, max: 1_000 }),
    costBudget: fc.double({ min: 0, max: 1_000, noNaN: true }),
  });

  /** Lets a state run over recorded answers until it is over; every call is made at once and its result kept. */
  function walk(state: ModelState, given: readonly ModelAnswer[]): { acts: ModelAct[]; turns: ModelTurn[] } {
    const acts: ModelAct[] = [];
    const turns: ModelTurn[] = [];
    for (let count = 0; count < 100; count += 1) {
      const act = next(turns, state);
      expect(next(JSON.parse(JSON.stringify(turns)) as ModelTurn[], state)).toEqual(act);
      acts.push(act);
      if (act.kind === 'over') return { acts, turns };
      if (act.kind === 'ask') turns.push({ answer: given[turns.length] ?? END, results: {} });
      const last = turns.at(-1);
      if (act.kind === 'call' && last !== undefined)
        turns.splice(-1, 1, {
          ...last,
          results: { ...last.results, [act.callId]: { text: `made ${act.callId}`, isError: false } },
        });
    }
    throw new Error('It never ends.');
  }
  const worlds = fc.tuple(limits, fc.array(answers, { maxLength: 8 })).map(([limit, given]) => {
    const state = modelState(limit);
    return { state, given, ...walk(state, given) };
  });

  it('does something else on resume, never ends, or repeats a call', () => {
    fc.assert(
      fc.property(worlds, ({ acts }) => {
        const made = acts.flatMap((act) => (act.kind === 'call' ? [`${act.turn} ${act.callId}`] : []));
        expect(new Set(made).size).toBe(made.length);
        const asked = acts.flatMap((act) => (act.kind === 'ask' ? [act.turn] : []));
        expect(asked).toEqual(asked.map((_, index) => index + 1));
        expect(acts.at(-1)?.kind).toBe('over');
      }),
    );
  });

  it('is asked, or has a call made, beyond its limits', () => {
    fc.assert(
      fc.property(worlds, ({ state, acts, turns }) => {
        expect(turns.length).toBeLessThanOrEqual(state.maxTurns);
        for (const act of acts) {
          const before = act.kind === 'over' ? [] : turns.slice(0, act.kind === 'ask' ? act.turn - 1 : act.turn);
          const sum = (of: (each: ModelAnswer) => number): number =>
            before.reduce((total, each) => total + of(each.answer), 0);
          const [used, told] = [sum((each) => each.usage.inputTokens), sum((each) => each.usage.outputTokens)];
          if (before.length === 0) continue;
          expect(used + told).toBeLessThan(state.tokenBudget);
          expect(used + 2 * told).toBeLessThan(state.costBudget ?? 0);
        }
      }),
    );
  });

  it('waits for a call for ever, or hears of a call that nobody made', () => {
    fc.assert(
      fc.property(worlds, ({ acts, turns }) => {
        const made = new Set(acts.flatMap((act) => (act.kind === 'call' ? [`${act.turn} ${act.callId}`] : [])));
        for (const act of acts) {
          if (act.kind !== 'ask') continue;
          const told = act.messages.slice(1);
          const spoken = turns
            .slice(0, act.turn - 1)
            .flatMap(({ answer: each }, index) => [
              { role: 'assistant', text: each.text, calls: each.calls },
              ...each.calls.map((asked, place) => ({ asked, place, turn: index + 1, calls: each.calls })),
            ]);
          expect(told).toHaveLength(spoken.length);
          for (const [index, said] of spoken.entries()) {
            const message = told[index];
            if (!('asked' in said)) {
              expect(message).toEqual(said);
              continue;
            }
            const { id } = said.asked;
            const isFirst = said.calls.findIndex((each) => each.id === id) === said.place;
            const wasMade = isFirst && made.has(`${said.turn} ${id}`);
            expect(message).toMatchObject({ role: 'tool', id, isError: !wasMade });
            const text = message?.role === 'tool' ? message.text : '';
            if (wasMade) expect(text).toBe(`made ${id}`);
            else expect(text).toContain('Nothing was done');
          }
        }
      }),
    );
  });

  it('has a call made under a key that is no identifier, or that reads as something else', () => {
    const place = 's'.repeat(64) as StateId;
    fc.assert(
      fc.property(worlds, ({ acts }) => {
        const keys = acts.flatMap((act) => (act.kind === 'call' ? [act] : []));
        for (const { turn: number, callId } of keys) {
          const key = partKeyOf(place, 999_999, { turn: number, callId });
          expect(effectKeySchema.safeParse(key).success).toBe(true);
          expect(isUndoKey(key) || isTurnKey(key)).toBe(false);
          expect(partOfKey(key)).toEqual({ turn: number, callId });
        }
      }),
    );
  });
});
