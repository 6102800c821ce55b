import { z } from 'zod';
import type { Problem } from '../../../shared/contract/errors.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import type { RegisterVerb } from '../../../shared/core/lease/register.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { fingerprintOf } from '../../hub/certificate.ts';
import { bareVerb, HUB_PATHS } from '../../hub/hub-wire.ts';
import type { LeaseCoordinator, RegisterAnswer } from '../lease-coordinator.ts';
import { unreachableProblem, wentBackProblem } from '../register-problem.ts';
import { isSame, readAnswers, readVerbAnswer, readViewAnswer } from './hub-answer.ts';
import { HubChanges } from './hub-changes.ts';
import { HubConnections } from './hub-connection.ts';
import { HubFailure, hubFailureSentence } from './hub-failure.ts';
import { HubQueue } from './hub-queue.ts';
import { HubRefusal, HubSignIn } from './hub-sign-in.ts';

/** The longest a question may take, connecting and signing in included, ms: below the send window. */
const ASK_LIMIT_MS = 2_500;

/** Which hub, and as which device. */
export interface HubCoordinatorOptions {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly certificatePem: string;
  readonly deviceId: string;
  /** From the secrets of this device; see `readHubSecrets`. */
  readonly token: string;
  readonly privateKey: string;
  /** What a person calls the hub. */
  readonly name: string;
  /**
   * The register that was found there before. With it a hub that cannot be reached is opened all the same, and every question
   * is answered with a problem until it can be; another register in its place is refused.
   */
  readonly known?: CoordinatorIdentity;
}

/** A hub as a coordinator; changes are told by it. */
export interface HubCoordinator extends LeaseCoordinator {
  readonly onChange: NonNullable<LeaseCoordinator['onChange']>;
  /** Devices were paired, renamed or removed. */
  onDevices(listener: () => void): () => void;
  /** What the hub shows a device of the others. */
  devices(): Promise<Result<readonly HubDeviceView[], Problem>>;
}

/** A device of the hub, as the others see it. */
export interface HubDeviceView {
  readonly deviceId: string;
  readonly name: string;
  readonly pairedAtMs: number;
  readonly lastSeenAtMs: number | null;
  readonly revokedAtMs: number | null;
}

const moment = z.number().nullable();
const devicesSchema = z.object({
  devices: z.array(
    z.object({
      deviceId: z.string().max(160),
      name: z.string().max(200),
      pairedAtMs: z.number(),
      lastSeenAtMs: moment,
      revokedAtMs: moment,
    }),
  ),
});

/** Signs in to a hub. Every question has one chance; whatever is not certain is answered with a problem. */
export async function openHubCoordinator(options: HubCoordinatorOptions): Promise<Result<HubCoordinator, Problem>> {
  const { addresses, port, certificatePem, deviceId, token, privateKey, known } = options;
  let fingerprint: string;
  try {
    fingerprint = fingerprintOf(certificatePem);
  } catch {
    return err(problem('input-invalid', 'The kept certificate of the hub is damaged.', 'Pair this device again.'));
  }
  const connections = new HubConnections({ addresses, port, fingerprint });
  const signIn = new HubSignIn(connections, { deviceId, token, privateKey, fingerprint });
  const found = await lookFirst(signIn);
  if (found.ok && known !== undefined && !isSame(found.value, known)) {
    connections.close();
    return err(wentBackProblem());
  }
  const isOnlyAway = !found.ok && found.error.code === 'register-unreachable';
  if (!found.ok && (known === undefined || !isOnlyAway)) {
    connections.close();
    return found;
  }
  const identity = found.ok ? found.value : known;
  if (identity === undefined) return err(unreachableProblem('It has no name.'));
  return ok(new Hub({ name: options.name, identity, connections, signIn }));
}

