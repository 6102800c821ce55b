import { randomBytes } from 'node:crypto';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HubDevices, PairedDevice } from './hub-devices.ts';
import { hubError } from './hub-error.ts';
import type { HubError } from './hub-error.ts';
import type { HubLimits } from './hub-limits.ts';
import { digestOf, isSameText, isSignedBy, newHubSecret, requestMac, sealOf, sessionStatement } from './proofs.ts';
import type { ProvenRequest } from './proofs.ts';

/** How far behind the newest request another may arrive. A client has four under way. */
const SEQUENCE_WINDOW = 1_024;

/** How exactly it is remembered when a device was last here, ms. */
const SEEN_EVERY_MS = 60_000;

/** One device, signed in. In memory only. */
export interface HubSession {
  readonly sessionId: string;
  readonly deviceId: DeviceId;
}

interface KeptSession extends HubSession {
  readonly sessionKey: string;
  /** Which pairing it rests on: another token is another pairing. */
  readonly tokenHash: string;
  readonly used: Set<number>;
  highest: number;
  usedAtMs: number;
}

/** What a device shows to sign in. */
interface SignIn {
  readonly deviceId: DeviceId;
  readonly token: string;
  readonly challenge: string;
  readonly signature: string;
}

/** Who may talk to the hub. */
export interface HubSessions {
  /** To be signed by the device. Nothing is kept of it until it was used. */
  challenge(deviceId: string): string;
  signIn(of: SignIn): Promise<Result<HubSession & { readonly sessionKey: string }, HubError>>;
  /** Whose request this is; the session is not proved by it. */
  find(sessionId: string | undefined): HubSession | null;
  /** Whether the session's owner sent exactly this request, now for the first time, and is still paired. */
  prove(session: HubSession, request: ProvenRequest & { readonly mac: string }): Promise<Result<null, HubError>>;
  isOpen(session: HubSession): boolean;
  /** Ends what a device has open. */
  end(deviceId: DeviceId): void;
  onEnd(listener: (session: HubSession) => void): void;
}

export interface HubSessionsOptions {
  readonly devices: HubDevices;
  readonly fingerprint: string;
  readonly limits: HubLimits;
  readonly nowMs: () => number;
  readonly wallMs: () => number;
}

export function createHubSessions(options: HubSessionsOptions): HubSessions {
  return new MemorySessions(options);
}

class MemorySessions implements HubSessions {
  readonly #options: HubSessionsOptions;
  readonly #seal = randomBytes(32);
  readonly #sessions = new Map<string, KeptSession>();
  /** Challenges that were answered, with the time until which they could be answered again. */
  readonly #answered = new Map<string, number>();
  readonly #listeners: ((session: HubSession) => void)[] = [];

  constructor(options: HubSessionsOptions) {
    this.#options = options;
  }

  /** It carries its own seal, so a flood of strangers who ask for one takes nothing from anybody else. */
  challenge(deviceId: string): string {
    const untilMs = Math.ceil(this.#options.nowMs() + this.#options.limits.challengeMs);
    const nonce = randomBytes(16).toString('base64url');
    return `${nonce}.${untilMs}.${this.#sealed(nonce, untilMs, deviceId)}`;
  }

  async signIn({ deviceId, token, challenge, signature }: SignIn): Promise<ReturnType<typeof signedIn>> {
    const { devices, fingerprint, wallMs } = this.#options;
    const found = await devices.find(deviceId);
    if (!found.ok) return err(hubError('unsure', 'The hub cannot read its list of devices. Nobody was let in.'));
    const device = found.value;
    const statement = sessionStatement({ fingerprint, deviceId, challenge });
    if (device === null || !isSignedBy(device.publicKey, statement, signature)) return err(hubError('not-paired'));
    if (!this.#useUp(challenge, deviceId)) {
      return err(hubError('not-signed-in', 'The challenge was answered before or too late. Nothing was done.'));
    }
    if (device.tokenHash === null) return err(hubError('device-removed'));
    if (!isSameText(digestOf(token), device.tokenHash)) return err(hubError('not-paired'));
    const session = this.#open(deviceId, device.tokenHash);
    // Written now and then only: it costs a flush, and people read it in minutes.
    if (wallMs() - (device.lastSeenAtMs ?? 0) > SEEN_EVERY_MS) await devices.seen(deviceId, wallMs());
    return signedIn(session);
  }

  find(sessionId: string | undefined): HubSession | null {
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    if (session === undefined) return null;
    if (this.#options.nowMs() - session.usedAtMs <= this.#options.limits.sessionIdleMs) return session;
    this.#close(session);
    return null;
  }

  async prove(
    { sessionId }: HubSession,
    request: ProvenRequest & { readonly mac: string },
  ): Promise<Result<null, HubError>> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined || !isSameText(requestMac(session.sessionKey, request), request.mac)) {
      return err(hubError('not-signed-in'));
    }
    if (!takeSequence(session, request.sequence)) return err(hubError('replayed'));
    session.usedAtMs = this.#options.nowMs();
    const found = await this.#options.devices.find(session.deviceId);
    if (!found.ok) return err(hubError('unsure', 'The hub cannot read its list of devices. Nothing was done.'));
    if (isPairedAs(found.value, session)) return ok(null);
    this.#close(session);
    return err(hubError(found.value?.revokedAtMs === null ? 'not-signed-in' : 'device-removed'));
  }

