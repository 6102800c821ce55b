import { problem } from '../../../../shared/contract/errors.ts';
import type { Problem } from '../../../../shared/contract/errors.ts';
import { outsideLink } from '../../../../shared/lib/outside-link.ts';
import { isThisMachine } from '../../../../shared/lib/this-machine.ts';
import type { Result } from '../../../../shared/lib/result.ts';
import { err, ok } from '../../../../shared/lib/result.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { openAnswerListener } from '../../../headless/answer-listener.ts';
import type { AnswerListener, AnswerPage } from '../../../headless/answer-listener.ts';
import { Signal } from '../../../host/signal.ts';
import type { SecretStore } from '../../../secrets/secret-store.ts';
import { hostOf, KeptSignIns } from './kept-sign-ins.ts';
import type { SignInStanding } from './kept-sign-ins.ts';
import { createSignInFetch, SignInLedAstray } from './sign-in-fetch.ts';
import type { BegunSignIn } from './sign-in-protocol.ts';

/** How long a person has for the page of the authorization server, ms. */
const SIGN_IN_LIMIT_MS = 5 * 60_000;
const REVOCATION_MS = 10_000;

/** What is known about the sign-in at one address. Nothing secret is in it. */
export interface SignInFacts {
  readonly standing: SignInStanding;
  /** Wall ms; `null` where nobody is signed in. */
  readonly signedInAtMs: number | null;
  /** Which try was the last one here; 0 before the first. */
  readonly attempt: number;
  /** It has a page that has not been answered. */
  readonly isWaiting: boolean;
  /** Why the last try came to nothing. */
  readonly problem: Problem | null;
}

interface Attempt {
  readonly number: number;
  readonly address: string;
  readonly stop: AbortController;
  readonly listener: AnswerListener;
  begun: BegunSignIn | null;
}

/**
 * Signing in at tool servers and out again. Only a person begins it; one attempt at a time, and the next one ends the last.
 * It says who this device is, and allows no agent anything.
 */
export class SignIns {
  readonly kept: KeptSignIns;
  /** Something is otherwise than it was shown. */
  readonly changed = new Signal();
  readonly #nowMs: () => number;
  readonly #limitMs: number;
  readonly #problems = new Map<string, Problem>();
  readonly #lastAttempts = new Map<string, number>();
  #attempts = 0;
  #attempt: Attempt | null = null;

