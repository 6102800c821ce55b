import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testEtcd } from '../../src/main/coordinators/etcd/etcd-check.ts';
import { openEtcdCoordinator } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { EtcdOptions } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import { EtcdCluster, hasEtcd } from '../harness/etcd-server.ts';
import { LOOPBACK_CERTIFICATE } from '../harness/loopback-certificate.ts';
import { AGENT } from './coordinator-bench.ts';
import { base64, openRegister } from './etcd-bench.ts';
import { ANNAS, ANNOUNCE, RENEW, UNREACHABLE } from './etcd-fixture.ts';
import { must } from './sqlite-benches.ts';

const { cert, key } = LOOPBACK_CERTIFICATE;
const USER = { user: 'fencepost', password: 'a good password' };

describe.skipIf(!hasEtcd)('an etcd that wants certificates', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await EtcdCluster.start({ isMutualTls: true });
  });
  afterAll(() => cluster?.end());
  const options = (of: Partial<EtcdOptions>): EtcdOptions => ({ endpoints: cluster.endpoints, ...of });

  it('lets in whoever shows one, and keeps the register for them', async () => {
    const register = await openRegister(options({ ca: cert, cert, key }));
    expect(must(await register.ask(AGENT, ANNAS)).reply).toMatchObject({ kind: 'granted' });
    expect(must(await register.ask(AGENT, RENEW)).reply).toMatchObject({ kind: 'renewed' });
    await register.close();
  });

  it('gets no question from a device that does not trust it, nor an answer for one that shows none', async () => {
    expect(await openEtcdCoordinator(options({ cert, key }))).toMatchObject(UNREACHABLE);
    expect(await openEtcdCoordinator(options({ ca: cert }))).toMatchObject(UNREACHABLE);
    const broken = await openEtcdCoordinator(options({ ca: cert, cert, key: 'nonsense' }));
    expect(broken).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
  });

  it('is told apart from one that does not run', async () => {
    const good = await testEtcd(options({ ca: cert, cert, key }));
    expect(stateOf(good, 'tls')).toBe('ok');
    expect(stateOf(good, 'read')).toBe('ok');
    const stranger = await testEtcd(options({ cert, key }));
    expect(stranger[0]).toMatchObject({ state: 'failed', wayOut: expect.stringContaining('authority') as string });
    expect(stateOf(stranger, 'read')).toBe('skipped');
    const broken = await testEtcd(options({ ca: cert, cert, key: 'nonsense' }));
    expect(stateOf(broken, 'tls')).toBe('failed');
    const off = await testEtcd({ endpoints: ['https://127.0.0.1:1'] });
    expect(off[0]).toMatchObject({ state: 'failed', wayOut: expect.stringContaining('address') as string });
  });
});

describe.skipIf(!hasEtcd)('an etcd that wants a password', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await EtcdCluster.start();
    await addUsers(cluster);
  });
  afterAll(() => cluster?.end());
  const options = (of: Partial<EtcdOptions> = {}): EtcdOptions => ({ endpoints: cluster.endpoints, ...USER, ...of });

  it('lets in whoever knows it, and keeps the register for them', async () => {
    const register = await openRegister(options());
    expect(must(await register.ask(AGENT, ANNAS)).reply).toMatchObject({ kind: 'granted' });
    expect(must(await register.ask(AGENT, RENEW)).reply).toMatchObject({ kind: 'renewed' });
    await register.close();
  });

  it('is signed in to again when it has forgotten who is there', async () => {
    const register = await openRegister(options({ prefix: 'fencepost/v1/again/' }));
    await register.ask(AGENT, ANNAS);
    // The tokens of etcd do not outlive it.
    await cluster.member(0).kill();
    cluster.member(0).start();
    await expect.poll(async () => (await register.current(AGENT)).ok, { timeout: 20_000 }).toBe(true);
    expect(must(await register.ask(AGENT, ANNOUNCE)).reply).toEqual({ kind: 'announced', isReplay: false });
    await register.close();
  });

  it('answers nobody who does not know it, or may not use the keys, and says which', async () => {
    const wrong = await openEtcdCoordinator(options({ password: 'wrong' }));
    expect(wrong).toMatchObject({ ok: false, error: { message: expect.stringContaining('password') as string } });
    const nobody = await openEtcdCoordinator({ endpoints: cluster.endpoints });
    expect(nobody).toMatchObject(UNREACHABLE);
    const elsewhere = await openEtcdCoordinator(options({ prefix: 'other/' }));
    expect(elsewhere).toMatchObject({ ok: false, error: { message: expect.stringContaining('keys') as string } });
  });

  it('is looked at one thing after the other, and says what is wrong and what to do', async () => {
    const good = await testEtcd(options());
    const states = Object.fromEntries(good.map(({ id, state }) => [id.replace(/ .*/u, ''), state]));
    expect(states).toMatchObject({ reachable: 'ok', tls: 'ok', authentication: 'ok', read: 'ok', rights: 'ok' });
    expect(states['cluster'], 'one member').toBe('warning');
    const version = good.find(({ id }) => id === 'version');
    if (version?.sentence.includes('3.4') === true) expect(version.state).toBe('warning');
    for (const check of good) expect(check.state === 'ok' || check.wayOut !== '', check.id).toBe(true);

    const wrong = await testEtcd(options({ password: 'wrong' }));
    expect(stateOf(wrong, 'authentication')).toBe('failed');
    expect(stateOf(wrong, 'rights')).toBe('skipped');
    expect(stateOf(await testEtcd(options({ prefix: 'other/' })), 'rights')).toBe('failed');
    const half = await testEtcd(options({ endpoints: [...cluster.endpoints, 'http://127.0.0.1:1'] }));
    expect(half.slice(0, 2).map(({ state }) => state)).toEqual(['ok', 'failed']);
    expect(stateOf(half, 'read')).toBe('ok');
    expect((await testEtcd({ endpoints: ['nonsense'] }))[0]?.state).toBe('failed');
  });
});

function stateOf(checks: Awaited<ReturnType<typeof testEtcd>>, id: string): string | undefined {
  return checks.find((check) => check.id === id)?.state;
}

/** As docs/coordinators/etcd.md tells an administrator. */
async function addUsers(cluster: EtcdCluster): Promise<void> {
  const steps: readonly (readonly [string, object])[] = [
    ['user/add', { name: 'root', password: 'root' }],
    ['role/add', { name: 'root' }],
    ['user/grant', { user: 'root', role: 'root' }],
    ['user/add', { name: USER.user, password: USER.password }],
    ['role/add', { name: 'fencepost' }],
    [
      'role/grant',
      {
        name: 'fencepost',
        perm: { permType: 'READWRITE', key: base64('fencepost/'), range_end: base64('fencepost0') },
      },
    ],
    ['user/grant', { user: USER.user, role: 'fencepost' }],
    ['enable', {}],
  ];
  for (const [path, body] of steps) await cluster.member(0).post(`/v3/auth/${path}`, body);
}
