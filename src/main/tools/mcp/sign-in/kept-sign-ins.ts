import type { Problem } from '../../../../shared/contract/errors.ts';
import type { Result } from '../../../../shared/lib/result.ts';
import { err, ok } from '../../../../shared/lib/result.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import type { SecretStore } from '../../../secrets/secret-store.ts';
import type { ServerFailure } from '../server-failure.ts';
import type { SignInNeed } from './sign-in-address.ts';
import { createSignInFetch } from './sign-in-fetch.ts';
import type { SignInHint } from './sign-in-protocol.ts';
import { readSignIn, readSignIns, removeSignIn, secretsIn, writeSignIn } from './sign-in-record.ts';
import type { SignInRecord } from './sign-in-record.ts';

/** How a sign-in stands at an address. `lapsed`: there was one, and it could not be renewed. */
export type SignInStanding = 'signed-in' | 'lapsed' | 'asks' | 'unasked';

/** A server answered 401. */
export interface Unauthorised {
  /** What it was shown; `null` for nothing. */
  readonly token: string | null;
  readonly hint: SignInHint;
  /** Whether what it refused only reads, so that it may be asked again at once. */
  readonly isReading: boolean;
}

type Renewal = Result<null, ServerFailure>;

/** How long renewing may take at all, ms. */
const RENEWAL_MS = 10_000;

/**
 * The sign-ins of a profile: kept as secrets, under the exact address of the server, and in memory while they are used. They are
 * no secrets of agents: no strategy can name one, and none leaves for another address than its own.
 */
export class KeptSignIns {
  readonly #store: SecretStore;
  readonly #nowMs: () => number;
  readonly #changed: () => void;
  readonly #known = new Map<string, SignInRecord | null>();
  /** What servers said that asked for a sign-in since this start. */
  readonly #hints = new Map<string, SignInHint>();
  readonly #lapsed = new Set<string>();
  /** Tokens that a server refused and that are renewed before they are used again. */
  readonly #refused = new Set<string>();
  /** One at a time for each address: a token for renewing works once with many servers. */
  readonly #renewals = new Map<string, Promise<Renewal>>();

  constructor(of: { readonly store: SecretStore; readonly nowMs: () => number; readonly changed: () => void }) {
    this.#store = of.store;
    this.#nowMs = of.nowMs;
    this.#changed = of.changed;
  }

  /** The sign-in for what is about to be asked, renewed if it has run out; `null` where nobody has signed in. */
  async ready(address: string): Promise<Result<{ readonly id: string } | null, ServerFailure>> {
    let record: SignInRecord | null;
    try {
      record = await this.find(address);
    } catch {
      // What the keychain says about itself may hold anything, so it is not repeated.
      const sentence = `The sign-in at ${hostOf(address)} cannot be read on this device.`;
      return err({ code: 'sign-in-unreadable', failureClass: 'authority', sentence });
    }
    if (record === null) return ok(null);
    const nowMs = this.#nowMs();
    const isAging = record.renewAtMs !== null && record.renewAtMs <= nowMs;
    const { refresh_token, access_token } = record.tokens;
    const isRefused = this.#refused.has(access_token);
    if (refresh_token === undefined || !(isAging || isRefused)) return ok({ id: record.id });
    const renewed = await this.#renew(record);
    const isGoodYet = !isRefused && record.expiresAtMs !== null && record.expiresAtMs > nowMs;
    const mayGoOn = renewed.ok || (isGoodYet && renewed.error.failureClass === 'transient');
    return mayGoOn ? ok({ id: record.id }) : renewed;
  }

  /** What a request shows now; `null` where nobody has signed in, or not any more. */
  token(address: string): string | null {
    return this.#known.get(address)?.tokens.access_token ?? null;
  }

  /** What must not be seen of a sign-in. */
  secrets(address: string): readonly string[] {
    const record = this.#known.get(address) ?? null;
    return record === null ? [] : secretsIn(record);
  }