  constructor(of: { readonly store: SecretStore; readonly nowMs?: () => number; readonly limitMs?: number }) {
    this.#nowMs = of.nowMs ?? Date.now;
    this.#limitMs = of.limitMs ?? SIGN_IN_LIMIT_MS;
    this.kept = new KeptSignIns({ store: of.store, nowMs: this.#nowMs, changed: () => this.changed.tell() });
  }

  /** Rejects if the store cannot be read. */
  async facts(address: string): Promise<SignInFacts> {
    const record = await this.kept.find(address);
    return {
      standing: this.kept.standing(address),
      signedInAtMs: record?.signedInAtMs ?? null,
      attempt: this.#lastAttempts.get(address) ?? 0,
      isWaiting: this.#attempt?.address === address && this.#attempt.begun !== null,
      problem: this.#problems.get(address) ?? null,
    };
  }

  /** Finds the page to sign in at, and waits for its answer from now on. The page is opened by whoever asked for it. */
  async begin(address: string): Promise<Result<{ readonly page: URL; readonly attempt: number }, Problem>> {
    this.#attempt?.listener.close();
    this.#problems.delete(address);
    this.#attempts += 1;
    const number = this.#attempts;
    this.#lastAttempts.set(address, number);
    const stop = new AbortController();
    const receive = (answer: URLSearchParams) => this.#receive(attempt, answer);
    const listener = await openAnswerListener({ limitMs: this.#limitMs, receive });
    const attempt: Attempt = { number, address, stop, listener, begun: null };
    this.#attempt = attempt;
    void listener.ended.then((why) => this.#end(attempt, why));
    const begun = await this.#open(attempt);
    if (!begun.ok) {
      this.#problems.set(address, begun.error);
      listener.close();
      return begun;
    }
    if (this.#attempt !== attempt) return err(failed('It was called off.'));
    attempt.begun = begun.value;
    this.changed.tell();
    return ok({ page: begun.value.authorizationUrl, attempt: number });
  }

  /** Waits no longer; what the browser answers from now on reaches nobody. */
  cancel(address: string): void {
    if (this.#attempt?.address === address) this.#attempt.listener.close();
  }

  /** Removes the tokens, then tells the server that gave them. The answer is a sentence. */
  async signOut(address: string): Promise<Result<string, Problem>> {
    this.cancel(address);
    this.#problems.delete(address);
    const record = await this.kept.find(address).catch(() => null);
    const forgotten = await this.kept.forget(address);
    this.changed.tell();
    if (!forgotten.ok) return forgotten;
    const host = hostOf(address);
    if (record === null) return ok(`Nobody is signed in at ${host}.`);
    try {
      const { revokeTokens } = await import('./sign-in-protocol.ts');
      const fetchFn = createSignInFetch(new URL(address), AbortSignal.timeout(REVOCATION_MS));
      const isOver = await revokeTokens(record, fetchFn);
      return ok(isOver ? `Signed out at ${host}, here and there.` : `Signed out. ${host} has no way to be told.`);
    } catch {
      return ok(`Signed out here. ${host} could not be told: end it there too if you want to be certain.`);
    }
  }

  close(): void {
    this.#attempt?.listener.close();
  }

  async #open({ address, stop, listener }: Attempt): Promise<Result<BegunSignIn, Problem>> {
    const fetchFn = createSignInFetch(new URL(address), stop.signal);
    try {
      const { askForHint, beginSignIn } = await import('./sign-in-protocol.ts');
      // Some servers ask only when a tool is called.
      const hint = (await askForHint(address, fetchFn)) ?? this.kept.hint(address);
      if (hint !== null) this.kept.asked(address, hint);
      else return err(failed(`${hostOf(address)} answers without a sign-in. There is nothing to do.`));
      const { redirectUrl, state } = listener;
      const begun = await beginSignIn({ address, redirectUrl, state, hint, fetchFn });
      const page = outsideLink(begun.authorizationUrl.href);
      if (page !== null && isFit(page, address)) return ok(begun);
      return err(failed('The address of the page to sign in at is not one that is opened.'));
    } catch (error) {
      return err(failed(`${hostOf(address)} could not be signed in at: ${reasonOf(error)}`));
    }
  }

  /** Judges an answer that brought the right state, and says what the browser shows. */
  async #receive(attempt: Attempt, answer: URLSearchParams): Promise<AnswerPage> {
    const { address, begun } = attempt;
    const outcome = begun === null ? err(failed('It had not begun.')) : await this.#trade(attempt, begun, answer);
    if (outcome.ok) return { title: 'Signed in', sentence: `Fencepost is signed in at ${hostOf(address)}. ${CLOSE}` };
    if (this.#attempt === attempt) this.#problems.set(address, outcome.error);
    return { title: 'Not signed in', sentence: `${outcome.error.message} ${CLOSE}` };
  }

  async #trade(attempt: Attempt, begun: BegunSignIn, answer: URLSearchParams): Promise<Result<null, Problem>> {
    const { address } = attempt;
    const error = answer.get('error');
    if (error === 'access_denied') return err(failed('You, or the server, did not agree.'));
    if (error !== null) return err(failed(`The server answered with an error (${visibleText(error.slice(0, 80))}).`));
    const issuer = answer.get('iss');
    // An answer of another authorization server than the one that was asked (RFC 9207).
    if (issuer !== null && begun.issuer !== null && issuer !== begun.issuer) {
      return err(failed('The answer came from another server than the one that was asked.'));
    }
    const code = answer.get('code');
    if (code === null || code === '') return err(failed('The answer held no code.'));
    try {
      const record = await begun.finish(code, this.#nowMs);
      // Called off, or begun anew, while the code was traded.
      if (this.#attempt !== attempt) return err(failed('It was called off.'));
      return await this.kept.keep(record);
    } catch (cause) {
      return err(failed(`${hostOf(address)} could not be signed in at: ${reasonOf(cause)}`));
    }
  }

  #end(attempt: Attempt, why: 'answered' | 'too-late' | 'closed'): void {
    attempt.stop.abort();
    if (this.#attempt !== attempt) return;
    this.#attempt = null;
    if (why === 'too-late') this.#problems.set(attempt.address, failed('Nobody answered within five minutes.'));
    this.changed.tell();
  }
}

const CLOSE = 'You can close this page.';

/** A server elsewhere leads a person to no page of this machine. */
function isFit(page: URL, address: string): boolean {
  return !isThisMachine(page) || isThisMachine(new URL(address));
}

function failed(sentence: string): Problem {
  return problem('not-offered', `Not signed in. ${sentence}`, 'Nothing was kept. Try again when you like.');
}

/** In words of our own: what the SDK and servers say may quote a code or a token. */
function reasonOf(error: unknown): string {
  if (error instanceof SignInLedAstray) return error.message;
  if (error instanceof Error && error.message.includes('dynamic client registration')) {
    return 'programs cannot register there by themselves, and Fencepost knows no other way.';
  }
  if (error instanceof TypeError) return 'the server that signs in could not be reached.';
  if (error instanceof Error && error.name === 'TimeoutError') return 'the server did not answer in time.';
  return 'the server did not accept it, or does not keep to the rules.';
}
