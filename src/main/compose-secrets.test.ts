import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startApplication } from './compose.ts';
import type { RunningHost } from './compose.ts';
import { readAll } from './store/connection.ts';
import { must, useTemporaryFolders } from './store/testing/temporary-folder.ts';

const VALUE = 'correct-horse-battery';
const BASE64 = Buffer.from(VALUE).toString('base64');
const newFolder = useTemporaryFolders();
let host: RunningHost | null = null;

async function start(profileFolder: string): Promise<RunningHost> {
  const options = { profileFolder, surface: 'browser', version: '0.0.0-test', electronVersion: null } as const;
  host = must(await startApplication(options));
  return host;
}
async function stop(): Promise<void> {
  await host?.drain(1_000);
  await host?.close();
  host = null;
}
afterEach(stop);

function choiceOf(running: RunningHost): unknown {
  const db = running.control.connection()?.db;
  return db === undefined
    ? null
    : readAll(db, `SELECT value FROM profile WHERE key = 'setting:secrets-without-keychain'`);
}

describe('a choice for a device without a keychain', { timeout: 30_000 }, () => {
  it('is forgotten at the next start', async () => {
    const folder = newFolder();
    const { secrets } = (await start(folder)).control;
    must(await secrets.write('api-key', VALUE));
    must(await secrets.choose('plain-file'));
    await stop();
    const again = await start(folder);
    expect(again.control.secrets.protection().kind).toBe('plain-file');
    expect(await again.control.secrets.names()).toEqual(['api-key']);
    must(await again.control.secrets.choose('session'));
    expect(readFileSync(path.join(folder, 'secrets.json'), 'utf8')).not.toContain(BASE64);
    await stop();
    const last = await start(folder);
    expect(last.control.secrets.protection().kind).toBe('session');
    expect(await last.control.secrets.names()).toEqual([]);
  });

  it('is kept although the values could not follow it', async () => {
    const folder = newFolder();
    const running = await start(folder);
    const { secrets } = running.control;
    must(await secrets.write('api-key', VALUE));
    // Where the new file should be is a folder that is not empty.
    const blocked = path.join(folder, 'secrets.json.new');
    mkdirSync(path.join(blocked, 'inside'), { recursive: true });
    expect((await secrets.choose('plain-file')).ok).toBe(false);
    expect(secrets.protection().kind).toBe('session');
    expect(choiceOf(running)).toEqual([{ value: 'session' }]);
    rmSync(blocked, { recursive: true });
    must(await secrets.choose('plain-file'));
    expect(choiceOf(running)).toEqual([{ value: 'plain-file' }]);
  });
});
