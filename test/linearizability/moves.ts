import type {
  AgentId,
  AttemptToken,
  DeviceId,
  EffectIdentity,
  EffectKey,
  RunId,
} from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { AnnouncePermit, TailEntry } from '../../src/shared/core/lease/register.ts';
import type { Random } from '../harness/random.ts';
import type { Answered, Call } from './history.ts';

/** Shortest and longest TTL of a lease here, ms: short, so that a history sees many of them run out. */
const TTL_FROM_MS = 30;
const TTL_TO_MS = 200;
/** So few effects that clients get in each other's way. */
const EFFECT_KEYS = ['mail', 'file', 'order', 'post', 'pay'] as const;

type AskCall = Exclude<Call, { verb: 'reboot' }>;
type Move = AskCall['verb'] | 'acquire-again';

const AS_HOLDER: readonly (readonly [Move, number])[] = [
  ['announce', 26],
  ['settle-tail', 22],
  ['renew', 18],
  ['current', 12],
  ['prune-tail', 8],
  ['release', 6],
  ['acquire-again', 4],
  ['acquire', 4],
];
const AS_OTHER: readonly (readonly [Move, number])[] = [
  ['acquire', 40],
  ['current', 26],
  ['settle-tail', 10],
  ['announce', 8],
  ['renew', 6],
  ['acquire-again', 4],
  ['release', 3],
  ['prune-tail', 3],
];

interface Grant {
  readonly epoch: number;
  readonly nonce: string;
}

/** Chooses what one client asks next about one agent, from what it was told so far: mostly sensible, now and then late. */
export class Moves {
  readonly #agentId: AgentId;
  readonly #deviceId: DeviceId;
  /** Begins every name that this client makes, so that no two are the same. */
  readonly #name: string;
  readonly #random: Random;
  #view: RegisterView | null = null;
  #grant: Grant | null = null;
  #lastNonce: string;
  #made = 0;

  constructor(of: { agentId: string; deviceId: string; name: string; random: Random }) {
    this.#agentId = of.agentId as AgentId;
    this.#deviceId = of.deviceId as DeviceId;
    this.#name = of.name;
    this.#random = of.random;
    this.#lastNonce = this.#make('nonce');
  }

  /** As far as it was told. */
  get isHolder(): boolean {
    return this.#grant !== null && this.#view?.lease?.nonce === this.#grant.nonce;
  }

  next(): AskCall {
    return this.#call(weighted(this.#random, this.isHolder ? AS_HOLDER : AS_OTHER));
  }

  /** What it was told. Only a grant is remembered as one: an unknown outcome is not (protocol section 5, rule 8). */
  learn(call: AskCall, { reply, view }: Answered): void {
    this.#view = view;
    if (call.verb === 'acquire' && reply?.kind === 'granted') this.#grant = { epoch: reply.epoch, nonce: call.nonce };
  }

  #call(move: Move): AskCall {
    const deviceId = this.#deviceId;
    const { epoch, nonce } = this.#claim();
    switch (move) {
      case 'current':
        return { verb: 'current' };
      case 'acquire':
        this.#lastNonce = this.#make('nonce');
        return this.#acquire();
      case 'acquire-again':
        return this.#acquire();
      case 'renew':
        return { verb: 'renew', deviceId, epoch, nonce };
      case 'release': {
        const pendingClaims = this.#random.chance(0.2) ? 1 : 0;
        return { verb: 'release', deviceId, epoch, pendingClaims, isHoldOffOver: this.#random.chance(0.5) };
      }
      case 'announce':
        return this.#announce(epoch);
      case 'settle-tail':
        return this.#settle(epoch);
      default:
        return { verb: 'prune-tail', deviceId, epoch, uptoSeq: this.#random.below(this.#made + 2) };
    }
  }

  /** Mostly its own grant, sometimes the one it last saw of anybody. */
  #claim(): Grant {
    const seen = { epoch: this.#view?.epoch ?? 1, nonce: this.#lastNonce };
    return this.#grant === null || this.#random.chance(0.05) ? seen : this.#grant;
  }

  #acquire(): AskCall {
    const ttlMs = Math.round(this.#random.between(TTL_FROM_MS, TTL_TO_MS));
    return { verb: 'acquire', deviceId: this.#deviceId, nonce: this.#lastNonce, ttlMs };
  }

  #announce(epoch: number): AskCall {
    const effect = this.#effect(this.#random.pick(EFFECT_KEYS));
    const earlier = this.#view?.tail.find((entry) => entry.effect.effectKey === effect.effectKey);
    const isAgain = earlier !== undefined && this.#random.chance(0.2);
    const attemptToken = isAgain ? earlier.attemptToken : (this.#make('try') as AttemptToken);
    const entry = { effect, attemptToken, digest: `digest-${effect.effectKey}` };
    return { verb: 'announce', deviceId: this.#deviceId, epoch, entry, permit: this.#permit(earlier) };
  }

  #permit(earlier: TailEntry | undefined): AnnouncePermit | null {
    if (earlier === undefined || earlier.status === 'failed' || this.#random.chance(0.3)) return null;
    const reason = this.#random.chance(0.5) ? 'decision' : 'automatic-repeat';
    return { reason, attemptToken: earlier.attemptToken, status: earlier.status };
  }

  #settle(epoch: number): AskCall {
    const tail = this.#view?.tail ?? [];
    const open = tail.filter((entry) => entry.status === 'open');
    const among = open.length > 0 && this.#random.chance(0.9) ? open : tail;
    const entry = among.length === 0 ? null : this.#random.pick(among);
    const opId = this.#make('op');
    return {
      verb: 'settle-tail',
      deviceId: this.#deviceId,
      epoch,
      effect: entry?.effect ?? this.#effect('mail'),
      attemptToken: entry?.attemptToken ?? ('no-such-try' as AttemptToken),
      status: this.#random.chance(0.7) ? 'committed' : 'failed',
      opId,
      seq: this.#made,
    };
  }

  #effect(key: string): EffectIdentity {
    return { agentId: this.#agentId, runId: 'run-1' as RunId, effectKey: key as EffectKey };
  }

  #make(what: string): string {
    this.#made += 1;
    return `${what}-${this.#name}-${this.#made}`;
  }
}

function weighted(random: Random, moves: readonly (readonly [Move, number])[]): Move {
  let left = random.below(moves.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [move, weight] of moves) {
    left -= weight;
    if (left < 0) return move;
  }
  return 'current';
}
