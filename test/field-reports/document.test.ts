import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const [shown = '', waiting = ''] = readFileSync(join(ROOT, 'docs', 'field-reports.md'), 'utf8').split('## Not yet');

/** What the document says: a file and the name of a test in it, in which `…` stands for anything. */
function namedTests(): { file: string; title: string }[] {
  return [...shown.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)` › (.+?)(?=; `| \|$)/gmu)].map((match) => ({
    file: match[1] ?? '',
    title: match[2] ?? '',
  }));
}

/** The threads of each line, and the sources of the tests that it names. */
function rows(): { threads: string[]; sources: string }[] {
  return shown.split('\n').flatMap((line) => {
    const files = [...line.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)`/gu)].map((match) => match[1] ?? '');
    return files.length === 0 ? [] : [{ threads: threads(line), sources: files.map(sourcesOf).join('\n') }];
  });
}

/** Whether a source names a thread, as `owner/name#1` or, after that, as `#2`. */
function isNamed(thread: string, source: string): boolean {
  const [, repository = '', number = ''] = /github\.com\/([^/]+\/[^/]+)\/(?:issues|pull)\/(\d+)/u.exec(thread) ?? [];
  return source.includes(repository) && new RegExp(`#${number}\\b`, 'u').test(source);
}

function threads(text: string): string[] {
  return [...text.matchAll(/\]\((https:\/\/github\.com\/[^)]+)\)/gu)].map((match) => match[1] ?? '');
}

/** A title as it stands in a source; the name of a case before a colon comes from a table of the test. */
function patternsOf(title: string): RegExp[] {
  return [title, title.slice(title.lastIndexOf(': ') + 1)].map((each) => {
    const parts = each.split('…').map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&'));
    return new RegExp(parts.join('[^\\n]*'), 'u');
  });
}

/** A test's own source; a suite below `test` may also have the table of its cases in a file beside or below it. */
function sourcesOf(file: string): string {
  if (!file.startsWith('test/')) return readFileSync(join(ROOT, file), 'utf8');
  const folder = join(ROOT, dirname(file));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/u.test(name));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

describe('the list of field reports', () => {
  it('is read', () => {
    expect(namedTests().length).toBeGreaterThan(90);
    expect(threads(waiting).length).toBeGreaterThan(5);
  });

  it('names a test that does not say which thread it is about', () => {
    const unnamed = rows().flatMap((row) => row.threads.filter((thread) => !isNamed(thread, row.sources)));
    expect(rows().length).toBeGreaterThan(60);
    expect(unnamed).toEqual([]);
  });

  it('names a test that is not there', () => {
    const missing = namedTests().filter(
      ({ file, title }) =>
        !existsSync(join(ROOT, file)) || !patternsOf(title).some((pattern) => pattern.test(sourcesOf(file))),
    );
    expect(missing).toEqual([]);
  });
});
