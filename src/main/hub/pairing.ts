import { randomBytes } from 'node:crypto';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HubDevices } from './hub-devices.ts';
import { hubError } from './hub-error.ts';
import type { HubError } from './hub-error.ts';
import type { HubLimits } from './hub-limits.ts';
import { writePairLink } from './pair-link.ts';
import { digestOf, isSameText, isSignedBy, newHubSecret, pairingStatement } from './proofs.ts';
import { sixWords } from './six-words.ts';

/** A device that waits for a person to compare the words. */
interface PendingPairing {
  readonly invitationId: string;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly words: readonly string[];
  /** Set where the device was paired before: it keeps its entry and gets a new token. */
  readonly isAgain: boolean;
}

/** A new invitation. */
interface NewInvitation {
  readonly invitationId: string;
  /** A secret: whoever has it can ask to be let in, once. */
  readonly link: string;
  readonly expiresInMs: number;
}

/** What a device says when it asks to be let in. */
interface PairRequest {
  readonly invitationId: string;
  readonly secret: string;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly publicKey: string;
  readonly nonce: string;
  readonly signature: string;
}

/** What it says while it waits. */
type PairWait = Pick<PairRequest, 'invitationId' | 'secret' | 'signature'>;

type PairState = { readonly state: 'waiting' } | { readonly state: 'approved'; readonly token: string };

/** Letting devices in: a person invites, the device asks, a person compares six words and decides. */
export interface HubPairing {
  invite(): NewInvitation;
  /** Takes an invitation back; also refuses whoever waits on it. */
  refuse(invitationId: string): void;
  pending(): readonly PendingPairing[];
  /** The name of the device that used the invitation and has left since, before anybody decided; `null` if none has. */
  leftBy(invitationId: string): string | null;
  approve(invitationId: string): Promise<Result<null, Problem>>;
  onChange(listener: () => void): () => void;
  /** For the device: uses the invitation up and answers what the words are made of. */
  ask(request: PairRequest): Promise<Result<{ readonly hubNonce: string }, HubError>>;
  wait(request: PairWait): Result<PairState, HubError>;
  /** For the device: it waits no longer, so that nobody is asked to let in what is not there. */
  leave(request: PairWait): Result<null, HubError>;
}

export interface HubPairingOptions {
  readonly devices: HubDevices;
  readonly fingerprint: string;
  readonly limits: HubLimits;
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** Where the hub is, for the link. */
  readonly place: () => { readonly addresses: readonly string[]; readonly port: number };
  /** Called when a device has a new token: what it had open under the old one ends. */
  readonly paired: (deviceId: DeviceId) => void;
}

interface Claim extends PendingPairing {
  readonly publicKey: string;
  readonly nonce: string;
  readonly hubNonce: string;
}

interface Invitation {
  readonly invitationId: string;
  readonly secretHash: string;
  untilMs: number;
  wrongSecrets: number;
  claim: Claim | null;
  state: 'open' | 'claimed' | 'approved' | 'refused' | 'left';
  /** In memory only, until the device has fetched it or the time is over. */
  token: string | null;
}

const GONE = 'This link is not valid: it is wrong, was taken back, or its two minutes have passed.';
const USED = 'This link was used already. If that was not you, refuse it on the hub.';

export function createHubPairing(options: HubPairingOptions): HubPairing {
  return new Pairing(options);
}

class Pairing implements HubPairing {
  readonly #options: HubPairingOptions;
  readonly #invitations = new Map<string, Invitation>();
  readonly #listeners = new Set<() => void>();

  constructor(options: HubPairingOptions) {
    this.#options = options;
  }

