import { z } from 'zod';
import type { HubError } from '../../hub/hub-error.ts';
import { HUB_HEADERS, HUB_PATHS } from '../../hub/hub-wire.ts';
import { requestMac, sessionStatement, signWith } from '../../hub/proofs.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import { callHub } from './hub-request.ts';
import type { HubAnswer, HubCall } from './hub-request.ts';
import type { HubConnections } from './hub-connection.ts';

/** By what a device proves who it is. */
export interface DeviceProof {
  readonly deviceId: string;
  readonly token: string;
  readonly privateKey: string;
  readonly fingerprint: string;
}

/** What the hub said when it let the device in. */
export interface SignedIn {
  readonly coordinator: CoordinatorIdentity;
  readonly hubName: string;
  /** The hub's calendar then, ms; for show only. */
  readonly wallMs: number;
}

const challengeSchema = z.object({ challenge: z.string().min(1).max(256) });
const sessionSchema = z.object({
  sessionId: z.string().min(1).max(128),
  sessionKey: z.string().min(1).max(128),
  coordinator: z.object({ coordinatorId: z.string().min(1), incarnation: z.string().min(1) }),
  hubName: z.string().max(200),
  wallMs: z.number(),
});

/** The hub refused. It is certain that nothing was done. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
  readonly code: HubError['code'] | 'unreadable';

  constructor(answer: Extract<HubAnswer, { kind: 'refused' }>) {
    super(answer.sentence);
    this.code = answer.code;
  }
}

interface Session {
  readonly sessionId: string;
  readonly sessionKey: string;
  sequence: number;
}

/** Signs requests with the session of one device, and signs in when there is none. */
export class HubSignIn {
  readonly #connections: HubConnections;
  readonly #proof: DeviceProof;
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;
  #signedIn: SignedIn | null = null;

  constructor(connections: HubConnections, proof: DeviceProof) {
    this.#connections = connections;
    this.#proof = proof;
  }

  /** What the hub said the last time; `null` before the first. */
  get signedIn(): SignedIn | null {
    return this.#signedIn;
  }

  /**
   * Sends a request as this device. Only where the hub says that the session is over, which means that nothing was done, it
   * signs in and asks once more. Rejects with `HubRefusal`, with `NotConnectedError`, or with what left the outcome unknown.
   */
  async call(call: Omit<HubCall, 'headers'>): Promise<unknown> {
    const until = performance.now() + call.limitMs;
    const first = await this.#try(call, until);
    if (first.kind === 'answered') return first.value;
    if (first.code !== 'not-signed-in') throw new HubRefusal(first);
    const second = await this.#try(call, until);
    if (second.kind === 'answered') return second.value;
    throw new HubRefusal(second);
  }

  /** The head of a request of this device, for a line on which changes are told. */
  async headers(of: Pick<HubCall, 'method' | 'path' | 'body'>, limitMs: number): Promise<Record<string, string>> {
    return this.#sign(await this.#open(performance.now() + limitMs), of);
  }

  /** Forgets the session, so that the next request signs in. */
  forget(): void {
    this.#session = null;
  }

  async #try(call: Omit<HubCall, 'headers'>, until: number): Promise<HubAnswer> {
    const session = await this.#open(until);
    const answer = await callHub(this.#connections, {
      ...call,
      headers: this.#sign(session, call),
      limitMs: leftOf(until),
    });
    if (answer.kind === 'refused' && answer.code === 'not-signed-in' && this.#session === session) this.forget();
    return answer;
  }

  #sign(session: Session, { method, path, body }: Pick<HubCall, 'method' | 'path' | 'body'>): Record<string, string> {
    session.sequence += 1;
    const { sessionId, sessionKey, sequence } = session;
    return {
      [HUB_HEADERS.session]: sessionId,
      [HUB_HEADERS.sequence]: String(sequence),
      [HUB_HEADERS.mac]: requestMac(sessionKey, { method, path, sequence, body }),
    };
  }

  /** All who need a session at once share one sign-in. */
  async #open(until: number): Promise<Session> {
    if (this.#session !== null) return this.#session;
    this.#opening ??= this.#signIn(until).finally(() => {
      this.#opening = null;
    });
    return await this.#opening;
  }

  async #signIn(until: number): Promise<Session> {
    const { deviceId, token, privateKey, fingerprint } = this.#proof;
    const { challenge } = challengeSchema.parse(await this.#post(HUB_PATHS.challenge, { deviceId }, until));
    const signature = signWith(privateKey, sessionStatement({ fingerprint, deviceId, challenge }));
    const said = await this.#post(HUB_PATHS.session, { deviceId, token, challenge, signature }, until);
    const { sessionId, sessionKey, coordinator, hubName, wallMs } = sessionSchema.parse(said);
    this.#signedIn = { coordinator, hubName, wallMs };
    this.#session = { sessionId, sessionKey, sequence: 0 };
    return this.#session;
  }

  async #post(path: string, body: object, until: number): Promise<unknown> {
    const call = { method: 'POST', path, body: JSON.stringify(body), limitMs: leftOf(until) } as const;
    const answer = await callHub(this.#connections, call);
    if (answer.kind === 'answered') return answer.value;
    throw new HubRefusal(answer);
  }
}

function leftOf(until: number): number {
  return Math.max(1, until - performance.now());
}
