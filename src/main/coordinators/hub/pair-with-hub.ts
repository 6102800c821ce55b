import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { ownMember } from '../../../shared/lib/own-member.ts';
import { HUB_PATHS } from '../../hub/hub-wire.ts';
import { readPairLink } from '../../hub/pair-link.ts';
import type { Invitation } from '../../hub/pair-link.ts';
import { newHubSecret, pairingStatement, publicKeyOf, signWith } from '../../hub/proofs.ts';
import { sixWords } from '../../hub/six-words.ts';
import { DEVICE_KEY_SECRET, ensureDeviceKey } from '../../secrets/device-key.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import { HubConnections } from './hub-connection.ts';
import { hubFailureEnding, NotConnectedError, WrongCertificateError } from './hub-failure.ts';
import { callHub } from './hub-request.ts';
import type { HubAnswer } from './hub-request.ts';

/** Under which name a device keeps what its hub knows it by. Its key stays the same for every hub and every pairing. */
const TOKEN_SECRET = 'hub-token';
const ASK_EVERY_MS = 1_000;
const CALL_LIMIT_MS = 5_000;
/** A person has two minutes to compare the words, and the hub says so; this is for a hub that says nothing. */
const GIVE_UP_MS = 180_000;

/** What a device remembers of its hub, none of it secret. */
export interface PairedHub {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly certificatePem: string;
  readonly name: string;
  readonly coordinator: CoordinatorIdentity;
}

