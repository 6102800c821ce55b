import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import type { Meta } from './etcd-agent-keys.ts';
import { endpointsFault, EtcdClient, needAnswer, VERB_LIMIT_MS } from './etcd-client.ts';
import type { EtcdAccess } from './etcd-client.ts';
import { EtcdLink } from './etcd-link.ts';
import type { EtcdMark } from './etcd-link.ts';
import { ensureMeta, renewMeta } from './etcd-meta.ts';
import { EtcdRegister } from './etcd-register.ts';
import { judgeVersion } from './etcd-version.ts';
import { statusSchema } from './etcd-wire.ts';

/** All keys of the register begin so, unless a person chose otherwise. */
export const ETCD_PREFIX = 'fencepost/v1/';

export interface EtcdOptions extends EtcdAccess {
  readonly prefix?: string | undefined;
  /** What a person calls it. */
  readonly name?: string | undefined;
  /** What this device last saw of etcd, from `onSeen`. Less than that is refused: it was restored from a backup. */
  readonly lastSeen?: EtcdMark | null | undefined;
  /** Told whenever etcd has come further. To be kept over restarts; a mark that is somewhat old still serves. */
  readonly onSeen?: ((mark: EtcdMark) => void) | undefined;
  /** A clock that never goes back, ms, for the remaining time that is shown; nothing is decided on it. */
  readonly now?: (() => number) | undefined;
}

/** The register in etcd. */
export interface EtcdCoordinator extends LeaseCoordinator {
  /** What a person should know although it works, as a sentence; empty if nothing. */
  readonly warning: string;
}

/**
 * Opens the register in an etcd of version 3.4 or later. `remainingMs` of its views is exact for leases that this connection
 * granted or renewed, and in whole seconds, or the whole TTL, for others.
 * @returns `register-unreachable`, `register-went-back`, or `input-invalid` for an address that is none.
 */
export async function openEtcdCoordinator(options: EtcdOptions): Promise<Result<EtcdCoordinator, Problem>> {
  const opened = open(options, options.lastSeen ?? null);
  if (!opened.ok) return opened;
  const { client, link } = opened.value;
  const prefix = options.prefix ?? ETCD_PREFIX;
  const untilMs = performance.now() + VERB_LIMIT_MS;
  const call = { body: {}, schema: statusSchema, untilMs, isRead: true };
  const status = needAnswer(await client.call('/v3/maintenance/status', call));
  const version = status.ok ? judgeVersion(status.value.version) : status;
  if (!version.ok) {
    link.close();
    return version;
  }
  const meta = await ensureMeta(link, { prefix, untilMs });
  if (!meta.ok) {
    link.close();
    return meta;
  }
  const now = options.now ?? (() => performance.now());
  const register = new EtcdRegister(link, { prefix, meta: meta.value, now });
  return ok({
    identity: identityOf(meta.value),
    name: options.name ?? 'etcd',
    warning: version.value.warning,
    inside: null,
    ask: (agentId, verb) => register.ask(agentId, verb),
    current: (agentId) => register.current(agentId),
    close: async () => link.close(),
  });
}

/**
 * A person says that an etcd which was restored, or replaced by a copy, is the right one. The register gets a new incarnation,
 * so that every device notices, and every open connection ends with `register-went-back`.
 */
export async function confirmEtcdRestore(options: EtcdOptions): Promise<Result<CoordinatorIdentity, Problem>> {
  const opened = open(options, null);
  if (!opened.ok) return opened;
  const { link } = opened.value;
  const untilMs = performance.now() + VERB_LIMIT_MS;
  const renewed = await renewMeta(link, { prefix: options.prefix ?? ETCD_PREFIX, untilMs });
  link.close();
  return renewed.ok ? ok(identityOf(renewed.value)) : renewed;
}

function identityOf({ coordinatorId, incarnation }: Meta): CoordinatorIdentity {
  return { coordinatorId, incarnation };
}

interface Opened {
  readonly client: EtcdClient;
  readonly link: EtcdLink;
}

function open(options: EtcdOptions, mark: EtcdMark | null): Result<Opened, Problem> {
  const fault = endpointsFault(options.endpoints);
  if (fault !== null) return err(problem('input-invalid', fault, 'Correct the address.'));
  try {
    const client = new EtcdClient(options);
    return ok({ client, link: new EtcdLink(client, mark, options.onSeen ?? (() => {})) });
  } catch {
    return err(
      problem('input-invalid', 'The certificate or its key is not readable.', 'Choose the files again, in PEM form.'),
    );
  }
}
