import * as fc from 'fast-check';
import { parseStrategy } from '../../src/main/strategy/load-strategy.ts';
import type { LoadedStrategy } from '../../src/main/strategy/load-strategy.ts';
import type { EffectKind } from '../../src/shared/core/effect/effect-kind.ts';
import { Random } from '../harness/random.ts';

const KINDS = ['blind', 'idempotent-by-key', 'verifiable', 'compensable', 'read-only'] as const satisfies EffectKind[];
const SHAPES = ['plain', 'workset', 'fork', 'model', 'loop'] as const;
/** Longer than any story: a repeat by key always finds its key known. */
const DEDUPE_WINDOW_MS = 86_400_000;

/** One agent of all drawn ones; what it is called is a part of every effect's key, and of no edit. */
export const AGENT_ID = 'drawn';

interface Step {
  readonly shape: (typeof SHAPES)[number];
  readonly kind: EffectKind;
  readonly items: readonly string[];
  /** Items are objects that an expression names; otherwise each is its own name. */
  readonly areObjects: boolean;
  readonly parallel: number;
  /** An item goes through two states instead of one. */
  readonly isDeep: boolean;
  readonly retries: boolean;
  readonly onFailure: boolean;
}

/** What an agent does, whatever order it is written down in. */
export type Plan = readonly Step[];

/** What a person changed in the file without changing what it does: every order, and every title. */
export interface Edit {
  readonly order: number;
  readonly titles: string;
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  shape: fc.constantFrom(...SHAPES),
  kind: fc.constantFrom(...KINDS),
  items: fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,6}$/u), { maxLength: 5 }),
  areObjects: fc.boolean(),
  parallel: fc.integer({ min: 1, max: 3 }),
  isDeep: fc.boolean(),
  retries: fc.boolean(),
  onFailure: fc.boolean(),
});

/** Plans of one to four steps. */
export const planArbitrary: fc.Arbitrary<Plan> = fc.array(stepArbitrary, { minLength: 1, maxLength: 4 });

/** Edits of every kind. */
export const editArbitrary: fc.Arbitrary<Edit> = fc.record({
  order: fc.integer({ min: 1, max: 1_000_000 }),
  titles: fc.constantFrom('Anew', 'Once more', 'Otherwise'),
});

type Json = { readonly [name: string]: unknown };

/** A plan as a file: as it was drawn, or edited. */
export function writePlan(plan: Plan, edit: Edit | null): LoadedStrategy {
  const random = new Random(edit?.order ?? 0, 'order');
  const ordered = <Thing>(things: readonly Thing[]): Thing[] => (edit === null ? [...things] : random.shuffled(things));
  const entries = plan.map((step, index) => entryOf(step, index));
  const states = plan.flatMap((step, index) =>
    Object.entries(statesOf(step, { name: `s${index}`, next: entries[index + 1] ?? 'finish', ordered })),
  );
  const titled = [...states, ['finish', { type: 'done' }] as const].map(([name, state]) =>
    edit === null || !('title' in state)
      ? ([name, state] as const)
      : ([name, { ...state, title: `${edit.titles} ${name}` }] as const),
  );
  const text = JSON.stringify({
    fencepost: 1,
    id: AGENT_ID,
    name: edit === null ? 'Drawn' : `Drawn ${edit.titles}`,
    input: { press: { title: 'Press' } },
    scope: {
      hosts: ['world.test'],
      models: { muse: { provider: 'openai', baseUrl: 'https://muse.test', model: 'muse' } },
    },
    leaseTtlMs: 3_000,
    start: entries[0],
    states: Object.fromEntries(ordered(titled)),
  });
  const parsed = parseStrategy('strategy.json', text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.error)}\n${text}`);
  return parsed.value;
}

function entryOf(step: Step, index: number): string {
  const name = `s${index}`;
  return step.shape === 'plain' || step.shape === 'loop' ? name : `${step.shape}-${name}`;
}

interface Place {
  readonly name: string;
  readonly next: string;
  readonly ordered: <Thing>(things: readonly Thing[]) => Thing[];
}

function statesOf(step: Step, place: Place): Record<string, Json> {
  const { name, next, ordered } = place;
  const onward = { onSuccess: next, onFailure: next };
  switch (step.shape) {
    case 'workset': {
      const items = ordered(step.items).map((id) => (step.areObjects ? { id, of: name } : id));
      const named = step.areObjects ? { id: 'item.id' } : {};
      const path = `${name}/{{ item${step.areObjects ? '.id' : ''} }}`;
      const { parallel, isDeep } = step;
      return {
        [`workset-${name}`]: { type: 'workset', items: JSON.stringify(items), ...named, do: name, parallel, ...onward },
        [name]: act(step, path, isDeep ? `${name}-more` : 'finish'),
        ...(isDeep ? { [`${name}-more`]: act(step, `${path}/more`, 'finish') } : {}),
      };
    }
    case 'fork': {
      const ways = ordered([
        ['left', name],
        ['right', `${name}-too`],
      ] as const);
      return {
        [`fork-${name}`]: { type: 'fork', branches: Object.fromEntries(ways), join: `join-${name}` },
        [name]: act(step, name, `join-${name}`),
        [`${name}-too`]: act(step, `${name}/too`, `join-${name}`),
        [`join-${name}`]: { type: 'join', need: step.isDeep ? 'all' : 'any', ...onward },
      };
    }
    case 'model': {
      const tool = { name: 'act', description: 'Acts', parameters: {}, ...callOf(step, `${name}/{{ args.what }}`) };
      return {
        [`model-${name}`]: {
          type: 'model',
          model: 'muse',
          prompt: `Go on at ${name}.`,
          maxTurns: 3,
          tools: [tool],
          ...onward,
        },
      };
    }
    case 'loop': {
      const when = (round: number): string =>
        `"round" in steps.${name}.output && steps.${name}.output.round == ${round}`;
      const branches = [1, 2].map((round) => ({ when: when(round), to: name }));
      return {
        [name]: act(step, name, `more-${name}`),
        [`more-${name}`]: { type: 'choice', branches, otherwise: next },
      };
    }
    default:
      return { [name]: act(step, name, next) };
  }
}

function act(step: Step, path: string, to: string): Json {
  const retry = step.retries ? { retry: { attempts: 3, firstDelayMs: 400, longestDelayMs: 5_000 } } : {};
  const failure = step.onFailure ? { onFailure: to } : {};
  return {
    type: 'tool',
    title: `Act at ${path}`.slice(0, 80),
    ...callOf(step, path),
    ...retry,
    onSuccess: to,
    ...failure,
  };
}

function callOf({ kind }: Step, path: string): Json {
  const url = `https://world.test/{{ input.press }}/${path}`;
  const tool = 'http.request';
  const effects: Record<EffectKind, Json> = {
    blind: { kind },
    'read-only': { kind },
    'idempotent-by-key': { kind, dedupeWindowMs: DEDUPE_WINDOW_MS },
    verifiable: { kind, probe: { tool, method: 'GET', url } },
    compensable: { kind, undo: { tool, method: 'DELETE', url } },
  };
  return { call: { tool, method: kind === 'read-only' ? 'GET' : 'POST', url }, effect: effects[kind] };
}
