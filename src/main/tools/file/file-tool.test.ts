import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import { forgetObservation } from '../tool.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = createBench();
  mkdirSync(bench.folder);
});
afterEach(() => bench.remove());

function writeAt(full: string, content = 'hello', mode: 'create' | 'replace' = 'create'): ToolCall {
  return { tool: 'file.write', path: full, content, mode };
}

function write(name: string, content?: string, mode?: 'create' | 'replace'): ToolCall {
  return writeAt(path.join(bench.folder, name), content, mode);
}

describe('a written file', () => {
  test('differs from what was approved, or leaves a temporary file behind', async () => {
    const prepared = await bench.prepare(write('notes/a.txt', 'häl\u202Elo\0'));
    const run = await bench.tools.perform(prepared, context());
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(run.output).toEqual({ path: path.join(bench.folder, 'notes/a.txt'), bytes: 10 });
    expect(readFileSync(path.join(bench.folder, 'notes/a.txt'), 'utf8')).toBe('häl\u202Elo\0');
    expect(readdirSync(path.join(bench.folder, 'notes'))).toEqual(['a.txt']);
    expect(JSON.parse(prepared.inputText)).toEqual({
      tool: 'file.write',
      path: path.join(bench.folder, 'notes/a.txt'),
      content: 'häl\u202Elo\0',
      mode: 'create',
    });
    expect(prepared).toMatchObject({ title: 'Write a.txt', effectKind: 'verifiable', isDestructive: false });
  });

  test('is touched by preparing alone', async () => {
    await bench.prepare(write('deep/er/a.txt'));
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  test('overwrites one that it was told to create', async () => {
    writeFileSync(path.join(bench.folder, 'a.txt'), 'mine');
    const run = await bench.run(write('a.txt'));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'file-exists', wasSent: false });
    expect(readFileSync(path.join(bench.folder, 'a.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(bench.folder)).toEqual(['a.txt']);
  });

  test('loses its permissions when it is replaced', async () => {
    const full = path.join(bench.folder, 'a.sh');
    writeFileSync(full, 'old');
    chmodSync(full, 0o750);
    const prepared = await bench.prepare(write('a.sh', 'new', 'replace'));
    expect(prepared).toMatchObject({ title: 'Replace a.sh', isDestructive: true });
    expect((await bench.tools.perform(prepared, context())).outcome.kind).toBe('success');
    expect(readFileSync(full, 'utf8')).toBe('new');
    expect(statSync(full).mode & 0o777).toBe(0o750);
  });

  test('is written after an abort', async () => {
    const prepared = await bench.prepare(write('a.txt'));
    const run = await bench.tools.perform(prepared, context(AbortSignal.abort()));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'aborted', wasSent: false });
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  test('gets its name although the right to act was lost while its content was written', async () => {
    const prepared = await bench.prepare(write('a.txt'));
    // Whole at the first look, before anything is written; raised at every later one.
    let looks = 0;
    const signal = Object.defineProperty(new AbortController().signal, 'aborted', { get: () => (looks += 1) > 1 });
    const run = await bench.tools.perform(prepared, context(signal));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'aborted', wasSent: false });
    expect(looks).toBeGreaterThan(1);
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  test('is claimed to be read-only', async () => {
    expect((await bench.prepare(write('a.txt'), { kind: 'read-only' })).effectKind).toBe('verifiable');
  });

  test('replaces a folder', async () => {
    mkdirSync(path.join(bench.folder, 'sub'));
    expect(await bench.refusal(write('sub', 'x', 'replace'))).toContain('not a file');
  });
});

describe('a look at a file', () => {
  test('says that it happened when it did not, or the other way round', async () => {
    const full = path.join(bench.folder, 'a.txt');
    writeFileSync(full, 'before');
    const prepared = await bench.prepare(write('a.txt', 'after', 'replace'));
    const look = async () => (await bench.tools.verify(prepared, context())).answer;
    expect(await look()).toBe('did-not-happen');
    writeFileSync(full, 'after');
    expect(await look()).toBe('happened');
    writeFileSync(full, 'edited later');
    expect(await look()).toBe('silent');
    rmSync(full);
    expect(await look()).toBe('did-not-happen');
  });

  test('takes a later edit for the state before, after a restart', async () => {
    writeFileSync(path.join(bench.folder, 'a.txt'), 'edited after the crash');
    const again = forgetObservation(await bench.prepare(write('a.txt', 'after', 'replace')));
    expect((await bench.tools.verify(again, context())).answer).toBe('silent');
  });

  test('follows a link that was put in its place', async () => {
    const prepared = await bench.prepare(write('a.txt', 'secret'));
    writeFileSync(path.join(bench.outside, 'secret.txt'), 'secret');
    symlinkSync(path.join(bench.outside, 'secret.txt'), path.join(bench.folder, 'a.txt'));
    expect((await bench.tools.verify(prepared, context())).answer).toBe('silent');
  });
});

describe('a path leads out of the granted folder', () => {
  test.each([
    ['by dots', (granted: string) => `${granted}/../evil.txt`],
    ['by dots that come back', (granted: string) => `${granted}/sub/../a.txt`],
    ['by backslash dots', (granted: string) => `${granted}/..\\evil.txt`],
    ['by a longer name', (granted: string) => `${granted}-evil/a.txt`],
    ['by being elsewhere', () => '/etc/fencepost-test'],
    ['by being relative', () => 'a.txt'],
    ['by being empty', () => ''],
    ['by a NUL', (granted: string) => `${granted}/a.txt\0.png`],
    ['by turning its reading direction', (granted: string) => `${granted}/\u202Etxt.exe`],
    ['by a line break', (granted: string) => `${granted}/a\nb`],
    ['by half a character', (granted: string) => `${granted}/\uD800`],
    ['into the profile of Fencepost', (granted: string) => `${granted}/profile/grants.db`],
    ['by the home folder', () => '~/evil.txt'],
  ])('%s', async (_, spell) => {
    expect(await bench.refusal(writeAt(spell(bench.folder)))).toMatch(/path|outside|belongs to Fencepost/u);
  });

  test('by a link to a folder, to a file, to nowhere, or back inside', async () => {
    const evil = path.join(bench.outside, 'evil');
    mkdirSync(evil);
    mkdirSync(path.join(bench.folder, 'real'));
    writeFileSync(path.join(evil, 'file.txt'), 'x');
    symlinkSync(evil, path.join(bench.folder, 'out'));
    symlinkSync(path.join(evil, 'file.txt'), path.join(bench.folder, 'file'));
    symlinkSync(path.join(evil, 'new.txt'), path.join(bench.folder, 'dangling'));
    symlinkSync(path.join(bench.folder, 'real'), path.join(bench.folder, 'inside'));
    for (const name of ['out/a.txt', 'file', 'dangling', 'inside/a.txt', 'out/deep/er/a.txt']) {
      expect(await bench.refusal(write(name, 'x', 'replace'))).toContain('is a link');
    }
    expect(readdirSync(evil)).toEqual(['file.txt']);
  });

  test('because a folder was swapped for a link after it was approved', async () => {
    const sub = path.join(bench.folder, 'sub');
    mkdirSync(sub);
    const prepared = await bench.prepare(write('sub/a.txt'));
    rmSync(sub, { recursive: true });
    mkdirSync(path.join(bench.outside, 'evil'));
    symlinkSync(path.join(bench.outside, 'evil'), sub);
    const run = await bench.tools.perform(prepared, context());
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'outside-scope', wasSent: false });
    expect(existsSync(path.join(bench.outside, 'evil', 'a.txt'))).toBe(false);
  });

  test('no, it is inside, although the granted folder itself is reached through a link', async () => {
    const alias = path.join(bench.outside, 'alias');
    symlinkSync(bench.folder, alias);
    const scope = { ...bench.scope, folders: [alias] };
    const prepared = await bench.tools.prepare(writeAt(path.join(alias, 'a.txt')), undefined, scope);
    expect(prepared.ok && prepared.value.target).toBe(path.join(bench.folder, 'a.txt'));
    const home = await bench.tools.prepare(writeAt('~/granted/b.txt'), undefined, { ...scope, folders: ['~/granted'] });
    expect(home.ok && home.value.target).toBe(path.join(bench.folder, 'b.txt'));
  });
});