  /** Takes note of a 401. `null`: there is another token now, and what only reads may be asked again. */
  async unauthorised(address: string, { token, hint, isReading }: Unauthorised): Promise<SignInNeed | null> {
    this.asked(address, hint);
    const record = this.#known.get(address) ?? null;
    if (token === null || record === null) return 'sign-in';
    // Somebody else has renewed it meanwhile.
    if (record.tokens.access_token !== token) return isReading ? null : 'renewed-next-time';
    if (record.tokens.refresh_token === undefined) {
      await this.#lapse(record);
      return 'sign-in-again';
    }
    this.#refused.add(token);
    if (!isReading) return 'renewed-next-time';
    const renewed = await this.#renew(record);
    if (renewed.ok) return null;
    return renewed.error.failureClass === 'transient' ? 'not-renewed' : 'sign-in-again';
  }

  /** Takes note that a server asks for a sign-in. */
  asked(address: string, hint: SignInHint): void {
    const isNews = !this.#hints.has(address);
    this.#hints.set(address, hint);
    if (isNews) this.#changed();
  }

  hint(address: string): SignInHint | null {
    return this.#hints.get(address) ?? null;
  }

  standing(address: string): SignInStanding {
    if ((this.#known.get(address) ?? null) !== null) return 'signed-in';
    if (this.#lapsed.has(address)) return 'lapsed';
    return this.#hints.has(address) ? 'asks' : 'unasked';
  }

  /** Rejects if the store cannot be read. */
  async find(address: string): Promise<SignInRecord | null> {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const record = await readSignIn(this.#store, address);
    // Somebody may have signed in or out while it was read.
    if (!this.#known.has(address)) this.#known.set(address, record);
    return this.#known.get(address) ?? null;
  }

  /** Every address with a sign-in. Rejects if the store cannot be read. */
  async addresses(): Promise<readonly string[]> {
    const addresses = new Set((await readSignIns(this.#store)).map((record) => record.address));
    for (const address of addresses) await this.find(address);
    for (const [address, record] of this.#known) if (record !== null) addresses.add(address);
    return [...addresses];
  }

  async keep(record: SignInRecord): Promise<Result<null, Problem>> {
    const written = await writeSignIn(this.#store, record);
    if (!written.ok) return written;
    this.#known.set(record.address, record);
    this.#lapsed.delete(record.address);
    return ok(null);
  }

  /** Forgets the sign-in at an address. In memory it is gone at once, whatever becomes of the file. */
  async forget(address: string): Promise<Result<null, Problem>> {
    this.#known.set(address, null);
    this.#lapsed.delete(address);
    return await removeSignIn(this.#store, address);
  }

  async #renew(record: SignInRecord): Promise<Renewal> {
    const running = this.#renewals.get(record.address);
    if (running !== undefined) return await running;
    const renewal = this.#renewNow(record);
    this.#renewals.set(record.address, renewal);
    try {
      return await renewal;
    } finally {
      this.#renewals.delete(record.address);
    }
  }

  async #renewNow(record: SignInRecord): Promise<Renewal> {
    const { address } = record;
    const { renewTokens, SignInRefused } = await import('./sign-in-protocol.ts');
    const fetchFn = createSignInFetch(new URL(address), AbortSignal.timeout(RENEWAL_MS));
    let renewed: SignInRecord;
    try {
      renewed = await renewTokens(record, fetchFn, this.#nowMs());
    } catch (error) {
      if (!(error instanceof SignInRefused)) {
        const sentence = `The sign-in at ${hostOf(address)} has run out, and it could not be renewed now.`;
        return err({ code: 'sign-in-not-renewed', failureClass: 'transient', sentence });
      }
      await this.#lapse(record);
      const sentence = `The sign-in at ${hostOf(address)} has run out and is not renewed any more. Sign in again under Settings, Tools.`;
      return err({ code: 'sign-in-lapsed', failureClass: 'authority', sentence });
    }
    this.#refused.delete(record.tokens.access_token);
    // Signed out meanwhile: what came for the old sign-in is not used.
    if (this.#known.get(address)?.id !== record.id) return ok(null);
    this.#known.set(address, renewed);
    // One that cannot be written down is good until Fencepost ends, and then a person signs in again.
    await writeSignIn(this.#store, renewed);
    return ok(null);
  }

  async #lapse(record: SignInRecord): Promise<void> {
    if (this.#known.get(record.address)?.id !== record.id) return;
    await this.forget(record.address);
    this.#lapsed.add(record.address);
    this.#changed();
  }
}

/** A server as a person knows it. */
export function hostOf(address: string): string {
  return visibleText(new URL(address).host);
}
