import type { CoordinatorCheck } from '../../../shared/contract/coordinator-views.ts';
import { sentenceOf } from '../register-problem.ts';
import { agentsPrefix, metaKey } from './etcd-agent-keys.ts';
import { endpointsFault, EtcdClient, sentenceOfOutcome } from './etcd-client.ts';
import type { EtcdAccess, Outcome } from './etcd-client.ts';
import { ETCD_PREFIX } from './etcd-coordinator.ts';
import { judgeVersion } from './etcd-version.ts';
import { anyBelow, encodeText, endOfPrefix, grantSchema, membersSchema, put, range, remove } from './etcd-wire.ts';
import { revokeSchema, statusSchema, txnSchema } from './etcd-wire.ts';
import type { Txn } from './etcd-wire.ts';

/** How long one look may take, ms. */
const LOOK_LIMIT_MS = 2_000;
/** A verb takes up to four round trips and has 2.5 s: slower than this, a busy moment is enough to fail, ms. */
const SLOW_MS = 250;
const READS_TIMED = 5;

export interface EtcdCheckOptions extends EtcdAccess {
  readonly prefix?: string | undefined;
}

type Checks = readonly CoordinatorCheck[];

/**
 * Looks at everything that can be wrong with an etcd, in the order in which one depends on the other, and changes nothing in
 * it. What comes after a failure that it depends on is `skipped`. Never rejects.
 */
export async function testEtcd(options: EtcdCheckOptions): Promise<Checks> {
  const fault = endpointsFault(options.endpoints);
  if (fault !== null) return [failed('address', fault, 'Correct the address.'), ...skipped('address')];
  let client: EtcdClient;
  try {
    client = new EtcdClient(options);
  } catch (cause) {
    const wayOut = 'Choose the files again, in PEM form. The key has to belong to the certificate.';
    return [
      failed('tls', `The certificate or its key cannot be used: ${sentenceOf(cause)}`, wayOut),
      ...skipped('tls'),
    ];
  }
  try {
    return await lookAtAll(client, options);
  } finally {
    client.close();
  }
}

/** All checks about the cluster as a whole, each of which needs those before it. */
const NEEDING_ONE = ['authentication', 'version', 'read', 'rights', 'cluster', 'round-trip'] as const;

function skipped(after: string): CoordinatorCheck[] {
  const at = NEEDING_ONE.findIndex((id) => id === after);
  return NEEDING_ONE.slice(at + 1).map((id) => ({
    id,
    state: 'skipped',
    sentence: 'Not looked at, since something before it failed.',
    wayOut: '',
  }));
}

function failed(id: string, sentence: string, wayOut: string): CoordinatorCheck {
  return { id, state: 'failed', sentence, wayOut };
}

function fine(id: string, sentence: string): CoordinatorCheck {
  return { id, state: 'ok', sentence, wayOut: '' };
}

function warning(id: string, sentence: string, wayOut: string): CoordinatorCheck {
  return { id, state: 'warning', sentence, wayOut };
}

async function lookAtAll(client: EtcdClient, options: EtcdCheckOptions): Promise<Checks> {
  const reached = await Promise.all(options.endpoints.map((text) => lookAtEndpoint(options, text)));
  const version = reached.find(({ version: found }) => found !== null)?.version ?? null;
  const checks = reached.map(({ check }) => check);
  checks.push(tlsCheck(options));
  const prefix = options.prefix ?? ETCD_PREFIX;
  if (version === null) return [...checks, ...skipped('none')];
  const signedIn = await read(client, { compare: [], success: [range(metaKey(prefix))], failure: [] });
  const isLetIn = signedIn.kind !== 'refused' || !isAboutSigningIn(signedIn.message);
  if (!isLetIn) {
    const wayOut = 'Correct the user name and password, or ask whoever runs etcd for them.';
    checks.push(failed('authentication', sentenceOfOutcome(signedIn), wayOut));
    return [...checks, ...skipped('authentication')];
  }
  checks.push(fine('authentication', signedInSentence(options)), versionCheck(version));
  // A refusal is an answer too: etcd agreed among its members, and said no to this user.
  if (signedIn.kind === 'unknown') {
    const wayOut = 'More than half of its members have to run and reach each other. Ask whoever runs etcd.';
    checks.push(failed('read', `etcd does not agree on an answer. ${signedIn.cause}`, wayOut));
    return [...checks, ...skipped('read')];
  }
  checks.push(fine('read', 'Its members agree on an answer, so more than half of them work.'));
  checks.push(await rightsCheck(client, prefix), await clusterCheck(client, options));
  return [...checks, await roundTripCheck(client, prefix)];
}

interface Reached {
  readonly check: CoordinatorCheck;
  readonly version: string | null;
}

async function lookAtEndpoint(options: EtcdCheckOptions, endpoint: string): Promise<Reached> {
  // Without the user: whether it can be reached does not depend on who asks.
  const client = new EtcdClient({ ...options, endpoints: [endpoint], user: '' });
  const untilMs = performance.now() + LOOK_LIMIT_MS;
  const status = await client.call('/v3/maintenance/status', { body: {}, schema: statusSchema, untilMs, isRead: true });
  client.close();
  const id = `reachable ${endpoint}`;
  if (status.kind === 'answered') {
    return { check: fine(id, `${endpoint} answers.`), version: status.value.version };
  }
  const isTls = status.kind === 'unknown' && /certificate|self-signed|SSL|TLS|altname/iu.test(status.cause);
  const wayOut = isTls
    ? "Choose the certificate of the authority that signed etcd's, and this device's own where etcd asks for one."
    : 'Check the address, that etcd runs there, and that no firewall is in the way.';
  return { check: failed(id, `${endpoint} does not answer. ${sentenceOfOutcome(status)}`, wayOut), version: null };
}

