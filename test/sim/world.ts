import { createTools } from '../../src/main/tools/create-tools.ts';
import type { PreparedCall, ProbeAnswer, AttemptContext, ToolRun, Tools } from '../../src/main/tools/tool.ts';
import { leavesATrace } from '../../src/shared/core/effect/effect-kind.ts';
import type { EffectKind } from '../../src/shared/core/effect/effect-kind.ts';
import type { Json } from '../../src/shared/lib/canonical-json.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { Random } from '../harness/random.ts';
import { DEDUPE_WINDOW_MS } from './strategies.ts';

/** What happened to one effect in the world, whoever believes what. */
export interface WorldEffect {
  readonly effectId: string;
  readonly kind: EffectKind;
  /** A question to a model. */
  readonly isQuestion: boolean;
  /** How often a call left for it; one that the tool itself stopped did not. */
  starts: number;
  /** How often it came about. A provider that recognises the key does it once. */
  happened: number;
  /** Since when the provider knows the key, ms of true time. One that it forgot it knows anew from the next call on. */
  knownSinceMs: number | null;
}

/** Told of every call at the moment it leaves. */
export type StartListener = (effect: WorldEffect, prepared: PreparedCall, context: AttemptContext) => void;

/** The world outside: it counts what really happened, with true time. Its answers are its own affair. */
export class World {
  readonly effects = new Map<string, WorldEffect>();
  readonly #queue: EventQueue;
  readonly #random: Random;
  readonly #faults: FaultLog;
  readonly #refusalShare: number;

  constructor(of: { queue: EventQueue; random: Random; faults: FaultLog; refusalShare: number }) {
    this.#refusalShare = of.refusalShare;
    this.#queue = of.queue;
    this.#random = of.random;
    this.#faults = of.faults;
  }

  /** The tools of one start of one host. Nothing that a dead host calls reaches anybody. */
  toolsOf(owner: Owner, onStart: StartListener): Tools {
    const real = createTools({ protectedFolders: [] });
    return {
      prepare: (call, declaration, scope) => real.prepare(call, declaration, scope),
      perform: (prepared, context) => {
        if (!owner.isAlive) return new Promise(() => undefined);
        const effect = this.#effectOf(prepared, context.effectId);
        effect.starts += 1;
        onStart(effect, prepared, context);
        return this.#answer(owner, { effect, prepared, context });
      },
      verify: (_, context) => {
        const answer = this.#look(this.effects.get(context.effectId));
        return new Promise(
          (resolve) => void this.#queue.after(this.#random.heavyTail(100), owner, () => resolve(answer)),
        );
      },
      describeTools: (server, scope) => real.describeTools(server, scope),
      close: () => real.close(),
    };
  }

  #effectOf(prepared: PreparedCall, effectId: string): WorldEffect {
    const known = this.effects.get(effectId);
    if (known !== undefined) return known;
    const effect: WorldEffect = {
      effectId,
      kind: prepared.effectKind,
      isQuestion: prepared.tool === 'model.call',
      starts: 0,
      happened: 0,
      knownSinceMs: null,
    };
    this.effects.set(effectId, effect);
    return effect;
  }

  #look(effect: WorldEffect | undefined): ProbeAnswer {
    if (this.#random.chance(0.15)) return { answer: 'silent', summary: 'No answer.' };
    if (effect !== undefined && effect.happened > 0) return { answer: 'happened', summary: 'It is there.' };
    return { answer: 'did-not-happen', summary: 'It is not there.' };
  }

  #happen(effect: WorldEffect): void {
    if (!leavesATrace(effect.kind)) return;
    const { nowMs } = this.#queue;
    const isKnown = effect.knownSinceMs !== null && nowMs - effect.knownSinceMs < DEDUPE_WINDOW_MS;
    // A model is told everything anew; being asked twice does nothing.
    if (effect.isQuestion) return;
    if (effect.kind === 'idempotent-by-key' && isKnown) return;
    effect.happened += 1;
    if (!isKnown) effect.knownSinceMs = nowMs;
  }

  /** Done, refused, slow, or nobody knows: a timeout after doing it, a broken line, a tool that throws. */
  #answer(
    owner: Owner,
    of: { effect: WorldEffect; prepared: PreparedCall; context: AttemptContext },
  ): Promise<ToolRun> {
    const { effect, prepared, context } = of;
    const random = this.#random;
    const draw = this.#faults.isOver ? 0 : random.next();
    if (draw < 0.8 - this.#refusalShare)
      return this.#reply(owner, context, this.#done(effect, prepared, random.heavyTail(300)));
    if (draw < 0.8) return this.#reply(owner, context, { run: this.#refused(effect), afterMs: random.heavyTail(300) });
    if (draw < 0.86) return this.#reply(owner, context, this.#done(effect, prepared, random.between(3_000, 60_000)));
    // From here on only the world knows.
    if (random.chance(0.7)) this.#happen(effect);
    if (draw < 0.9) return this.#reply(owner, context, { run: null, afterMs: random.heavyTail(500) });
    return this.#reply(owner, context, { run: unclear('timeout'), afterMs: random.between(500, 35_000) });
  }

  #done(effect: WorldEffect, prepared: PreparedCall, afterMs: number): { run: ToolRun; afterMs: number } {
    this.#happen(effect);
    const output = prepared.tool === 'model.call' ? this.#modelAnswer() : { number: effect.happened };
    return { run: { outcome: { kind: 'success' }, output, summary: 'Done' }, afterMs };
  }

  /** A model that now and then asks for calls, for tools that are not there, and with arguments that are none. */
  #modelAnswer(): Json {
    const count = this.#random.pick([0, 1, 1, 2]);
    const calls = Array.from({ length: count }, (_, index) => ({
      id: `call-${index}`,
      name: this.#random.chance(0.9) ? 'act' : 'nothing',
      arguments: this.#random.chance(0.9) ? `{"what": "w${this.#random.below(3)}"}` : 'not JSON',
    }));
    return {
      text: 'As you wish.',
      finish: count === 0 ? 'end' : 'tool-calls',
      calls,
      usage: { inputTokens: 10, outputTokens: 10 },
    };
  }

  /** An answer that says no: for good, or for now; and in the latter case perhaps before anything was sent. */
  #refused(effect: WorldEffect): ToolRun {
    const isPassing = this.#random.chance(0.4);
    const wasSent = !isPassing || this.#random.chance(0.5);
    // It never left, whatever its host makes of the answer: a call that was broken off meanwhile is called back, not failed.
    if (!wasSent) effect.starts -= 1;
    const outcome = {
      kind: 'failure',
      class: isPassing ? 'transient' : 'permanent',
      code: 'refused',
      wasSent,
    } as const;
    return { outcome, output: { status: 422 }, summary: 'The receiver refused it' };
  }

  #reply(owner: Owner, { signal }: AttemptContext, answer: { run: ToolRun | null; afterMs: number }): Promise<ToolRun> {
    return new Promise((resolve, reject) => {
      this.#queue.after(answer.afterMs, owner, () => {
        if (answer.run === null) reject(new Error('The tool broke.'));
        else resolve(answer.run);
      });
      // Whoever aborts a call learns nothing about it.
      signal.addEventListener('abort', () => void this.#queue.after(1, owner, () => resolve(unclear('aborted'))));
    });
  }
}

function unclear(code: string): ToolRun {
  return { outcome: { kind: 'unclear', code }, output: {}, summary: 'No answer' };
}
