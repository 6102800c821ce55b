import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEventLog, LOG_MAX_BYTES } from './event-log.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-log-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a line is one JSON object, whatever is in it, and only the owner reads the file', () => {
  const file = path.join(folder, 'new', 'door.log');
  createEventLog(file).write({ event: 'x', cause: 'two\nlines "and" quotes' });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'x', cause: 'two\nlines "and" quotes' });
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a log that is written for ever keeps two files of a fair size', () => {
  const file = path.join(folder, 'long.log');
  const log = createEventLog(file);
  for (let count = 0; count < 1_200; count += 1) log.write({ event: 'x', cause: 'y'.repeat(100_000) });
  expect(statSync(file).size).toBeLessThan(LOG_MAX_BYTES + 8_192);
  expect(statSync(`${file}.1`).size).toBeLessThan(LOG_MAX_BYTES + 8_192);
});

it('a place that cannot be written stops nothing', () => {
  expect(() => createEventLog('/dev/null/door.log').write({ event: 'x' })).not.toThrow();
});