function tlsCheck({ endpoints, cert }: EtcdCheckOptions): CoordinatorCheck {
  const isOpen = endpoints.some((text) => new URL(text).protocol === 'http:' && !isLoopback(new URL(text).hostname));
  if (isOpen) {
    return warning(
      'tls',
      'The connection is not encrypted: whoever is on the way can read it, and act in its name.',
      'Use addresses that begin with https.',
    );
  }
  if (endpoints.some((text) => new URL(text).protocol === 'http:')) {
    return fine('tls', 'The connection is not encrypted, and stays on this device.');
  }
  return fine(
    'tls',
    cert ? 'Encrypted, and each side shows a certificate.' : 'Encrypted, and etcd shows a certificate.',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function isAboutSigningIn(message: string): boolean {
  return /authenticat|auth token|user name/u.test(message);
}

function signedInSentence({ user }: EtcdCheckOptions): string {
  return user ? `Signed in as ${user}.` : 'It asks for no user name.';
}

function versionCheck(version: string): CoordinatorCheck {
  const judged = judgeVersion(version);
  if (!judged.ok) return failed('version', judged.error.message, 'Have etcd updated to 3.5 or later.');
  const { warning: sentence } = judged.value;
  if (sentence === '') return fine('version', `etcd ${version}.`);
  return warning('version', sentence, 'It can be used meanwhile.');
}

/** A transaction whose condition never holds: etcd checks the rights to both branches, and carries out neither write. */
async function rightsCheck(client: EtcdClient, prefix: string): Promise<CoordinatorCheck> {
  const key = metaKey(prefix);
  const anywhere = { request_range: { key: encodeText(prefix), range_end: endOfPrefix(prefix), limit: '1' } };
  const probe: Txn = {
    compare: [{ key: encodeText(key), target: 'CREATE', result: 'LESS', create_revision: '0' }],
    success: [put(key, ''), put(`${agentsPrefix(prefix)}x/rec`, ''), remove(`${agentsPrefix(prefix)}x/live`), anywhere],
    failure: [anyBelow(prefix)],
  };
  const wayOut = `Have the user given the right to read and write all keys that begin with ${prefix}.`;
  const tried = await read(client, probe);
  if (tried.kind !== 'answered') return failed('rights', sentenceOfOutcome(tried), wayOut);
  const untilMs = performance.now() + LOOK_LIMIT_MS;
  const call = { body: { TTL: '1' }, schema: grantSchema, untilMs, isRead: false };
  const granted = await client.call('/v3/lease/grant', call);
  if (granted.kind !== 'answered') return failed('rights', sentenceOfOutcome(granted), wayOut);
  const revoke = { body: { ID: granted.value.ID }, schema: revokeSchema, untilMs, isRead: false };
  await client.call('/v3/lease/revoke', revoke);
  return fine('rights', `Keys that begin with ${prefix} may be read and written, and leases granted.`);
}

async function clusterCheck(client: EtcdClient, { endpoints }: EtcdCheckOptions): Promise<CoordinatorCheck> {
  const untilMs = performance.now() + LOOK_LIMIT_MS;
  const call = { body: {}, schema: membersSchema, untilMs, isRead: true };
  const members = await client.call('/v3/cluster/member/list', call);
  if (members.kind !== 'answered') return warning('cluster', sentenceOfOutcome(members), 'It can be used meanwhile.');
  const count = members.value.members.length;
  const spare = Math.floor((count - 1) / 2);
  if (spare === 0) {
    const sentence = `It has ${count === 1 ? 'one member' : `${count} members`}, and stops as soon as one of them does.`;
    return warning('cluster', sentence, 'Three members go on when one is lost.');
  }
  if (endpoints.length === 1) {
    const sentence = `It has ${count} members, and Fencepost knows one address.`;
    return warning(
      'cluster',
      sentence,
      'Add the addresses of the others, so that Fencepost goes on when that one is lost.',
    );
  }
  return fine('cluster', `It has ${count} members, and goes on when ${spare === 1 ? 'one is' : `${spare} are`} lost.`);
}

async function roundTripCheck(client: EtcdClient, prefix: string): Promise<CoordinatorCheck> {
  let slowestMs = 0;
  for (let count = 0; count < READS_TIMED; count += 1) {
    const startMs = performance.now();
    const answer = await read(client, { compare: [], success: [range(metaKey(prefix))], failure: [] });
    if (answer.kind === 'unknown') return failed('round-trip', answer.cause, 'Try again when the network is better.');
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
  }
  const sentence = `The slowest of ${READS_TIMED} reads took ${Math.max(1, Math.round(slowestMs))} ms.`;
  if (slowestMs <= SLOW_MS) return fine('round-trip', sentence);
  return warning('round-trip', sentence, 'Steps will wait for it. Choose an etcd that is nearer, or on faster disks.');
}

function read(client: EtcdClient, txn: Txn): Promise<Outcome<unknown>> {
  const untilMs = performance.now() + LOOK_LIMIT_MS;
  return client.call('/v3/kv/txn', { body: txn, schema: txnSchema, untilMs, isRead: true });
}
