import type { CoordinatorChoice, CoordinatorSecrets } from '../../../shared/contract/coordinator-requests.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import { sha256 } from '../../store/connection.ts';
import type { EtcdOptions } from '../etcd/etcd-coordinator.ts';
import type { EtcdMark } from '../etcd/etcd-link.ts';
import { openHubCoordinator } from '../hub/hub-coordinator.ts';
import { readHubSecrets } from '../hub/pair-with-hub.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import type { PostgresOptions } from '../postgres/postgres-options.ts';
import type { HubHere } from './hub-here.ts';
import type { CoordinatorMemory } from './kept-choice.ts';

/** Hexadecimal digits of a place in the name of its secret: nobody has two places that are alike in so many. */
const PLACE_DIGITS = 32;

/** What opening any of them can need. */
export interface OpeningParts {
  readonly deviceId: DeviceId;
  /** Keys and passwords of this device; no tool can name them. */
  readonly keys: SecretStore;
  readonly memory: CoordinatorMemory;
  readonly hubHere: HubHere;
  readonly embedded: () => LeaseCoordinator;
}

/** How often it is kept how far etcd has come, ms. */
const ETCD_MARK_EVERY_MS = 10_000;

type PostgresChoice = Extract<CoordinatorChoice, { kind: 'postgres' }>;
type EtcdChoice = Extract<CoordinatorChoice, { kind: 'etcd' }>;

const NOT_PAIRED = problem(
  'not-offered',
  'This device is not paired with a hub.',
  'Open “Devices”, join a hub with its link, then choose it here.',
);

/** What a person calls it. */
export function nameOf(choice: CoordinatorChoice, memory: CoordinatorMemory): string {
  switch (choice.kind) {
    case 'embedded':
      return 'This device';
    case 'this-hub':
      return 'The hub on this device';
    case 'hub':
      return memory.paired.read()?.name ?? 'The hub';
    case 'postgres':
      return `PostgreSQL on ${choice.host}`;
    case 'etcd':
      return `etcd on ${choice.endpoints.map((endpoint) => new URL(endpoint).host).join(', ')}`;
    default:
      return assertNever(choice);
  }
}

/** Opens what was chosen. The drivers of the two servers are loaded only by whoever uses them. */
export async function openChosen(
  choice: CoordinatorChoice,
  parts: OpeningParts,
): Promise<Result<LeaseCoordinator, Problem>> {
  switch (choice.kind) {
    case 'embedded':
      return ok(parts.embedded());
    case 'this-hub':
      return parts.hubHere.register();
    case 'hub':
      return openHub(parts);
    case 'postgres': {
      const { openPostgresCoordinator } = await import('../postgres/postgres-coordinator.ts');
      return openPostgresCoordinator(await postgresOptions(choice, parts));
    }
    case 'etcd': {
      const { openEtcdCoordinator } = await import('../etcd/etcd-coordinator.ts');
      return openEtcdCoordinator(await etcdOptions(choice, parts));
    }
    default:
      return assertNever(choice);
  }
}

async function openHub({ memory, keys, deviceId }: OpeningParts): Promise<Result<LeaseCoordinator, Problem>> {
  const paired = memory.paired.read();
  const secrets = paired === null ? null : await readHubSecrets(keys);
  if (paired === null || secrets === null) return err(NOT_PAIRED);
  const { coordinator, ...place } = paired;
  return openHubCoordinator({ ...place, ...secrets, deviceId, known: coordinator });
}

/** The name under which the password of a place is kept: another place has another one. */
function passwordKey(choice: PostgresChoice | EtcdChoice): string {
  if (choice.kind === 'etcd') return secretNameOf('etcd-password', [choice.user, ...choice.endpoints]);
  const { user, host, port, database } = choice;
  return secretNameOf('postgres-password', [user, host, String(port), database]);
}

function privateKeyKey({ endpoints }: EtcdChoice): string {
  return secretNameOf('etcd-private-key', endpoints);
}

/** A digest of the place, because the name of a secret has no room for dots, spaces or a long address. */
function secretNameOf(what: string, place: readonly string[]): string {
  return `${what}-${sha256(JSON.stringify(place)).slice(0, PLACE_DIGITS)}`;
}

/** Keeps what came with a choice; what was left empty stays as it was kept before. */
export async function keepSecrets(
  choice: CoordinatorChoice,
  secrets: CoordinatorSecrets,
  keys: SecretStore,
): Promise<Result<null, Problem>> {
  if (choice.kind !== 'postgres' && choice.kind !== 'etcd') return ok(null);
  if (secrets.password !== '') {
    const kept = await keys.write(passwordKey(choice), secrets.password);
    if (!kept.ok) return kept;
  }
  if (choice.kind === 'etcd' && secrets.privateKeyPem !== '') {
    return keys.write(privateKeyKey(choice), secrets.privateKeyPem);
  }
  return ok(null);
}

export async function postgresOptions(
  choice: PostgresChoice,
  { memory, keys }: Pick<OpeningParts, 'memory' | 'keys'>,
  secrets?: CoordinatorSecrets,
): Promise<PostgresOptions> {
  const { host, port, database, user, authorityPem } = choice;
  const given = secrets?.password ?? '';
  const password = given === '' ? await keys.read(passwordKey(choice)) : given;
  const caPem = authorityPem === '' ? null : authorityPem;
  return {
    name: nameOf(choice, memory),
    address: { host, port, database, user },
    password,
    tls: choice.tls === 'off' ? { kind: 'off' } : { kind: 'verified', caPem, client: null },
  };
}

export async function etcdOptions(
  choice: EtcdChoice,
  { memory, keys }: Pick<OpeningParts, 'memory' | 'keys'>,
  secrets?: CoordinatorSecrets,
): Promise<EtcdOptions> {
  const { endpoints, user, prefix, authorityPem, certificatePem } = choice;
  const given = secrets ?? { password: '', privateKeyPem: '' };
  const kept = async (key: string): Promise<string | undefined> => (await keys.read(key)) ?? undefined;
  const key = given.privateKeyPem === '' ? await kept(privateKeyKey(choice)) : given.privateKeyPem;
  return {
    endpoints,
    prefix,
    name: nameOf(choice, memory),
    ca: authorityPem === '' ? undefined : authorityPem,
    ...(certificatePem === '' ? {} : { cert: certificatePem, key }),
    ...(user === ''
      ? {}
      : { user, password: given.password === '' ? await kept(passwordKey(choice)) : given.password }),
    lastSeen: memory.etcdMark.read(),
    onSeen: seldom((mark: EtcdMark) => void memory.etcdMark.write(mark)),
  };
}

/** It comes with every answer; a mark that is somewhat old serves as well. */
function seldom(keep: (mark: EtcdMark) => void): (mark: EtcdMark) => void {
  let keptMs = Number.NEGATIVE_INFINITY;
  return (mark) => {
    const nowMs = performance.now();
    if (nowMs - keptMs < ETCD_MARK_EVERY_MS) return;
    keptMs = nowMs;
    keep(mark);
  };
}
