import { createTools } from '../../src/main/tools/create-tools.ts';
import type { AttemptContext, PreparedCall, ToolRun, Tools } from '../../src/main/tools/tool.ts';
import { leavesATrace } from '../../src/shared/core/effect/effect-kind.ts';
import type { EffectKind } from '../../src/shared/core/effect/effect-kind.ts';
import type { Json } from '../../src/shared/lib/canonical-json.ts';
import { Random } from '../harness/random.ts';
import type { EventQueue, Owner } from '../sim/event-queue.ts';

/** One effect as the world saw it, whoever believes what. */
export interface CountedEffect {
  readonly effectId: string;
  readonly target: string;
  readonly kind: EffectKind;
  /** How often a call left for it, and how often it came about. */
  starts: number;
  happened: number;
}

/**
 * The world outside: it counts. What it answers depends on the seed, the target and how often that was asked for, and on
 * nothing else, so that two stories about the same plan meet the same world.
 */
export class CountingWorld {
  readonly effects = new Map<string, CountedEffect>();
  readonly #seed: number;
  readonly #queue: EventQueue;
  readonly #left: (effect: CountedEffect) => void;

  /** `left` is told of every call at the moment it leaves. */
  constructor(seed: number, queue: EventQueue, left: (effect: CountedEffect) => void) {
    this.#seed = seed;
    this.#queue = queue;
    this.#left = left;
  }

  /** The effects at each target, in the order in which they came. */
  byTarget(): ReadonlyMap<string, readonly CountedEffect[]> {
    return Map.groupBy(this.effects.values(), (effect) => effect.target);
  }

  /** The tools of one start of the host. Nothing that a dead host calls reaches anybody. */
  toolsOf(owner: Owner): Tools {
    const real = createTools({ protectedFolders: [] });
    return {
      prepare: (call, declaration, scope) => real.prepare(call, declaration, scope),
      perform: (prepared, context) => {
        if (!owner.isAlive) return new Promise(() => undefined);
        const effect = this.#effectOf(prepared, context.effectId);
        effect.starts += 1;
        this.#left(effect);
        return this.#answer(owner, { effect, prepared, context });
      },
      verify: (_, context) => {
        const isThere = (this.effects.get(context.effectId)?.happened ?? 0) > 0;
        const answer = isThere ? ('happened' as const) : ('did-not-happen' as const);
        return new Promise(
          (resolve) => void this.#queue.after(50, owner, () => resolve({ answer, summary: 'Looked.' })),
        );
      },
      describeTools: (server, scope) => real.describeTools(server, scope),
      close: () => real.close(),
    };
  }

  #effectOf(prepared: PreparedCall, effectId: string): CountedEffect {
    const known = this.effects.get(effectId);
    if (known !== undefined) return known;
    const { target, effectKind: kind } = prepared;
    const effect: CountedEffect = { effectId, target, kind, starts: 0, happened: 0 };
    this.effects.set(effectId, effect);
    return effect;
  }

  #happen(effect: CountedEffect): void {
    if (!leavesATrace(effect.kind)) return;
    if (effect.kind === 'idempotent-by-key' && effect.happened > 0) return;
    effect.happened += 1;
  }

  #answer(
    owner: Owner,
    of: { effect: CountedEffect; prepared: PreparedCall; context: AttemptContext },
  ): Promise<ToolRun> {
    const { effect, prepared, context } = of;
    const round = (this.byTarget().get(effect.target) ?? []).indexOf(effect) + 1;
    const random = new Random(this.#seed, `${effect.target} ${round} ${effect.starts}`);
    const draw = random.next();
    const afterMs = random.between(1, 800);
    if (draw < 0.7) {
      this.#happen(effect);
      const output =
        prepared.call.tool === 'model.call' ? modelAnswer(prepared.call.messages.length, random) : { round };
      return this.#reply(owner, context, { afterMs, run: { outcome: { kind: 'success' }, output, summary: 'Done' } });
    }
    if (draw < 0.82) return this.#reply(owner, context, { afterMs, run: refused(random) });
    // From here on only the world knows.
    if (random.chance(0.6)) this.#happen(effect);
    return this.#reply(owner, context, { afterMs, run: draw < 0.9 ? null : unclear('timeout') });
  }

  #reply(owner: Owner, { signal }: AttemptContext, answer: { run: ToolRun | null; afterMs: number }): Promise<ToolRun> {
    return new Promise((resolve, reject) => {
      this.#queue.after(answer.afterMs, owner, () => {
        if (answer.run === null) reject(new Error('The tool broke.'));
        else resolve(answer.run);
      });
      signal.addEventListener('abort', () => void this.#queue.after(1, owner, () => resolve(unclear('aborted'))));
    });
  }
}

/** Asks for up to two calls. The id of a call says what it is for, so that its key does as well. */
function modelAnswer(messages: number, random: Random): Json {
  const wanted = random.shuffled([0, 1, 2]).slice(0, random.pick([0, 1, 2]));
  const calls = wanted.map((each) => {
    const what = `m${messages}w${each}`;
    return { id: `call-${what}`, name: 'act', arguments: JSON.stringify({ what }) };
  });
  const finish = calls.length === 0 ? 'end' : 'tool-calls';
  return { text: 'As you wish.', finish, calls, usage: { inputTokens: 10, outputTokens: 10 } };
}

/** An answer that says no: for good, or for now; and in the latter case perhaps before anything was sent. */
function refused(random: Random): ToolRun {
  const isPassing = random.chance(0.6);
  const wasSent = !isPassing || random.chance(0.5);
  const outcome = { kind: 'failure', class: isPassing ? 'transient' : 'permanent', code: 'refused', wasSent } as const;
  return { outcome, output: { status: 422 }, summary: 'Refused' };
}

function unclear(code: string): ToolRun {
  return { outcome: { kind: 'unclear', code }, output: {}, summary: 'No answer' };
}
