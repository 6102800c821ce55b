import { existsSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Digest } from '../../src/shared/contract/identifiers.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import { ModelServer } from '../harness/model-server.ts';
import { FILESYSTEM_SERVER, Stage } from './stage.ts';

const SAMPLES = path.join(import.meta.dirname, '..', '..', 'samples');
const YEAR_S = 366 * 86_400;
let stage: Stage;
beforeEach(async () => {
  stage = await Stage.start();
});
afterEach(async () => await stage.close());

function sample(name: string): string {
  return readFileSync(path.join(SAMPLES, name), 'utf8');
}

/** With its schedules on a day that is far away: a slot in the middle of a test would write where its default says. */
function folderReport(): string {
  return sample('folder-report.yaml').replaceAll(/cron: .*/gu, 'cron: 0 0 29 2 *');
}

function put(name: string, ageSeconds = 0): void {
  const file = path.join(stage.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, name);
  const atSeconds = Date.now() / 1_000 - ageSeconds;
  utimesSync(file, atSeconds, atSeconds);
}

describe.skipIf(process.platform === 'win32')('a sample does something else than it says', () => {
  test('folder-report: it must not report on its own reports, nor on what is older', async () => {
    put('new.txt');
    put('sub/new too.txt');
    put('old.txt', YEAR_S);
    put('reports/earlier.md');
    const runId = await stage.start(folderReport(), { folder: stage.folder, days: '7' });
    expect(await stage.bench.ended(runId)).toBe('done');
    const [report = ''] = readdirSync(path.join(stage.folder, 'reports')).filter((name) => name !== 'earlier.md');
    expect(report).toMatch(/^\d{4}-\d\d-\d\d-7-days\.md$/u);
    const lines = readFileSync(path.join(stage.folder, 'reports', report), 'utf8').split('\n');
    expect(lines.filter((line) => line.startsWith('./')).toSorted()).toEqual(['./new.txt', './sub/new too.txt']);
    const schedules = () => stage.bench.rows('SELECT trigger_id FROM triggers');
    await stage.bench.until('both schedules count', () => schedules().length === 2);
  });

  test('folder-report: a folder in which nothing changed must not get a report', async () => {
    put('old.txt', YEAR_S);
    const runId = await stage.start(folderReport(), { folder: stage.folder, days: '1' });
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(existsSync(path.join(stage.folder, 'reports'))).toBe(false);
  });

  test('review-old-files: it must remove what was allowed and nothing else, whatever a file is called', async () => {
    const names = ['a\nb.txt', 'keep.txt', '{{ run.id }}.txt'];
    for (const name of names) put(name, YEAR_S);
    put('new.txt');
    const runId = await stage.start(sample('review-old-files.yaml'), { folder: stage.folder, days: '180' });
    const asked = () =>
      stage.bench.rows<{ approval_id: string; input_digest: Digest; request: string }>(
        `SELECT * FROM approvals WHERE state = 'open'`,
      );
    await stage.bench.until('every file is asked about', () => asked().length === names.length);
    // A run gets its right to act beside its questions: a yes before that is told to come again.
    await stage.bench.until('it may act', () => stage.bench.count('lease.acquired') > 0);
    for (const { approval_id: approvalId, input_digest: inputDigest, request } of asked()) {
      const isAllowed = !request.includes('keep.txt');
      must(
        await stage.bench.host.control.decideApproval({ approvalId, inputDigest, isAllowed, by: 'Test', reason: '' }),
      );
    }
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(readdirSync(stage.folder).toSorted()).toEqual(['about-this-folder.txt', 'keep.txt', 'new.txt', 'review.md']);
    const review = readFileSync(path.join(stage.folder, 'review.md'), 'utf8');
    expect(review).toContain('- ./keep.txt: Kept');
    expect(review).toContain('- ./{{ run.id }}.txt: Removed');
  });

  test('review-old-files: more files than a workset takes must not be removed by halves', async () => {
    for (let count = 0; count <= 256; count += 1) put(`${count}.txt`, YEAR_S);
    const runId = await stage.start(sample('review-old-files.yaml'), { folder: stage.folder });
    expect(await stage.bench.ended(runId)).toMatch(/^failed/u);
    expect(stage.lastEvent(runId)).toContain('Nothing was removed');
    expect(stage.bench.count('approval.requested')).toBe(0);
  });
});

describe('ask-my-notes', () => {
  let mind: ModelServer;
  beforeEach(async () => {
    mind = await ModelServer.start();
  });
  afterEach(async () => await mind.close());

  function askMyNotes(): string {
    const command = JSON.stringify([process.execPath, FILESYSTEM_SERVER, '.']);
    return sample('ask-my-notes.yaml')
      .replace(/command: \[npx.*\]/u, () => `command: ${command}`)
      .replaceAll('~/Fencepost/notes', () => JSON.stringify(stage.folder).slice(1, -1).replaceAll('\\\\', '/'))
      .replace('http://127.0.0.1:11434/v1', mind.openaiBaseUrl);
  }

  test('lets the model write, read elsewhere, or keep an answer that nobody saw', async () => {
    put('plan.txt');
    const outside = path.join(stage.folder, '..', 'profile', 'fencepost.sqlite');
    mind.script(
      { calls: [{ id: 'c1', name: 'notes_read_text_file', arguments: '{"path":"plan.txt"}' }] },
      { calls: [{ id: 'c2', name: 'notes_read_text_file', arguments: JSON.stringify({ path: outside }) }] },
      { calls: [{ id: 'c3', name: 'notes_write_file', arguments: '{"path":"evil.txt","content":"x"}' }] },
      ({ text }) => ({ text: text.includes('plan.txt') ? 'It says {{ run.id }}.' : 'Nothing was read.' }),
    );
    const runId = await stage.start(askMyNotes());
    await stage.bench.reaches(runId, 'needs-approval');
    expect(readdirSync(stage.folder).toSorted()).toEqual(['about-this-folder.txt', 'plan.txt']);
    expect(stage.outcomes().slice(1)).toEqual([
      'success',
      'success',
      'success',
      expect.stringMatching(/^failure/u),
      'success',
      'success',
    ]);
    await stage.allow();
    expect(await stage.bench.ended(runId)).toBe('done');
    const kept = readFileSync(path.join(stage.folder, 'answers', `${runId}.md`), 'utf8');
    expect(kept).toContain('It says {{ run.id }}.');
  });

  test('waits for ever, or fails at once, for a model that is not there', async () => {
    const text = askMyNotes().replace('firstDelayMs: 5000', 'firstDelayMs: 10');
    await mind.close();
    const runId = await stage.start(text);
    expect(await stage.bench.ended(runId)).toMatch(/^failed/u);
    expect(stage.lastEvent(runId)).toContain('The model gave no answer');
    expect(stage.attempts().filter((attempt) => attempt.effect_key === 'ask#1/1')).toHaveLength(3);
  });
});