  isOpen({ sessionId }: HubSession): boolean {
    return this.#sessions.has(sessionId);
  }

  end(deviceId: DeviceId): void {
    for (const session of this.#sessions.values()) if (session.deviceId === deviceId) this.#close(session);
  }

  onEnd(listener: (session: HubSession) => void): void {
    this.#listeners.push(listener);
  }

  #open(deviceId: DeviceId, tokenHash: string): KeptSession {
    const own = [...this.#sessions.values()].filter((session) => session.deviceId === deviceId);
    for (const oldest of own.slice(0, Math.max(0, own.length - this.#options.limits.sessionsPerDevice + 1))) {
      this.#close(oldest);
    }
    const session: KeptSession = {
      sessionId: newHubSecret(),
      sessionKey: newHubSecret(),
      deviceId,
      tokenHash,
      used: new Set(),
      highest: 0,
      usedAtMs: this.#options.nowMs(),
    };
    this.#sessions.set(session.sessionId, session);
    return session;
  }

  #close(session: KeptSession): void {
    if (!this.#sessions.delete(session.sessionId)) return;
    for (const listener of this.#listeners) listener(session);
  }

  /** True once for each challenge that this hub made for this device and that is not too old. */
  #useUp(challenge: string, deviceId: string): boolean {
    const nowMs = this.#options.nowMs();
    for (const [old, untilMs] of this.#answered) if (untilMs < nowMs) this.#answered.delete(old);
    const [nonce = '', until = '', seal = ''] = challenge.split('.');
    const untilMs = Number(until);
    if (!isSameText(seal, this.#sealed(nonce, untilMs, deviceId)) || !(nowMs <= untilMs)) return false;
    // By what it was made of, not by how it was written.
    if (this.#answered.has(nonce)) return false;
    this.#answered.set(nonce, untilMs);
    return true;
  }

  #sealed(nonce: string, untilMs: number, deviceId: string): string {
    return sealOf(this.#seal, [nonce, String(untilMs), deviceId]);
  }
}

function signedIn(session: KeptSession): Result<HubSession & { readonly sessionKey: string }, HubError> {
  const { sessionId, sessionKey, deviceId } = session;
  return ok({ sessionId, sessionKey, deviceId });
}

function isPairedAs(device: PairedDevice | null, session: KeptSession): boolean {
  return device !== null && device.tokenHash === session.tokenHash;
}

/** Whether a number comes for the first time. What is too far behind to remember counts as seen. */
function takeSequence(session: KeptSession, sequence: number): boolean {
  if (sequence <= session.highest - SEQUENCE_WINDOW || session.used.has(sequence)) return false;
  session.used.add(sequence);
  session.highest = Math.max(session.highest, sequence);
  if (session.used.size > 2 * SEQUENCE_WINDOW) {
    for (const old of session.used) if (old <= session.highest - SEQUENCE_WINDOW) session.used.delete(old);
  }
  return true;
}
