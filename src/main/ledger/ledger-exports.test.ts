import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportView } from '../../shared/contract/activity-views.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import { requestSchemas } from '../../shared/contract/api.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { problem } from '../../shared/contract/errors.ts';
import { verifyLedger } from '../cli/verify-ledger.ts';
import { startApplication } from '../compose.ts';
import type { ApplicationOptions, RunningHost } from '../compose.ts';
import type { SecretCipher } from '../secrets/secret-cipher.ts';
import { exportedBy, makeLedger } from '../store/testing/ledger-bench.ts';
import { must, problemOf, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { createLedgerExports } from './ledger-exports.ts';
import type { LedgerExports } from './ledger-exports.ts';

const SECRET = 'correct-horse-battery-staple';
const WINDOW = { surface: 'window', name: 'window-1' } as const;
const PAGE = { surface: 'browser', name: 'browser-1' } as const;
/** Seals as a keychain does: a command that cannot open it sees nothing of the key. */
const keychain: SecretCipher = {
  backend: 'a test',
  encrypt: (value) => Promise.resolve(Buffer.from(Buffer.from(value).map((byte) => byte ^ 0x5a))),
  decrypt: (sealed) =>
    Promise.resolve({ value: Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString(), isStale: false }),
};

const newFolder = useTemporaryFolders();
let host: RunningHost | null = null;
afterEach(async () => {
  await host?.close();
  host = null;
});

/** A desktop: its keys are in a keychain, and its person chooses `file`. */
async function desktop(profileFolder: string, file: string | null): Promise<RunningHost> {
  const options: ApplicationOptions = {
    profileFolder,
    surface: 'window',
    version: '0.0.0-test',
    electronVersion: null,
    chooseFile: () => Promise.resolve(file),
    secretSources: { openKeychain: () => Promise.resolve(keychain) },
  };
  host = must(await startApplication(options));
  return host;
}

const asked = (request: RequestOf<'export.begin'> = {}) => requestSchemas['export.begin'].parse(request);

async function ended(look: () => Promise<ExportView>): Promise<ExportView> {
  const view = await look();
  if (view.state !== 'writing') return view;
  await new Promise((resolve) => setImmediate(resolve));
  return await ended(look);
}

describe('an export on a desktop', { timeout: 60_000 }, () => {
  it('is not signed although the host can open the keychain, or tells a secret', async () => {
    const profileFolder = newFolder();
    const file = path.join(newFolder(), 'mine.jsonl');
    const { handlers, control } = await desktop(profileFolder, file);
    must(await control.secrets.write('api-key', SECRET));
    writeFileSync(file, 'an older export');
    const begun = must(await handlers['export.begin'](asked(), WINDOW));
    const exportId = begun.exportId ?? '';
    const view = await ended(async () => must(await handlers['export.get']({ exportId }, WINDOW)));
    expect(view).toMatchObject({ state: 'done', place: file, fileName: 'mine.jsonl', isSigned: true });
    expect([view.entries, view.bytes]).toEqual([view.total, statSync(file).size]);
    const report = await verifyLedger(file, new Map([[view.deviceId, view.publicKey]]));
    expect(report).toMatchObject({ isSound: true, fileSignature: 'pinned' });
    const text = readFileSync(file, 'utf8');
    expect([text.includes(SECRET), text.includes(Buffer.from(SECRET).toString('base64'))]).toEqual([false, false]);
    expect(readdirSync(path.dirname(file))).toEqual(['mine.jsonl']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    // What the command alone could do there.
    expect((await exportedBy(profileFolder)).said).toContain('not signed');
  });

  it('is begun although the person chose no file', async () => {
    const { handlers } = await desktop(newFolder(), null);
    expect(must(await handlers['export.begin'](asked(), WINDOW))).toEqual({ exportId: null, path: null });
    expect(problemOf(await handlers['export.get']({ exportId: 'none' }, WINDOW)).code).toBe('not-found');
  });

  it('that cannot be written says nothing, or leaves half a file', async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, 'taken.jsonl'));
    const { handlers } = await desktop(newFolder(), path.join(folder, 'taken.jsonl'));
    const { exportId } = must(await handlers['export.begin'](asked(), WINDOW));
    const view = await ended(async () => must(await handlers['export.get']({ exportId: exportId ?? '' }, WINDOW)));
    expect(view.state).toBe('failed');
    expect(view.problem?.message).toContain('cannot be written');
    expect(readdirSync(folder)).toEqual(['taken.jsonl']);
  });
});

