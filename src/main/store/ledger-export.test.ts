import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { deviceIdSchema } from '../../shared/contract/identifiers.ts';
import { verifyLedger } from '../cli/verify-ledger.ts';
import { newDeviceKey } from '../hub/proofs.ts';
import { readAll, sha256 } from './connection.ts';
import { openReadOnly } from './database.ts';
import type { OpRow } from './journal-rows.ts';
import { openLedger } from './ledger-export.ts';
import { addJournal, exportedBy, LONG_TEXT, makeLedger, OTHER_DEVICE } from './testing/ledger-bench.ts';
import type { LedgerBench } from './testing/ledger-bench.ts';
import { connectionOf, openStore } from './testing/store-bench.ts';
import { must, problemOf, useTemporaryFolders } from './testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
const NO_PINS = new Map<string, string>();

function linesOf(bytes: Buffer): Record<string, unknown>[] {
  const lines = bytes.toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function reportOf(bytes: Buffer, pins = NO_PINS) {
  const file = join(newFolder(), 'ledger.jsonl');
  writeFileSync(file, bytes);
  return await verifyLedger(file, pins);
}

let bench: LedgerBench;
let pins: Map<string, string>;
beforeEach(async () => {
  bench = await makeLedger(newFolder());
  pins = new Map([
    [bench.ownId, bench.ownPublicKey],
    [OTHER_DEVICE, bench.otherPublicKey],
  ]);
});

function rows(): OpRow[] {
  const db = must(openReadOnly(join(bench.folder, 'fencepost.sqlite')));
  const found = readAll<OpRow>(db, 'SELECT * FROM ops ORDER BY device_id, seq');
  db.close();
  return found;
}

describe('an exported ledger', () => {
  it('lacks an entry, a text or a signature of the record, or says something else', async () => {
    const { code, bytes, said } = await exportedBy(bench.folder);
    expect([code, said]).toEqual([0, '']);
    const lines = linesOf(bytes);
    const entries = lines.filter((line) => 'payload' in line);
    const kept = rows();
    expect(kept.length).toBeGreaterThan(30);
    expect(entries.map((line) => [line['id'], line['payload'], line['device'], line['seq']])).toEqual(
      kept.map((row) => [row.op_id, row.payload, row.device_id, row.journal_seq]),
    );
    expect(lines.filter((line) => 'body' in line)).toEqual([{ text: sha256(LONG_TEXT), body: LONG_TEXT }]);
    const report = await reportOf(bytes, pins);
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ isSound: true, fileSignature: 'pinned', texts: 1 });
    const own = kept.filter((row) => row.device_id === bench.ownId).length;
    expect(report.journals.toSorted((one, other) => other.entries - one.entries)).toMatchObject([
      { device: bench.ownId, entries: own, proven: own, signedUpTo: own },
      { device: OTHER_DEVICE, entries: 4, proven: 4, signedUpTo: 4 },
    ]);
  });

  it('of one run tells what was not asked for, or proves less than it says', async () => {
    const runId = rows().find((row) => row.agent_id === 'pear' && row.run_id !== null)?.run_id ?? '';
    for (const args of [
      ['--agent', 'pear'],
      ['--run', runId],
      ['--agent', 'pear', '--run', runId],
    ]) {
      const { bytes, said } = await exportedBy(bench.folder, args);
      expect(said).toBe('');
      const isAsked = (row: OpRow) => (args.includes('--run') ? row.run_id === runId : row.agent_id === 'pear');
      const lines = linesOf(bytes);
      const asked = rows().filter(isAsked);
      expect(asked.length).toBeGreaterThan(5);
      expect(lines.filter((line) => 'payload' in line).map((line) => line['id'])).toEqual(
        asked.map((row) => row.op_id),
      );
      expect(bytes.toString()).not.toContain('/apple/first');
      expect(lines.filter((line) => 'prev' in line)).toHaveLength(rows().length);
      const report = await reportOf(bytes, pins);
      expect(report.findings).toEqual([]);
      expect(report.journals.find((journal) => journal.device === bench.ownId)).toMatchObject({
        entries: asked.length,
      });
    }
    const agentOnly = await exportedBy(bench.folder, ['--agent', 'apple']);
    const own = (await reportOf(agentOnly.bytes)).journals.find((journal) => journal.device === bench.ownId);
    // Entries of the other agent come before the signature.
    expect(own?.proven).toBe(0);
    const unknown = await exportedBy(bench.folder, ['--agent', 'plum']);
    expect(unknown).toMatchObject({ code: 1, bytes: Buffer.alloc(0) });
    expect(unknown.said).toContain('no entries about this agent');
  });
});