  invite(): NewInvitation {
    const { limits, nowMs, place, fingerprint } = this.#options;
    this.#forgetOld();
    for (const oldest of this.#invitations.keys()) {
      if (this.#invitations.size < limits.invitations) break;
      this.#invitations.delete(oldest);
    }
    const invitationId = randomBytes(16).toString('base64url');
    const secret = newHubSecret();
    const { addresses, port } = place();
    this.#invitations.set(invitationId, {
      invitationId,
      secretHash: digestOf(secret),
      untilMs: nowMs() + limits.invitationMs,
      wrongSecrets: 0,
      claim: null,
      state: 'open',
      token: null,
    });
    const link = writePairLink({ addresses: [...addresses], port, fingerprint, invitationId, secret });
    return { invitationId, link, expiresInMs: limits.invitationMs };
  }

  refuse(invitationId: string): void {
    const invitation = this.#invitations.get(invitationId);
    if (invitation === undefined || invitation.state === 'approved') return;
    invitation.state = 'refused';
    this.#tell();
  }

  pending(): readonly PendingPairing[] {
    this.#forgetOld();
    return [...this.#invitations.values()].flatMap(({ claim, state }) => {
      if (claim === null || state !== 'claimed') return [];
      const { invitationId, deviceId, name, words, isAgain } = claim;
      return [{ invitationId, deviceId, name, words, isAgain }];
    });
  }

  leftBy(invitationId: string): string | null {
    const invitation = this.#invitations.get(invitationId);
    return invitation?.state === 'left' ? (invitation.claim?.name ?? null) : null;
  }

  async approve(invitationId: string): Promise<Result<null, Problem>> {
    this.#forgetOld();
    const invitation = this.#invitations.get(invitationId);
    const claim = invitation?.claim ?? null;
    if (invitation === undefined || claim === null || invitation.state !== 'claimed') {
      const message =
        'Nobody waits on this link any more: it was decided, the other device left, or two minutes have passed.';
      return err(problem('already-decided', message, 'Nobody was let in. Make a new link.'));
    }
    invitation.state = 'approved';
    const token = newHubSecret();
    const { deviceId, name, publicKey } = claim;
    const { devices, wallMs, limits } = this.#options;
    const pairedAtMs = Math.round(wallMs());
    const kept = await devices.pair({ deviceId, name, publicKey, pairedAtMs, tokenHash: digestOf(token) });
    if (kept.ok) {
      invitation.token = token;
      // Time to fetch it, also when the person decided in the last second.
      invitation.untilMs = this.#options.nowMs() + limits.invitationMs;
      this.#options.paired(deviceId);
    } else invitation.state = 'refused';
    this.#tell();
    return kept;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async ask(request: PairRequest): Promise<Result<{ readonly hubNonce: string }, HubError>> {
    const opened = this.#open(request);
    if (!opened.ok) return opened;
    const invitation = opened.value;
    const { fingerprint, devices } = this.#options;
    const { invitationId, deviceId, name, publicKey, nonce } = request;
    const statement = pairingStatement({ fingerprint, invitationId, deviceNonce: nonce });
    if (!isSignedBy(publicKey, statement, request.signature)) return err(hubError('malformed'));
    if (invitation.state !== 'open') return err(hubError('pairing-refused', USED));
    // Used up before anything is awaited, so that of two who ask at once only one gets on.
    invitation.state = 'claimed';
    const known = await devices.find(deviceId);
    if (!known.ok) return this.#turnAway(invitation, hubError('unsure'));
    const isAgain = known.value !== null && known.value.revokedAtMs === null;
    if (isAgain && known.value?.publicKey !== publicKey) {
      return this.#turnAway(invitation, hubError('already-paired'));
    }
    const hubNonce = newHubSecret();
    const facts = { fingerprint, invitationId, hubNonce, deviceId, publicKey, deviceNonce: nonce };
    invitation.claim = { invitationId, deviceId, name, words: sixWords(facts), isAgain, publicKey, nonce, hubNonce };
    this.#tell();
    return ok({ hubNonce });
  }

  wait(request: PairWait): Result<PairState, HubError> {
    const claimed = this.#claimed(request);
    if (!claimed.ok) return claimed;
    const { state, token } = claimed.value;
    if (state === 'refused' || state === 'left') return err(hubError('pairing-refused'));
    return ok(token === null ? { state: 'waiting' } : { state: 'approved', token });
  }

  leave(request: PairWait): Result<null, HubError> {
    const claimed = this.#claimed(request);
    if (!claimed.ok) return claimed;
    // Somebody said yes a moment before: the device is paired, and is taken out on the hub if it should not be.
    if (claimed.value.state === 'claimed') claimed.value.state = 'left';
    this.#tell();
    return ok(null);
  }

  /** The invitation, for the device that used it: who asked first is who waits, and the link alone does not fetch the token. */
  #claimed(request: PairWait): Result<Invitation, HubError> {
    const opened = this.#open(request);
    if (!opened.ok) return opened;
    const { claim } = opened.value;
    if (claim === null) return err(hubError('pairing-refused', USED));
    const { invitationId } = request;
    const { fingerprint } = this.#options;
    const statement = pairingStatement({ fingerprint, invitationId, deviceNonce: claim.nonce });
    if (!isSignedBy(claim.publicKey, statement, request.signature)) return err(hubError('pairing-refused', USED));
    return opened;
  }

  /** The invitation, for whoever knows its secret. Five wrong secrets end it. */
  #open({ invitationId, secret }: Pick<PairRequest, 'invitationId' | 'secret'>): Result<Invitation, HubError> {
    this.#forgetOld();
    const invitation = this.#invitations.get(invitationId);
    if (invitation === undefined) return err(hubError('pairing-refused', GONE));
    if (isSameText(digestOf(secret), invitation.secretHash)) return ok(invitation);
    invitation.wrongSecrets += 1;
    if (invitation.wrongSecrets >= this.#options.limits.wrongSecrets) {
      this.#invitations.delete(invitationId);
      this.#tell();
    }
    return err(hubError('pairing-refused', GONE));
  }

  #turnAway(invitation: Invitation, error: HubError): Result<never, HubError> {
    this.#invitations.delete(invitation.invitationId);
    return err(error);
  }

  #forgetOld(): void {
    const nowMs = this.#options.nowMs();
    for (const [invitationId, { untilMs }] of this.#invitations) {
      if (nowMs > untilMs) this.#invitations.delete(invitationId);
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