export interface PairOptions {
  /** As a person pasted or scanned it. */
  readonly link: string;
  readonly deviceId: string;
  /** What a person calls this device. */
  readonly name: string;
  readonly secrets: Pick<SecretStore, 'read' | 'write'>;
  /** Shows the words; the hub shows the same if nobody is in between. */
  readonly onWords: (words: readonly string[]) => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

const asked = z.object({ hubNonce: z.string().length(43) });
const state = z.discriminatedUnion('state', [
  z.object({ state: z.literal('waiting') }),
  z.object({
    state: z.literal('approved'),
    token: z.string().length(43),
    hubName: z.string().max(200),
    coordinator: z.object({ coordinatorId: z.string().min(1), incarnation: z.string().min(1) }),
  }),
]);

/** What `openHubCoordinator` needs of the secrets; `null` where this device was never paired. Rejects like the store. */
export async function readHubSecrets(
  secrets: Pick<SecretStore, 'read'>,
): Promise<{ readonly token: string; readonly privateKey: string } | null> {
  const [token, privateKey] = await Promise.all([secrets.read(TOKEN_SECRET), secrets.read(DEVICE_KEY_SECRET)]);
  return token === null || privateKey === null ? null : { token, privateKey };
}

/**
 * Asks a hub to let this device in, and waits until a person there has compared the words. Nothing but the certificate of the
 * link is spoken to. A failure has let nobody in, but for one: the token could not be kept, which is said.
 */
export async function pairWithHub(options: PairOptions): Promise<Result<PairedHub, Problem>> {
  const read = readPairLink(options.link);
  if (!read.ok) return read;
  const key = await ensureDeviceKey(options.secrets);
  if (!key.ok) return key;
  const connections = new HubConnections(read.value);
  const pairing: Pairing = { invitation: read.value, privateKey: key.value, connections, isAnswered: false };
  try {
    return await pair(options, pairing);
  } catch (cause) {
    return err(problemOfPairing(cause, pairing.isAnswered || !(cause instanceof NotConnectedError)));
  } finally {
    connections.close();
  }
}

interface Pairing {
  readonly invitation: Invitation;
  readonly privateKey: string;
  readonly connections: HubConnections;
  /** The hub has taken the link. */
  isAnswered: boolean;
}

async function pair(
  { deviceId, name, secrets, onWords, signal }: PairOptions,
  pairing: Pairing,
): Promise<Result<PairedHub, Problem>> {
  const { invitation, privateKey, connections } = pairing;
  const { addresses, port, fingerprint, invitationId, secret } = invitation;
  const deviceNonce = newHubSecret();
  const signature = signWith(privateKey, pairingStatement({ fingerprint, invitationId, deviceNonce }));
  const publicKey = publicKeyOf(privateKey);
  const request = { invitationId, secret, deviceId, name, publicKey, nonce: deviceNonce, signature };
  const first = await post(connections, HUB_PATHS.pair, request);
  if (first.kind === 'refused') return err(problemOfRefusal(first));
  pairing.isAnswered = true;
  const { hubNonce } = asked.parse(first.value);
  onWords(sixWords({ fingerprint, invitationId, hubNonce, deviceId, publicKey, deviceNonce }));
  const until = performance.now() + GIVE_UP_MS;
  const proof = { invitationId, secret, signature };
  while (performance.now() < until) {
    const answer = await post(connections, HUB_PATHS.pairWait, proof);
    // Looked at last: whoever stopped is not paired, even if the hub said yes a moment before.
    if (signal?.aborted === true) return await leave(connections, proof);
    if (answer.kind === 'refused') return err(problemOfRefusal(answer));
    const said = state.parse(answer.value);
    if (said.state === 'approved') {
      const kept = await secrets.write(TOKEN_SECRET, said.token);
      if (!kept.ok) return kept;
      const certificatePem = await certificateOf(connections);
      return ok({ addresses, port, certificatePem, name: said.hubName, coordinator: said.coordinator });
    }
    // Ended early by the signal.
    await wait(ASK_EVERY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
  return err(stoppedProblem());
}

/** A hub that does not hear of it asks on until its two minutes are over, and lets in what fetches nothing. */
async function leave(connections: HubConnections, proof: object): Promise<Result<never, Problem>> {
  await post(connections, HUB_PATHS.pairLeave, proof).catch(() => undefined);
  return err(stoppedProblem());
}

async function certificateOf(connections: HubConnections): Promise<string> {
  const { socket, certificatePem } = await connections.connect();
  socket.destroy();
  return certificatePem;
}

async function post(connections: HubConnections, path: string, body: object): Promise<HubAnswer> {
  return await callHub(connections, { method: 'POST', path, body: JSON.stringify(body), limitMs: CALL_LIMIT_MS });
}

const NOT_LET_IN = 'This device was not let in.';
const OTHER_VERSION = 'Use the same version of Fencepost on both devices, then make a new link on the hub.';

/** What a person does about a refusal of the hub, where a new link alone is not it. */
const AFTER_REFUSAL: Readonly<Record<string, string>> = {
  'already-paired':
    'If the other one is gone, remove it on the hub first. If this is a copy of its data folder, begin with an empty one.',
  'too-many': 'Wait a moment, then make a new link on the hub.',
  unsure: 'Look on the hub whether its disk has room and works, then make a new link there.',
  foreign: 'The hub may have another address now. Make a new link there.',
  malformed: OTHER_VERSION,
  'not-found': OTHER_VERSION,
  unreadable: OTHER_VERSION,
};

function problemOfRefusal({ code, sentence }: Extract<HubAnswer, { kind: 'refused' }>): Problem {
  const known = code === 'already-paired' ? 'already-paired' : 'pairing-refused';
  const wayOut = ownMember(AFTER_REFUSAL, code) ?? 'Make a new link on the hub if it should be.';
  return problem(known, sentence, `${NOT_LET_IN} ${wayOut}`);
}

/** What went wrong on the way. A link that reached its hub is used up, whatever became of the answer. */
function problemOfPairing(cause: unknown, isLinkUsed: boolean): Problem {
  const look = 'Look that both are in one network and that the hub runs';
  if (isLinkUsed) {
    const message = `The hub was lost while it was pairing: ${hubFailureEnding(cause)}.`;
    return problem(
      'register-unreachable',
      message,
      `${look}. If it lists this device, remove it there, then make a new link.`,
    );
  }
  if (cause instanceof WrongCertificateError) {
    const message = 'Another machine answers at the address of the link. The secret of the link was not sent to it.';
    return problem('pairing-refused', message, `${NOT_LET_IN} ${look}, then make a new link there.`);
  }
  const message = `The hub of the link cannot be reached: ${hubFailureEnding(cause)}.`;
  return problem('register-unreachable', message, `${NOT_LET_IN} ${look}, then try again.`);
}

function stoppedProblem(): Problem {
  const message = 'Nobody approved the pairing in time, or it was stopped here.';
  return problem('pairing-refused', message, `${NOT_LET_IN} Make a new link on the hub.`);
}
