import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { lockProfile } from './lock.ts';
import { makeReadOnlyFolder } from './testing/small-disk.ts';
import { must, problemOf, useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
const children: ChildProcess[] = [];
const VERSION = { version: '9.9.9' };

afterEach(async () => {
  const living = children.splice(0).filter((child) => child.exitCode === null && child.signalCode === null);
  await Promise.all(living.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
});

interface Told {
  readonly ok: boolean;
  readonly pid?: number;
  readonly message?: string;
}

async function startHolder(folder: string): Promise<{ readonly child: ChildProcess; readonly told: Told }> {
  const program = fileURLToPath(new URL('testing/lock-holder.ts', import.meta.url));
  const child = fork(program, [folder], { execArgv: [] });
  children.push(child);
  const [told] = (await once(child, 'message')) as [Told];
  return { child, told };
}

describe('a profile', { timeout: 30_000 }, () => {
  it('is told to be in use, by whom and since when, while another process holds it', async () => {
    const folder = newFolder();
    const { told } = await startHolder(folder);
    const { code, message, details } = problemOf(await lockProfile(folder, VERSION));
    expect(code).toBe('profile-in-use');
    expect(message).toMatch(
      new RegExp(
        String.raw`^Another copy of Fencepost is using this data \(process ${told.pid}, started \d\d:\d\d\)\. Close it first\.$`,
        'u',
      ),
    );
    expect(details).toMatchObject({ pid: told.pid, version: '1.2.3' });
  });

  it('is free at once when its holder was killed, although the holder could say nothing', async () => {
    const folder = newFolder();
    const { child } = await startHolder(folder);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(folder, 'profile.lock.json')), 'the name stays behind and must not count').toBe(true);
    await must(await lockProfile(folder, VERSION)).release();
  });

  // NousResearch/hermes-agent#59229, NousResearch/hermes-agent#102944, agentscope-ai/QwenPaw#7476
  it('goes to one of several processes that start at the same moment', async () => {
    const folder = newFolder();
    const holders = await Promise.all([1, 2, 3, 4].map(() => startHolder(folder)));
    expect(holders.filter(({ told }) => told.ok)).toHaveLength(1);
  });

  it('is held once within one process, and free after it was let go', async () => {
    const folder = newFolder();
    const first = must(await lockProfile(folder, VERSION));
    expect(problemOf(await lockProfile(folder, VERSION)).message).toContain(`process ${process.pid}`);
    await first.release();
    await first.release();
    expect(existsSync(join(folder, 'profile.lock.json'))).toBe(false);
    const second = must(await lockProfile(folder, VERSION));
    await first.release();
    expect((await lockProfile(folder, VERSION)).ok, 'a second release must not free another lock').toBe(false);
    await second.release();
  });

  it('stays locked when nobody keeps what lockProfile answered', async () => {
    const folder = newFolder();
    must(await lockProfile(folder, VERSION));
    // Without --expose-gc: enough garbage for a collection.
    for (let round = 0; round < 200; round++) Array.from({ length: 10_000 }, () => ({ round }));
    expect((await lockProfile(folder, VERSION)).ok).toBe(false);
  });

  it('is told without a name when what stands beside the lock is nonsense', async () => {
    const folder = newFolder();
    const lock = must(await lockProfile(folder, VERSION));
    for (const text of ['', '{', '{"pid":"4; rm -rf /","startedAt":"now"}', 'null', '[]']) {
      writeFileSync(join(folder, 'profile.lock.json'), text);
      const { message } = problemOf(await lockProfile(folder, VERSION));
      expect(message).toBe('Another copy of Fencepost is using this data. Close it first.');
    }
    await lock.release();
  });

  it('that may only be read, or that is no lock, is not locked', async () => {
    const { folder, remove } = makeReadOnlyFolder();
    expect(problemOf(await lockProfile(folder, VERSION)).code).toBe('folder-read-only');
    remove();
    const odd = newFolder();
    writeFileSync(join(odd, 'profile.lock'), 'not a database, and long enough that SQLite looks at it '.repeat(20));
    expect(problemOf(await lockProfile(odd, VERSION)).code).toBe('folder-read-only');
  });
});