describe('an export', () => {
  it('changes the profile, or makes a key', async () => {
    const seen = () => readdirSync(bench.folder).map((name) => `${name} ${statSync(join(bench.folder, name)).mtimeMs}`);
    const isOfTheRecord = (name: string) => !/-(?:shm|wal) /u.test(name);
    const before = seen().filter(isOfTheRecord);
    await exportedBy(bench.folder);
    expect(seen().filter(isOfTheRecord)).toEqual(before);
    const other = newFolder();
    openStore(other).close();
    const { code, said, bytes } = await exportedBy(other);
    expect(code).toBe(0);
    expect(said).toContain('not signed');
    expect(existsSync(join(other, 'device-keys.json'))).toBe(false);
    expect(await reportOf(bytes)).toMatchObject({ isSound: true, fileSignature: 'none', journals: [{ entries: 0 }] });
  });

  it('takes in half of what is written meanwhile, or holds the application up', async () => {
    const { folder, ownKey } = bench;
    const store = openStore(folder);
    const options = { agentId: null, runId: null, exportedAtMs: 1, privateKey: ownKey };
    const ledger = must(openLedger(folder, options));
    const before = rows().length;
    const lines: string[] = [];
    for (const line of ledger.lines) {
      lines.push(line);
      const agentId = `new-${lines.length}` as never;
      const said = { agentId, revisionDigest: sha256(''), name: 'New', description: '', source: '' };
      // Nothing reads between two lines: the log can be brought into the file as a whole.
      if (lines.length === 25)
        expect(connectionOf(store).db.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
      if (lines.length % 10 === 0) must(await store.write(({ journal }) => journal.append('agent.saved', said)));
    }
    ledger.close();
    store.close();
    expect(rows().length).toBeGreaterThan(before);
    const report = await reportOf(Buffer.from(lines.join('')), pins);
    expect(report.findings).toEqual([]);
    expect(report.journals.reduce((sum, journal) => sum + journal.entries, 0)).toBe(before);
  });
});

describe('an exported file', () => {
  it('is signed with another key than the one that the journal is known by', async () => {
    const store = openStore(bench.folder);
    const known = newDeviceKey().publicKey;
    must(
      await store.write(({ db }) =>
        db.prepare('INSERT OR REPLACE INTO journal_keys (device_id, public_key) VALUES (?,?)').run(bench.ownId, known),
      ),
    );
    store.close();
    const { bytes, said } = await exportedBy(bench.folder);
    expect(said).toContain('not signed');
    expect(await reportOf(bytes)).toMatchObject({ isSound: true, fileSignature: 'none' });
  });

  it('replaces a file, can be read by others, or leaves a half-written one', async () => {
    const file = join(newFolder(), 'ledger.jsonl');
    writeFileSync(file, 'mine');
    const refused = await exportedBy(bench.folder, ['--out', file]);
    expect([refused.code, readFileSync(file, 'utf8')]).toEqual([1, 'mine']);
    expect(refused.said).toContain('there already');
    expect((await exportedBy(bench.folder, ['--out', file, '--force'])).code).toBe(0);
    expect(await verifyLedger(file, pins)).toMatchObject({ isSound: true });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['ledger.jsonl']);
    const nowhere = await exportedBy(bench.folder, ['--out', join(file, 'below')]);
    expect(nowhere.code).not.toBe(0);
    expect(nowhere.said).toContain('cannot be written');
    expect((await exportedBy(bench.folder, ['--what'])).code).toBe(2);
  });
});

describe('a record that cannot be exported', () => {
  it('is made anew, or brings the command down', async () => {
    const folder = newFolder();
    const missing = await exportedBy(folder);
    expect([missing.code, missing.bytes.length, readdirSync(folder)]).toEqual([1, 0, []]);
    expect(missing.said).toContain(`no record in the folder ${folder}`);
    const options = { agentId: null, runId: null, exportedAtMs: 1, privateKey: null };
    writeFileSync(join(folder, 'fencepost.sqlite'), 'no record at all'.repeat(1_000));
    expect(problemOf(openLedger(folder, options)).code).toBe('store-corrupt');
    writeFileSync(join(folder, 'fencepost.sqlite'), '');
    expect(problemOf(openLedger(folder, options)).message).toContain('older version');
  });
});

describe('a large record', () => {
  const MANY = 20_000;
  /** Too little for the file, enough for the program. */
  const HEAP_MIB = 80;

  function fencepost(...args: readonly string[]) {
    const entry = join(import.meta.dirname, '..', 'cli', 'index.ts');
    const flags = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${HEAP_MIB}`];
    return spawnSync(process.execPath, [...flags, entry, ...args], { encoding: 'utf8', maxBuffer: 1_048_576 });
  }

  it('has to fit into memory, to be exported or to be checked', { timeout: 300_000 }, async () => {
    const { folder } = bench;
    const store = openStore(folder);
    const payloads = Array.from({ length: MANY }, (_, index) => ({ note: `${index} ${'x'.repeat(6_000)}` }));
    must(await store.write((connection) => addJournal(connection, deviceIdSchema.parse('many'), payloads)));
    store.close();
    const file = join(newFolder(), 'ledger.jsonl');
    const written = fencepost('export', '--profile', folder, '--out', file);
    expect([written.stderr, written.status]).toEqual(['', 0]);
    expect(statSync(file).size).toBeGreaterThan(1.2 * HEAP_MIB * 1_048_576);
    const checked = fencepost('verify', file);
    expect([checked.stderr, checked.status]).toEqual(['', 0]);
    expect(checked.stdout).toContain(`Device many: ${MANY} entries, not signed.`);
  });
});