function problemOfHub(cause: unknown): Problem {
  if (!(cause instanceof HubRefusal)) return unreachableProblem(hubFailureSentence(cause));
  if (cause.code === 'device-removed') {
    const message = 'This device was removed from the hub.';
    return problem('device-removed', message, 'Nothing was sent. If that was a mistake, pair it again.');
  }
  if (cause.code === 'not-paired') {
    const message = 'The hub does not know this device.';
    return problem('unauthorised', message, 'Nothing was sent. Pair this device with the hub again.');
  }
  return unreachableProblem(`The hub says: ${cause.message}`);
}

async function lookFirst(signIn: HubSignIn): Promise<Result<CoordinatorIdentity, Problem>> {
  try {
    const call = { method: 'GET', path: HUB_PATHS.devices, body: '', limitMs: ASK_LIMIT_MS } as const;
    await signIn.call(call);
    return signIn.signedIn === null ? err(unreachableProblem('It has no name.')) : ok(signIn.signedIn.coordinator);
  } catch (cause) {
    return err(problemOfHub(cause));
  }
}

interface HubParts {
  readonly name: string;
  readonly identity: CoordinatorIdentity;
  readonly connections: HubConnections;
  readonly signIn: HubSignIn;
}

class Hub implements HubCoordinator {
  readonly name: string;
  readonly identity: CoordinatorIdentity;
  readonly inside = null;
  readonly #connections: HubConnections;
  readonly #signIn: HubSignIn;
  readonly #asks: HubQueue<{ readonly agentId: AgentId; readonly verb: object }>;
  readonly #looks: HubQueue<AgentId>;
  readonly #changes: HubChanges;
  #isClosed = false;

  constructor({ name, identity, connections, signIn }: HubParts) {
    this.name = name;
    this.identity = identity;
    this.#connections = connections;
    this.#signIn = signIn;
    this.#asks = new HubQueue(ASK_LIMIT_MS, (questions, limitMs) => this.#send(HUB_PATHS.ask, questions, limitMs));
    this.#looks = new HubQueue(ASK_LIMIT_MS, (questions, limitMs) => this.#send(HUB_PATHS.current, questions, limitMs));
    this.#changes = new HubChanges({ connections, signIn });
  }

  async ask(agentId: AgentId, verb: RegisterVerb): Promise<Result<RegisterAnswer, Problem>> {
    this.#changes.knows(agentId);
    return await this.#answer(() => this.#asks.ask({ agentId, verb: bareVerb(verb) }), readVerbAnswer);
  }

  async current(agentId: AgentId): Promise<Result<RegisterView, Problem>> {
    this.#changes.knows(agentId);
    return await this.#answer(() => this.#looks.ask(agentId), readViewAnswer);
  }

  onChange: HubCoordinator['onChange'] = (listener) => this.#changes.onAgent(listener);

  onDevices: HubCoordinator['onDevices'] = (listener) => this.#changes.onDevices(listener);

  async devices(): Promise<Result<readonly HubDeviceView[], Problem>> {
    try {
      const call = { method: 'GET', path: HUB_PATHS.devices, body: '', limitMs: ASK_LIMIT_MS } as const;
      const said = devicesSchema.safeParse(await this.#signIn.call(call));
      return said.success ? ok(said.data.devices) : err(unreachableProblem('Its list of devices is not readable.'));
    } catch (cause) {
      return err(problemOfHub(cause));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changes.close();
    this.#connections.close();
  }

  async #answer<Value>(
    ask: () => Promise<unknown>,
    read: (value: unknown, expected: CoordinatorIdentity) => Result<Value, Problem>,
  ): Promise<Result<Value, Problem>> {
    if (this.#isClosed) return err(unreachableProblem('It was closed.'));
    try {
      return read(await ask(), this.identity);
    } catch (cause) {
      return err(problemOfHub(cause));
    }
  }

  async #send(path: string, questions: readonly unknown[], limitMs: number): Promise<readonly unknown[]> {
    const value = await this.#signIn.call({ method: 'POST', path, body: JSON.stringify(questions), limitMs });
    const answers = readAnswers(value, questions.length);
    if (answers === null) throw new HubFailure('The hub gave an answer that nobody can read.');
    return answers;
  }
}
