import type { z } from 'zod';
import { unreachableProblem } from '../register-problem.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { EtcdEndpoint } from './etcd-http.ts';
import type { HttpOutcome, TlsFiles } from './etcd-http.ts';
import { authenticateSchema } from './etcd-wire.ts';

/** How long one verb may take in all, ms: below the send window (protocol section 5, X), so that the host is never held. */
export const VERB_LIMIT_MS = 2_500;
/** Below this there is no use in asking, ms. */
const LEAST_LIMIT_MS = 20;

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
const GRPC_PERMISSION_DENIED = 7;
const GRPC_UNAUTHENTICATED = 16;

/** Where etcd is, and how to sign in. */
export interface EtcdAccess extends TlsFiles {
  /** Such as `https://etcd-1.example.com:2379`; one for each member. */
  readonly endpoints: readonly string[];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** What became of one call. `refused`: etcd said no. `unknown`: nobody knows whether it was done. */
export type Outcome<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'unknown'; readonly cause: string };

export interface CallOptions<Schema extends z.ZodType> {
  readonly body: object;
  readonly schema: Schema;
  /** By `performance.now()`, ms. */
  readonly untilMs: number;
  /** It changes nothing, so it may be asked again elsewhere when there was no answer. */
  readonly isRead: boolean;
}

/**
 * Calls etcd through its JSON gateway. Another endpoint is asked only if nothing can have reached the first one, or if the
 * call only reads. Nothing that may have been done is sent twice.
 */
export class EtcdClient {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly #access: EtcdAccess;
  #preferred = 0;
  #token: string | null = null;
  #isClosed = false;

  /** @throws TypeError for an endpoint that is no URL; `checkEndpoints` tells before. */
  constructor(access: EtcdAccess) {
    this.#access = access;
    this.endpoints = access.endpoints.map((text) => new EtcdEndpoint(new URL(text), access));
  }

  async call<Schema extends z.ZodType>(
    path: string,
    { body, schema, untilMs, isRead }: CallOptions<Schema>,
  ): Promise<Outcome<z.infer<Schema>>> {
    let last: Outcome<never> = { kind: 'unknown', cause: 'It was not asked, since there was no time left.' };
    let canSignInAgain = true;
    for (let left = this.endpoints.length; left > 0; left -= 1) {
      const endpoint = this.endpoints[this.#preferred];
      const remainingMs = untilMs - performance.now();
      if (this.#isClosed) return { kind: 'unknown', cause: 'It was closed.' };
      if (endpoint === undefined || remainingMs < LEAST_LIMIT_MS) break;
      // A member that hangs must leave time for the next one.
      const limitMs = isRead ? remainingMs / left : remainingMs;
      const outcome = await this.#once(endpoint, path, { body, limitMs });
      if (outcome.kind === 'answered') return readAnswer(outcome.body, schema);
      if (outcome.kind === 'refused' && isTokenRefused(outcome) && this.#token !== null && canSignInAgain) {
        // The token was refused before anything was done.
        this.#token = null;
        canSignInAgain = false;
        left += 1;
        continue;
      }
      last = outcome.kind === 'refused' ? outcome : { kind: 'unknown', cause: outcome.cause };
      if (outcome.kind === 'refused' && isAboutTheRequest(outcome)) return last;
      this.#preferred = (this.#preferred + 1) % this.endpoints.length;
      if (outcome.kind !== 'not-sent' && !isRead) return last;
    }
    return last;
  }

  async #once(
    endpoint: EtcdEndpoint,
    path: string,
    { body, limitMs }: { readonly body: object; readonly limitMs: number },
  ): Promise<HttpOutcome> {
    const untilMs = performance.now() + limitMs;
    if (hasUser(this.#access) && this.#token === null) {
      const refused = await this.#signIn(endpoint, limitMs);
      if (refused !== null) return refused;
    }
    return endpoint.post(path, { body, token: this.#token, limitMs: Math.max(1, untilMs - performance.now()) });
  }

  /** `null`: signed in. The call itself was not sent otherwise. */
  async #signIn(endpoint: EtcdEndpoint, limitMs: number): Promise<HttpOutcome | null> {
    const { user = '', password = '' } = this.#access;
    const body = { name: user, password };
    const outcome = await endpoint.post('/v3/auth/authenticate', { body, token: null, limitMs });
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind !== 'answered') return { kind: 'not-sent', cause: outcome.cause };
    const answer = authenticateSchema.safeParse(outcome.body);
    if (!answer.success) return { kind: 'not-sent', cause: 'It let nobody in, and did not say why.' };
    this.#token = answer.data.token;
    return null;
  }

  close(): void {
    this.#isClosed = true;
    for (const endpoint of this.endpoints) endpoint.close();
  }
}

function hasUser({ user }: EtcdAccess): boolean {
  return user !== undefined && user !== '';
}

function readAnswer<Schema extends z.ZodType>(body: unknown, schema: Schema): Outcome<z.infer<Schema>> {
  const answer = schema.safeParse(body);
  if (answer.success) return { kind: 'answered', value: answer.data };
  return { kind: 'unknown', cause: 'What answered there is not etcd, or a kind that Fencepost does not know.' };
}

/** An invalid or outdated token. Signing in itself answers with other codes or texts. */
function isTokenRefused({ code, message }: { readonly code: number; readonly message: string }): boolean {
  return (
    code === GRPC_UNAUTHENTICATED || /invalid auth token|revision in header is old|user name is empty/u.test(message)
  );
}

/** Another member would say the same. Everything else may be the trouble of one member. */
function isAboutTheRequest({ code }: { readonly code: number }): boolean {
  return (
    code === GRPC_INVALID_ARGUMENT ||
    code === GRPC_NOT_FOUND ||
    code === GRPC_PERMISSION_DENIED ||
    code === GRPC_UNAUTHENTICATED
  );
}

/** The value, or the sentence of why there is none. A refused call is as unclear as any to whoever needed its answer. */
export function needAnswer<Value>(outcome: Outcome<Value>): Result<Value, Problem> {
  if (outcome.kind === 'answered') return ok(outcome.value);
  return err(unreachableProblem(sentenceOfOutcome(outcome)));
}

/** Why there is no answer, for a person. */
export function sentenceOfOutcome(outcome: Exclude<Outcome<never>, { kind: 'answered' }>): string {
  if (outcome.kind === 'unknown') return outcome.cause;
  if (/authentication failed|auth token|user name/u.test(outcome.message))
    return 'etcd does not accept the user name and password.';
  if (outcome.code === GRPC_PERMISSION_DENIED) return 'etcd does not let this user at the keys of the register.';
  return `etcd says: ${outcome.message}.`;
}

/** The sentence of what is wrong with the addresses, or `null`. */
export function endpointsFault(endpoints: readonly string[]): string | null {
  if (endpoints.length === 0) return 'There is no address of etcd.';
  const wrong = endpoints.find((text) => !URL.canParse(text) || !/^https?:$/u.test(new URL(text).protocol));
  return wrong === undefined ? null : `"${wrong}" is not an address such as https://etcd.example.com:2379.`;
}
