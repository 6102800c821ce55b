import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scaled } from '../harness/figures.ts';
import { Receiver } from '../harness/receiver.ts';
import { effectOf, writeGraph } from '../harness/strategies.ts';
import type { TestedKind } from '../harness/strategies.ts';
import { begin, GraphScenario } from './graph-scenario.ts';
import type { RecordLook, RunLook } from './graph-scenario.ts';

type Kind = Extract<TestedKind, 'blind' | 'keyed' | 'verifiable'>;
/** What the record says about one branch right after the host was killed. */
type Left = 'nothing' | 'in-flight' | 'settled';

interface Case {
  readonly shape: 'workset' | 'fork';
  /** How many branches are worked on at a time: one leaves nothing to chance. */
  readonly parallel: number;
  readonly kind: Kind;
  readonly point: (typeof CERTAIN)[number] | (typeof UNCLEAR)[number];
  readonly nth: number;
}

const KINDS = ['blind', 'keyed', 'verifiable'] as const;
const IS_NIGHT = scaled(0, 1) === 1;

/** What the n-th branch to pass a point leaves there, and whether its effect had happened. */
const LEFT: Readonly<Record<Case['point'], { left: Left; hits: number }>> = {
  'before-intent': { left: 'nothing', hits: 0 },
  'after-in-flight': { left: 'in-flight', hits: 0 },
  'before-effect': { left: 'in-flight', hits: 0 },
  'after-effect': { left: 'in-flight', hits: 1 },
  'after-settle': { left: 'settled', hits: 1 },
};

/** Where nothing is unclear, the kind of the effect cannot matter. */
const CERTAIN = ['before-intent', 'after-settle'] as const;
const UNCLEAR = ['after-in-flight', 'before-effect', 'after-effect'] as const;

const CASES: readonly Case[] = [
  ...CERTAIN.flatMap((point): Case[] => [
    { shape: 'workset', parallel: 1, kind: 'blind', point, nth: 1 },
    { shape: 'workset', parallel: 1, kind: 'keyed', point, nth: 2 },
    { shape: 'workset', parallel: 3, kind: 'verifiable', point, nth: 2 },
    { shape: 'fork', parallel: 2, kind: 'blind', point, nth: 2 },
  ]),
  ...UNCLEAR.flatMap((point) => [
    ...KINDS.flatMap((kind): Case[] => [{ shape: 'workset', parallel: 1, kind, point, nth: 1 }]),
    { shape: 'workset', parallel: 3, kind: 'blind', point, nth: 2 } as const,
    { shape: 'fork', parallel: 2, kind: 'keyed', point, nth: 2 } as const,
    ...(IS_NIGHT ? moreCases(point) : []),
  ]),
];

/** Every kind at every place takes minutes more; a commit sees each kind and each place. */
function moreCases(point: (typeof UNCLEAR)[number]): readonly Case[] {
  return [
    ...KINDS.flatMap((kind): Case[] => [
      { shape: 'workset', parallel: 1, kind, point, nth: 2 },
      { shape: 'workset', parallel: 3, kind, point, nth: 1 },
    ]),
    { shape: 'fork', parallel: 2, kind: 'blind', point, nth: 1 },
  ];
}

class BranchScenario extends GraphScenario {
  readonly names: readonly string[];
  readonly #receiver: Receiver;
  readonly #name: string;
  readonly #kind: Kind;

