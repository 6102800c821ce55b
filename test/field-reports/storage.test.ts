import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import { HostBench } from '../../src/main/host/testing/host-bench.ts';
import { isSafeSqlite } from '../../src/main/store/database.ts';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import { canMakeDisks, makeSmallDisk } from '../../src/main/store/testing/small-disk.ts';
import { connectionOf, deviceIdOf, openStore } from '../../src/main/store/testing/store-bench.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import type { RaceOrder } from '../contract/register-contender.ts';
import { reportFigures } from '../harness/figures.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { agentText, sendStep, twoSends } from './strategies.ts';
import { ToolServer } from './tool-server.ts';

const MIB = 1_048_576;
const PROCESSES = 28;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;

/** How long a child process may be silent, ms. */
const WORD_LIMIT_MS = 30_000;

/** The next word of a child process; fails if it ends without one. */
async function wordOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${String(code)}.`)));
  ended.catch(() => undefined);
  const signal = AbortSignal.timeout(WORD_LIMIT_MS);
  const [word] = (await Promise.race([once(child, 'message', { signal }), ended])) as unknown[];
  return word;
}

function startAll(program: URL, parameters: (index: number) => string[]): ChildProcess[] {
  return Array.from({ length: PROCESSES }, (_, index) =>
    fork(fileURLToPath(program), parameters(index), { execArgv: [] }),
  );
}

function killAll(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill('SIGKILL');
}

// aaif-goose/goose#7624, pingdotgg/t3code#5099, phnx-labs/agi-cli#2479, UsefulSoftwareCo/executor#858.
describe('28 processes that open one file in the same moment', () => {
  // iOfficeAI/AionUi#1776, Kilo-Org/kilocode#8841
  it('get the profile more than once, or one of them is told something that only SQLite understands', async () => {
    const folder = temporaryFolder();
    const children = startAll(new URL('../../src/main/store/testing/lock-holder.ts', import.meta.url), () => [folder]);
    const words = (await Promise.all(children.map((child) => wordOf(child)))) as { ok: boolean; message?: string }[];
    killAll(children);
    expect(words.filter((word) => word.ok)).toHaveLength(1);
    for (const word of words.filter((each) => !each.ok)) {
      expect(word.message).toMatch(/^Another copy of Fencepost is using this data/u);
      expect(word.message).not.toMatch(/sqlite|busy|lock/iu);
    }
  });

  it('are two registers, or one of them is refused its answer', async () => {
    const file = join(temporaryFolder(), 'register.sqlite');
    const children = startAll(new URL('../contract/register-contender.ts', import.meta.url), (index) => [
      file,
      String(index),
      '1',
    ]);
    await Promise.all(children.map((child) => wordOf(child)));
    const order: RaceOrder = { agent: 'agent' as AgentId, nonce: 'stampede' };
    const words = children.map((child) => wordOf(child));
    for (const child of children) child.send(order);
    const answers = ((await Promise.all(words)) as Result<RegisterAnswer, Problem>[][]).flat();
    killAll(children);
    const replies = answers.map((answer) => (answer.ok ? answer.value.reply.kind : answer.error.message));
    expect(replies.toSorted()).toEqual(['granted', ...Array.from({ length: PROCESSES - 1 }, () => 'held')]);
    const names = answers.map((answer) => (answer.ok ? answer.value.view.coordinator.coordinatorId : ''));
    expect(new Set(names).size).toBe(1);
  });
});

describe('the record on its disk', () => {
  it('cannot be written for two seconds because another program writes, and somebody is told of it', async () => {
    const folder = temporaryFolder();
    const store = openStore(folder);
    const holder = fork(fileURLToPath(new URL('write-holder.ts', import.meta.url)), [
      join(folder, 'fencepost.sqlite'),
      '2000',
    ]);
    expect(await wordOf(holder)).toBe('holding');
    const from = performance.now();
    must(await store.write(({ db }) => db.exec(`INSERT INTO profile VALUES ('setting:test', 'kept')`)));
    expect(performance.now() - from, 'nobody was in the way').toBeGreaterThan(1_000);
    expect(store.state().state).toBe('ready');
    store.close();
    await once(holder, 'exit');
  });

  // aaif-goose/goose#11155.
  it('is written by an SQLite that can lose it, whatever was bundled', () => {
    const store = openStore(temporaryFolder());
    const { version } = connectionOf(store).db.prepare('SELECT sqlite_version() AS version').get() as {
      version: string;
    };
    store.close();
    expect(isSafeSqlite(version), version).toBe(true);
  });

  // n8n-io/n8n#39327, openrundev/openrun#100, DeytaHQ/khora#1606.
  it('keeps a log of any length once somebody has read for long, or cannot be written meanwhile', async () => {
    const folder = temporaryFolder();
    const store = openStore(folder);
    const file = join(folder, 'fencepost.sqlite');
    const reader = openSqlite(file, { isReadOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM ops').get();
    const logMib = (): number => Math.ceil(statSync(`${file}-wal`).size / MIB);
    const write = async (text: string): Promise<void> => {
      must(await store.write(({ journal }) => journal.keep(text)));
    };
    for (let index = 0; index < 50; index += 1) await write(`${index}${'x'.repeat(4 * MIB)}`);
    const whileRead = logMib();
    reportFigures({ 'log while somebody reads, MiB': whileRead });
    expect(whileRead, 'the reader held nothing up').toBeGreaterThan(150);
    reader.exec('COMMIT');
    reader.close();
    // The first write after it brings the log into the file, the next one begins it anew and cuts it short.
    for (let index = 50; index < 53; index += 1) await write(`${index}${'x'.repeat(4 * MIB)}`);
    expect(logMib()).toBeLessThanOrEqual(64);
    expect(store.state().state).toBe('ready');
    expect(verifyJournal(connectionOf(store).db, deviceIdOf(store))).toBeNull();
    store.close();
    rmSync(folder, { recursive: true });
  });

  it('keeps a log of any length although nobody reads', async () => {
    const folder = temporaryFolder();
    const store = openStore(folder);
    let longest = 0;
    for (let index = 0; index < 30; index += 1) {
      must(await store.write(({ journal }) => journal.keep(`${index}${'x'.repeat(4 * MIB)}`)));
      longest = Math.max(longest, statSync(join(folder, 'fencepost.sqlite-wal')).size);
    }
    expect(longest).toBeLessThan(64 * MIB);
    store.close();
    rmSync(folder, { recursive: true });
  });
});

// charmbracelet/crush#3801, screenpipe/screenpipe#6790, daintreehq/daintree#6270, dolthub/dolt#11069, CherryHQ/cherry-studio#15709.
describe.runIf(canMakeDisks)('a disk that fills up in the middle of an effect', { concurrent: true }, () => {
  it.each([
    { point: 'before-intent', hits: 0 },
    { point: 'before-effect', hits: 1 },
  ] as const)(
    'at $point: something is sent that is not written down, done twice, or the record stays unusable',
    async ({ point, hits }) => {
      const receiver = await Receiver.start();
      const disk = makeSmallDisk(12 * MIB);
      const profile = join(disk.folder, 'profile');
      mkdirSync(profile);
      const bench = await HostBench.start(profile);
      try {
        const agentId = await bench.agent(twoSends('full', receiver.origin));
        bench.at(point, () => disk.fill());
        const runId = await bench.run(agentId);
        await bench.until('the disk is full', () => bench.host.control.storeState().state === 'full');
        expect(bench.host.control.storeState().message).toMatch(/full/u);
        await quietly(QUIET_MS);
        expect(receiver.hits('/full/first')).toBe(hits);
        disk.free();
        // What was written down as on its way and has no outcome is a question; what was not written down was not sent.
        if (hits === 0) expect(await bench.ended(runId)).toBe('done');
        else await bench.reaches(runId, 'needs-recovery');
        await quietly(hits * HOLD_OFF_MS + QUIET_MS);
        expect(receiver.hits('/full/first')).toBe(1);
        expect(bench.count('recovery.in-doubt')).toBe(hits);
        expect(bench.host.control.storeState().state).toBe('ready');
        expect(bench.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      } finally {
        await bench.close();
        disk.remove();
        await receiver.close();
      }
    },
  );
});

// temporalio/features#487, golemcloud/golem#3272, dapr/dapr#9846.
describe('what a tool puts out or is given is too large', () => {
  it('and the journal or the list of runs grows with it, or the run can never be read again', async () => {
    const receiver = await Receiver.start();
    const folder = temporaryFolder();
    const bench = await HostBench.start(temporaryFolder());
    const program = JSON.stringify(`process.stdout.write('x'.repeat(${60 * MIB}))`);
    const scope = `scope: { folders: ['${folder}'], programs: ['${process.execPath}'], hosts: ['${new URL(receiver.origin).host}'] }`;
    const place = '{{ steps.shout.output.stdout }}';
    const send = (name: string, body: string, next: string): string =>
      sendStep({ url: `${receiver.origin}/large/${name}`, next, more: `, body: '${body}'` });
    const states = {
      shout: `{ type: tool, call: { tool: shell, argv: ['${process.execPath}', '-e', ${program}], cwd: '${folder}' }, onSuccess: pass }`,
      pass: send('pass', place, 'double'),
      double: send('double', `${place}${place}`, 'finish').replace(/ \}$/u, ', onFailure: told }'),
      told: send('told', 'It was too long.', 'finish'),
    };
    const text = agentText({ agentId: 'large', origin: receiver.origin, states }).replace(/^scope:.*$/mu, scope);
    const runId = await bench.run(await bench.agent(text));
    // A flood is cut and says so; what is longer than may be sent is not sent in part, but not at all, and the run goes on.
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/large/pass', '/large/told']);
    expect(receiver.received[0]?.body).toContain('[cut after 5242880 bytes]');
    const said = bench.rows<{ payload: string }>(`SELECT payload FROM ops WHERE payload LIKE '%8388608%'`);
    expect(said).not.toEqual([]);
    const [kept] = bench.rows<{ body: string }>('SELECT body FROM blobs ORDER BY length(body) DESC');
    const body = kept?.body ?? '';
    expect(body.length).toBeLessThan(6 * MIB);
    expect(body).toContain('[cut after 5242880 bytes]');
    expect(bench.rows('SELECT max(length(payload)) < 8192 AS isSmall FROM ops')).toEqual([{ isSmall: 1 }]);
    expect(bench.rows('SELECT max(length(intent)) < 8192 AS isSmall FROM attempts')).toEqual([{ isSmall: 1 }]);
    const answer = await bench.host.handlers['runs.list'](
      { search: '', statuses: [], offset: 0, limit: 200 },
      { surface: 'browser', name: 'Test' },
    );
    expect(answer.ok).toBe(true);
    expect(JSON.stringify(answer).length).toBeLessThan(8_192);
    await bench.close();
    await receiver.close();
  });

  it.each([
    { mebibytes: 5, phase: 'ended' },
    { mebibytes: 60, phase: 'needs-recovery' },
  ])('and an answer of $mebibytes MiB is asked for again, lost, or fills the journal', ({ mebibytes, phase }) =>
    Setting.with(async (setting) => {
      const server = await ToolServer.start();
      try {
        server.text = 'x'.repeat(mebibytes * MIB);
        const states = { pay: `{ type: tool, call: { tool: mcp.call, server: bank, name: pay }, onSuccess: finish }` };
        const more = `, servers: { bank: { url: '${server.url}', effects: { pay: { kind: blind } } } }`;
        const origin = `http://${server.host}`;
        const device = setting.device();
        const agentId = await device.agent(agentText({ agentId: 'payer', origin, states, more, ttlMs: 15_000 }));
        device.start();
        const runId = await device.run(agentId);
        await until('it comes to rest', () => device.phase(runId) === phase);
        await quietly(QUIET_MS);
        expect(server.calls).toHaveLength(1);
        expect(device.rows('SELECT max(length(payload)) < 8192 AS isSmall FROM ops')).toEqual([{ isSmall: 1 }]);
        const blobs = device.rows<{ size: number }>('SELECT length(body) AS size FROM blobs ORDER BY size DESC');
        expect((blobs[0]?.size ?? 0) > 4 * MIB).toBe(phase === 'ended');
      } finally {
        await server.close();
      }
    }),
  );
});
