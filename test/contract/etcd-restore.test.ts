import { describe, expect, it } from 'vitest';
import { confirmEtcdRestore, openEtcdCoordinator } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { EtcdOptions } from '../../src/main/coordinators/etcd/etcd-coordinator.ts';
import type { EtcdMark } from '../../src/main/coordinators/etcd/etcd-link.ts';
import { hasEtcd } from '../harness/etcd-server.ts';
import { AGENT, agentId, BEN } from './coordinator-bench.ts';
import { base64, readKey, writeKey } from './etcd-bench.ts';
import { ANNAS, ANNOUNCE, BENS, EtcdFixture, RENEW, UNREACHABLE, WENT_BACK } from './etcd-fixture.ts';
import { must } from './sqlite-benches.ts';

describe.skipIf(!hasEtcd)('the register in etcd, restored from a backup', () => {
  const etcd = new EtcdFixture();
  const options = (of: Partial<EtcdOptions> = {}): EtcdOptions => ({
    endpoints: etcd.cluster.endpoints,
    prefix: etcd.prefix,
    ...of,
  });
  /** What an administrator does with the data folder. */
  const whileOff = async (change: () => void): Promise<void> => {
    await etcd.member.kill();
    change();
    etcd.member.start();
    await etcd.member.ready();
  };

  it('is refused by whoever had seen it further, before anything is granted', async () => {
    const register = await etcd.open();
    await register.ask(AGENT, ANNAS);
    await whileOff(() => etcd.member.saveData('before'));
    await register.ask(AGENT, ANNOUNCE);
    await whileOff(() => etcd.member.restoreData('before'));
    for (const verb of [ANNOUNCE, RENEW, BENS]) expect(await register.ask(AGENT, verb)).toMatchObject(WENT_BACK);
    expect(await register.current(AGENT)).toMatchObject(WENT_BACK);
  });

  it('is refused for good, although it has come as far again meanwhile', async () => {
    const register = await etcd.open();
    await register.ask(AGENT, ANNAS);
    await whileOff(() => etcd.member.saveData('again'));
    await register.ask(AGENT, ANNOUNCE);
    await whileOff(() => etcd.member.restoreData('again'));
    expect(await register.current(AGENT)).toMatchObject(WENT_BACK);
    for (let count = 0; count < 10; count += 1) await writeKey(etcd.member, 'something', String(count));
    expect(await register.ask(AGENT, RENEW)).toMatchObject(WENT_BACK);
  });

  it('is refused after a restart of the host too, by what the device had seen', async () => {
    let seen: EtcdMark | null = null;
    const register = await etcd.open({ onSeen: (mark) => (seen = mark) });
    await register.ask(AGENT, ANNAS);
    await whileOff(() => etcd.member.saveData('host'));
    await register.ask(AGENT, ANNOUNCE);
    await register.close();
    await whileOff(() => etcd.member.restoreData('host'));
    expect(await openEtcdCoordinator(options({ lastSeen: seen }))).toMatchObject(WENT_BACK);
    expect(await openEtcdCoordinator(options()), 'who has seen nothing cannot know').toMatchObject({ ok: true });
  });

  it('is refused when it begins anew with nothing in it, even under its own id', async () => {
    const register = await etcd.open();
    await register.ask(AGENT, ANNAS);
    await whileOff(() => etcd.member.loseData());
    expect(await register.ask(AGENT, BENS)).toMatchObject(WENT_BACK);
  });

  it('is refused as a copy of its keys in another etcd', async () => {
    const register = await etcd.open();
    const { identity } = register;
    await register.ask(AGENT, ANNAS);
    const keys = [`${etcd.prefix}meta`, etcd.rec];
    const values = await Promise.all(keys.map((key) => readKey(etcd.member, key)));
    await whileOff(() => etcd.member.loseData('another'));
    for (let count = 0; count < 50; count += 1) await writeKey(etcd.member, 'something', String(count));
    for (const [index, key] of keys.entries()) await writeKey(etcd.member, key, values[index]?.value ?? '');
    expect(await register.ask(AGENT, BENS)).toMatchObject(WENT_BACK);
    expect(await openEtcdCoordinator(options())).toMatchObject(WENT_BACK);

    const confirmed = must(await confirmEtcdRestore(options()));
    expect(confirmed.coordinatorId).toBe(identity.coordinatorId);
    expect(confirmed.incarnation, 'every device sees another life of it').not.toBe(identity.incarnation);
    const again = await etcd.open();
    expect(again.identity).toEqual(confirmed);
    expect(must(await again.ask(AGENT, BENS)).reply).toMatchObject({ kind: 'granted', epoch: 2, holdOff: true });
  });

  it('ends every connection that was open when a person confirmed it', async () => {
    const register = await etcd.open();
    await register.ask(AGENT, ANNAS);
    must(await confirmEtcdRestore(options()));
    expect(await register.ask(AGENT, ANNOUNCE)).toMatchObject(WENT_BACK);
    expect(must(await (await etcd.open()).current(AGENT)).tail, 'nothing was written').toEqual([]);
  });

  it('is not named anew when its name is gone and agents are there', async () => {
    const register = await etcd.open();
    await register.ask(AGENT, ANNAS);
    await etcd.member.post('/v3/kv/deleterange', { key: base64(`${etcd.prefix}meta`) });
    expect(await register.ask(AGENT, RENEW)).toMatchObject(WENT_BACK);
    expect(await openEtcdCoordinator(options())).toMatchObject(WENT_BACK);
  });

  it('is not used under a name that is not readable, and gets a readable one when a person confirms it', async () => {
    await etcd.open();
    await writeKey(etcd.member, `${etcd.prefix}meta`, '{}');
    expect(await openEtcdCoordinator(options())).toMatchObject(UNREACHABLE);
    const { coordinatorId } = must(await confirmEtcdRestore(options()));
    expect((await etcd.open()).identity.coordinatorId).toBe(coordinatorId);
  });

  it('is named once by 8 devices that begin at the same moment', async () => {
    const registers = await Promise.all(Array.from({ length: 8 }, () => etcd.open()));
    expect(new Set(registers.map(({ identity }) => identity.coordinatorId)).size).toBe(1);
    const grants = registers.map((register) => register.ask(agentId('first'), { ...BENS, deviceId: BEN }));
    for (const grant of await Promise.all(grants)) expect(must(grant).reply).toMatchObject({ epoch: 1 });
  });

  it('does not take answers that overtake each other for a step back', async () => {
    const register = await etcd.open();
    const agents = Array.from({ length: 60 }, (_, index) => agentId(`agent-${index}`));
    const answers = await Promise.all(agents.flatMap((each) => [register.ask(each, ANNAS), register.current(each)]));
    for (const answer of answers) expect(answer).toMatchObject({ ok: true });
  });
});