  constructor(
    receiver: Receiver,
    of: { name: string; shape: Case['shape']; parallel: number; kind: Kind; first?: true },
  ) {
    const { name, shape, parallel, kind, first } = of;
    const { origin } = receiver;
    const post = (path: string, more: { kind: Kind; to: string }): string => {
      const url = `${origin}/${more.kind}/${name}/${path}`;
      const effect = effectOf(more.kind, url);
      return `{ type: tool, call: { tool: http.request, method: POST, url: '${url}' }, effect: ${effect}, onSuccess: ${more.to} }`;
    };
    const split: Record<string, string> =
      shape === 'workset'
        ? {
            each: `{ type: workset, items: '["a", "b", "c"]', do: send, parallel: ${parallel}, onSuccess: report }`,
            send: post('{{ item }}', { kind, to: 'finish' }),
          }
        : {
            each: '{ type: fork, branches: { a: send-a, b: send-b }, join: together }',
            'send-a': post('a', { kind, to: 'together' }),
            'send-b': post('b', { kind, to: 'together' }),
            together: '{ type: join, onSuccess: report }',
          };
    const states = {
      first: post('first', { kind: 'keyed', to: 'each' }),
      ...split,
      report: post('report', { kind: 'keyed', to: 'finish' }),
    };
    super(name, writeGraph({ agentId: name, origin, start: first === true ? 'first' : 'each', states }));
    this.names = shape === 'workset' ? ['a', 'b', 'c'] : ['a', 'b'];
    this.#receiver = receiver;
    this.#name = name;
    this.#kind = kind;
  }

  hits(branch: string): number {
    return this.#receiver.hits(`/${this.#kind}/${this.#name}/${branch}`);
  }

  effects(branch: string): number {
    return this.#receiver.effects(`/${this.#kind}/${this.#name}/${branch}`);
  }

  reports(): number {
    return this.#receiver.hits(`/keyed/${this.#name}/report`);
  }
}

function branchOf(look: RecordLook, name: string): RunLook {
  const run = look.runs.find((each) => each.branch === name);
  if (run === undefined) throw new Error(`There is no branch ${name}: ${JSON.stringify(look.runs)}`);
  return run;
}

function leftOf(look: RecordLook, name: string): Left {
  const progress = branchOf(look, name).effects.flatMap((effect) => effect.progress);
  if (progress.length === 0) return 'nothing';
  return progress.at(-1) === 'settled' ? 'settled' : 'in-flight';
}

/** What must have become of a branch; nobody has answered anything yet. */
function expectedOf(
  kind: Kind,
  left: Left,
  repeats: boolean,
): Pick<RunLook, 'ending' | 'recovery'> & { progress: string[] } {
  if (left !== 'in-flight') return { ending: 'done', recovery: [], progress: ['settled'] };
  if (kind === 'blind') return { ending: null, recovery: ['in-doubt'], progress: ['in-flight'] };
  if (kind === 'keyed')
    return { ending: 'done', recovery: ['in-doubt', 'repeated'], progress: ['in-flight', 'settled'] };
  return repeats
    ? { ending: 'done', recovery: ['in-doubt', 'probed', 'repeated'], progress: ['in-flight', 'settled'] }
    : { ending: 'done', recovery: ['in-doubt', 'probed'], progress: ['settled'] };
}

function seenOf(run: RunLook): ReturnType<typeof expectedOf> {
  return { ending: run.ending, recovery: run.recovery, progress: run.effects.flatMap((effect) => effect.progress) };
}

