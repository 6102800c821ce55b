import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { AttemptToken } from '../../src/shared/contract/identifiers.ts';
import { HostProcess } from '../harness/host-process.ts';
import { Receiver } from '../harness/receiver.ts';
import { writeStrategy } from '../harness/strategies.ts';

const SECRETS = { password: '', privateKeyPem: '' };

/** Two real hosts, one of which dies with an effect on its way: the other one's person waits for it. */
describe('a device that may hold an answer', () => {
  const newFolder = useTemporaryFolders();
  const hosts: HostProcess[] = [];
  let receiver: Receiver;
  let folder: string;

  beforeEach(async () => {
    receiver = await Receiver.start();
    receiver.behaviour = () => 'hang';
    folder = newFolder();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) {
      host.kill();
      await host.exited;
    }
    await receiver.close();
  });

  async function start(name: string): Promise<HostProcess> {
    const host = await HostProcess.start({
      profileFolder: join(folder, name),
      registerFile: join(folder, 'register.sqlite'),
    });
    hosts.push(host);
    return host;
  }

  it('is forgotten by a restart, or its record comes and nobody is asked, or something is sent meanwhile', async () => {
    const relay = { kind: 'folder', folder: join(folder, 'shared') } as const;
    const anna = await start('anna');
    const words = must(await anna.call('sync.create', { relay, secrets: SECRETS })).words.join(' ');
    const ben = await start('ben');
    must(await ben.call('sync.join', { relay, words, secrets: SECRETS }));
    await anna.save(
      writeStrategy({ agentId: 'mail', kind: 'blind', origin: receiver.origin, path: '/mail', timeoutMs: 600_000 }),
    );
    await ben.until<object>('SELECT 1 FROM grants', (rows) => rows.length === 1);
    await anna.control('startRun', { agentId: 'mail', requestId: 'press', input: {}, by: 'Test' });
    await ben.until<object>(`SELECT 1 FROM attempts WHERE progress = 'in-flight'`, (rows) => rows.length === 1);
    anna.kill();
    await anna.exited;
    const [unclear] = await ben.until<{ attempt_token: AttemptToken }>(
      'SELECT attempt_token FROM attempts WHERE in_doubt_at_ms IS NOT NULL',
      (rows) => rows.length === 1,
    );
    const attemptToken = unclear?.attempt_token ?? ('' as AttemptToken);
    expect(must(await ben.call('recovery.get', { attemptToken })).wait).toMatchObject({ state: 'offered' });
    must(await ben.call('recovery.wait', { attemptToken }));
    ben.kill();
    await ben.exited;

    const again = await start('ben');
    expect(must(await again.call('overview.get', {})).needsYou).toBe(0);
    expect(must(await again.call('needs.list', {}))).toMatchObject({ unclear: [], waiting: [{ id: attemptToken }] });
    await start('anna');
    await again.until<object>(
      'SELECT 1 FROM awaited_answers WHERE ended_at_ms IS NOT NULL',
      (rows) => rows.length === 1,
    );
    const { unclear: asked, waiting } = must(await again.call('needs.list', {}));
    expect(waiting).toEqual([]);
    expect(asked).toMatchObject([{ id: attemptToken, sentence: expect.stringContaining('The record of') as string }]);
    expect(must(await again.call('overview.get', {})).needsYou).toBe(1);
    expect(receiver.hits('/mail')).toBe(1);
  });
});
