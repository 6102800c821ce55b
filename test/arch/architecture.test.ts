import { describe, expect, it } from 'vitest';
import { compareNames, CORE_FOLDERS, rules, WORDS } from './rules.ts';
import { listNames, readSources } from './source.ts';

const files = ['src', 'test', 'bench', 'scripts'].flatMap((folder) => readSources(folder));

describe('the files that the rules saw', () => {
  it.each(['src/shared/core/', 'src/shared/contract/', 'src/main/', 'src/preload/', 'src/renderer/', 'test/'])(
    'includes some of %s, so that a moved folder is not a silent pass',
    (folder) => {
      const seen = files.filter((file) => file.path.startsWith(folder)).length;
      expect(seen, `no source file was seen in ${folder}`).toBeGreaterThan(0);
    },
  );
});

describe('rules for every file', () => {
  it.each(rules)('$name', ({ check }) => {
    expect(check(files)).toEqual([]);
  });
});

describe('one vocabulary', () => {
  it('has one core folder for each word', () => {
    const folders = listNames('src/shared/core', 'folders');
    expect(folders, 'src/shared/core does not exist').not.toBeNull();
    expect(compareNames(folders ?? [], CORE_FOLDERS)).toEqual([]);
  });

  it('has no core folder without source', () => {
    const empty = CORE_FOLDERS.filter(
      (word) => !files.some((file) => file.path.startsWith(`src/shared/core/${word}/`)),
    );
    expect(empty).toEqual([]);
  });

  it('has one pipeline file for each word', () => {
    const names = listNames('src/main/host/pipeline', 'files');
    expect(names, 'src/main/host/pipeline does not exist').not.toBeNull();
    const sources = (names ?? []).filter((name) => !name.includes('.test.'));
    expect(
      compareNames(
        sources,
        [...WORDS, 'pipeline'].map((word) => `${word}.ts`),
      ),
    ).toEqual([]);
  });
});