describe('branches: SIGKILL at a point, then two more starts', { concurrent: true, timeout: 300_000 }, () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  /** Two more lives after a death, a person in the last one; every branch is counted from outside. */
  async function liveOn(
    scenario: BranchScenario,
    of: { kind: Kind; left: ReadonlyMap<string, Left>; hitsBefore: (name: string) => number | null },
  ): Promise<RecordLook> {
    const { kind, left, hitsBefore } = of;
    const asking = kind === 'blind' ? scenario.names.filter((name) => left.get(name) === 'in-flight') : [];
    const first = await scenario.survive(asking);
    for (const name of scenario.names) {
      const run = branchOf(first, name);
      const before = hitsBefore(name);
      const repeats = before === null ? run.recovery.includes('repeated') : before === 0;
      expect(seenOf(run), name).toEqual(expectedOf(kind, left.get(name) ?? 'nothing', repeats));
      const isInDoubt = left.get(name) === 'in-flight';
      if (before !== null && isInDoubt)
        expect(scenario.hits(name), name).toBe(kind === 'blind' ? before : kind === 'keyed' ? before + 1 : 1);
      expect(scenario.effects(name), name).toBeLessThanOrEqual(1);
      if (!asking.includes(name)) expect(scenario.effects(name), name).toBe(1);
    }
    expect(scenario.reports()).toBe(asking.length === 0 ? 1 : 0);
    const host = await scenario.start();
    await scenario.rests(host, asking);
    expect(await scenario.look(host)).toEqual(first);
    await scenario.answer(host, (name) => (scenario.hits(name) === 0 ? 'send-again' : 'it-happened'));
    await scenario.rests(host, []);
    const end = await scenario.look(host);
    host.kill();
    return end;
  }

  function judgeEnd(scenario: BranchScenario, end: RecordLook, isFork: boolean): void {
    expect(end.runs.map((run) => run.ending)).toEqual(end.runs.map(() => 'done'));
    expect(scenario.names.map((name) => scenario.effects(name))).toEqual(scenario.names.map(() => 1));
    expect(scenario.reports()).toBe(1);
    expect(end.concluded).toEqual(['each#1']);
    expect(new Set(end.released).size).toBe(end.released.length);
    const behind = end.released.filter((place) => place === 'each#1' || place === 'together#1');
    expect(behind).toEqual(isFork ? ['each#1', 'together#1'] : ['each#1']);
  }

  for (const [index, { shape, parallel, kind, point, nth }] of CASES.entries()) {
    test(`${shape}, ${parallel} at a time, ${kind}, ${point} of number ${nth}: an item is done twice, or holds the others up`, async () => {
      const { scenario, death } = await begin(
        (beginning) => new BranchScenario(receiver, { name: `branch-${index}-${beginning}`, shape, parallel, kind }),
        (each) => each.crashAt(point, nth),
      );
      const left = new Map(scenario.names.map((name) => [name, leftOf(death, name)]));
      const { left: expected, hits } = LEFT[point];
      const isCertain = parallel === 1;
      if (isCertain) {
        const inOrder = scenario.names.map((_, at) =>
          at + 1 < nth ? 'settled' : at + 1 === nth ? expected : 'nothing',
        );
        expect([...left.values()]).toEqual(inOrder);
      } else {
        expect([...left.values()]).toContain(expected);
      }
      const end = await liveOn(scenario, { kind, left, hitsBefore: () => (isCertain ? hits : null) });
      judgeEnd(scenario, end, shape === 'fork');
    });
  }

  const BIRTHS = [
    { when: 'the run was just started and no branch begun', point: 'after-trigger', nth: 1, first: false, begun: 0 },
    {
      when: 'the step before the branches was done and not recorded',
      point: 'after-effect',
      nth: 1,
      first: true,
      begun: 0,
    },
    { when: 'the branches were just begun by the step before', point: 'after-settle', nth: 1, first: true, begun: 3 },
    { when: 'the last item was settled and nothing gathered', point: 'after-settle', nth: 3, first: false, begun: 3 },
  ] as const;
  for (const [index, { when, point, nth, first, begun }] of BIRTHS.entries()) {
    test(`killed when ${when}: branches are begun twice, or nobody gathers them`, async () => {
      const { scenario, death } = await begin(
        (beginning) => {
          const of = { name: `birth-${index}-${beginning}`, shape: 'workset', parallel: 1, kind: 'blind' } as const;
          return new BranchScenario(receiver, first ? { ...of, first } : of);
        },
        (each) => each.crashAt(point, nth),
      );
      expect(death.runs.filter((run) => run.branch !== '')).toHaveLength(begun);
      expect(death.concluded).toEqual([]);
      const left = new Map(begun === 0 ? [] : scenario.names.map((name) => [name, leftOf(death, name)]));
      const end = await liveOn(scenario, { kind: 'blind', left, hitsBefore: () => null });
      judgeEnd(scenario, end, false);
      expect(end.runs).toHaveLength(4);
    });
  }
});