describe('an export', { timeout: 60_000 }, () => {
  let folder: string;
  let key: string;
  let ownId: string;
  let publicKey: string;
  let exports: LedgerExports;
  beforeEach(async () => {
    const bench = await makeLedger(newFolder());
    ({ folder, ownKey: key, ownId, ownPublicKey: publicKey } = bench);
    exports = exportsOf({});
  });
  afterEach(() => exports.close());

  function exportsOf(change: Partial<Parameters<typeof createLedgerExports>[0]>): LedgerExports {
    return createLedgerExports({
      profileFolder: folder,
      nowMs: () => 1_000,
      readKey: () => Promise.resolve(ok(key)),
      chooseFile: null,
      failed: (cause) => expect.fail(String(cause)),
      ...change,
    });
  }

  async function fetched(exportId: string, callerName: string = PAGE.name): Promise<Buffer | null> {
    const download = exports.take(exportId, callerName);
    if (download === null) return null;
    const parts: Buffer[] = [];
    const output = new Writable({ write: (part: Buffer, _encoding, done) => (parts.push(part), done()) });
    await pipeline(download.body, output);
    download.ended(null);
    return Buffer.concat(parts);
  }

  it('is another file than the one that the command writes', async () => {
    const begun = must(await exports.begin(asked(), PAGE));
    const bytes = await fetched(begun.exportId ?? '');
    expect(bytes?.equals((await exportedBy(folder)).bytes)).toBe(true);
    expect(exports.look(begun.exportId ?? '')).toMatchObject({ state: 'done', isSigned: true, publicKey });
  });

  it('is handed to another browser, or twice', async () => {
    const { exportId, path: place } = must(await exports.begin(asked(), PAGE));
    expect(place).toBe(`/export/${exportId}`);
    expect(await fetched(exportId ?? '', 'browser-2')).toBeNull();
    expect(await fetched(exportId ?? '')).not.toBeNull();
    expect(await fetched(exportId ?? '')).toBeNull();
  });

  it('of some time tells what was not asked for, or does not pass the check', async () => {
    const whole = (await exportedBy(folder)).bytes.toString('utf8').split('\n');
    const times = whole
      .filter((line) => line.includes('"payload"'))
      .map((line) => JSON.parse(line) as { wallMs: number });
    const middle = times.map((entry) => entry.wallMs).toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
    for (const request of [{ fromMs: middle }, { untilMs: middle }, { agentId: 'pear' as never, fromMs: middle }]) {
      const { exportId } = must(await exports.begin(asked(request), PAGE));
      const bytes = (await fetched(exportId ?? '')) ?? Buffer.alloc(0);
      const file = path.join(newFolder(), 'part.jsonl');
      writeFileSync(file, bytes);
      const report = await verifyLedger(file, new Map([[ownId, publicKey]]));
      expect(report.findings).toEqual([]);
      expect(report).toMatchObject({ onlyFromMs: request.fromMs ?? null, onlyUntilMs: request.untilMs ?? null });
      const given = bytes
        .toString('utf8')
        .split('\n')
        .filter((line) => line.includes('"payload"'));
      expect(given.length).toBeLessThan(times.length);
      for (const line of given) {
        const { wallMs } = JSON.parse(line) as { wallMs: number };
        expect('untilMs' in request ? wallMs < middle : wallMs >= middle).toBe(true);
      }
    }
  });

  it('that was cancelled goes on, or leaves something behind', async () => {
    const file = path.join(newFolder(), 'mine.jsonl');
    exports = exportsOf({ chooseFile: () => Promise.resolve(file) });
    const { exportId } = must(await exports.begin(asked(), WINDOW));
    expect(problemOf(await exports.begin(asked(), PAGE)).code).toBe('store-busy');
    expect([exports.cancel(exportId ?? ''), exports.cancel(exportId ?? '')]).toEqual([true, false]);
    await exports.close();
    expect(exports.look(exportId ?? '')?.state).toBe('cancelled');
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  it('is called complete although the browser went away', async () => {
    const { exportId } = must(await exports.begin(asked(), PAGE));
    const download = exports.take(exportId ?? '', PAGE.name);
    download?.body.destroy();
    download?.ended(Object.assign(new Error('gone'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }));
    expect(exports.look(exportId ?? '')?.state).toBe('cancelled');
  });

  it('pretends to be signed while the keychain is locked', async () => {
    const locked = err(problem('store-unsure', 'The key of this device cannot be read.'));
    exports = exportsOf({ readKey: () => Promise.resolve(locked) });
    const { exportId } = must(await exports.begin(asked(), PAGE));
    expect(exports.look(exportId ?? '')).toMatchObject({ isSigned: false, publicKey: '' });
  });
});
