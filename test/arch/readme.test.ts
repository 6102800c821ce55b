import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import {
  PARALLEL_LIMIT,
  STRATEGY_EDGE_LIMIT,
  STRATEGY_STATE_LIMIT,
  WORKSET_ITEM_LIMIT,
} from '../../src/shared/contract/strategy.ts';
import { CATCH_UP_LIMIT } from '../../src/shared/contract/triggers.ts';
import { parseStrategy } from '../../src/main/strategy/load-strategy.ts';

/** Documents that promise what the code does not do: each test names one way in which they could. */

const root = path.join(import.meta.dirname, '..', '..');
const SKIPPED = new Set(['node_modules', 'out', 'dist', 'coverage', 'test-results', 'playwright-report']);

interface Document {
  readonly file: string;
  readonly text: string;
}

function markdownBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : markdownBelow(file);
    return entry.name.endsWith('.md') ? [file] : [];
  });
}

function readDocument(file: string): Document {
  return { file, text: readFileSync(path.join(root, file), 'utf8') };
}

/** Every match of a pattern's first group in a document, with the document's name. */
function findIn({ file, text }: Document, pattern: RegExp): { found: string; where: string }[] {
  return [...text.matchAll(pattern)].map((match) => ({ found: match[1] ?? match[0], where: `${file}: ${match[0]}` }));
}

const documents = markdownBelow('.').map(readDocument);
const howTo = documents.filter(({ file }) => /^(?:README|CONTRIBUTING|SECURITY|ARCHITECTURE)\.md$|^docs\//u.test(file));
const packageFile = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('the documents that were seen', () => {
  it.each([
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'docs/adr/0001-functional-core-imperative-shell.md',
    'docs/runbooks/unclear-step.md',
    'docs/strategies.md',
  ])('include %s, so that a moved one is not a silent pass', (file) => {
    expect(documents.map((document) => document.file)).toContain(file);
  });
});

describe('a reader who types what a document says', () => {
  const scripts = howTo.flatMap((document) =>
    findIn(document, /\bnpm (?:run )?((?:start|test|[a-z]+:[a-z0-9]+)\b|(?<=run )[a-z]+\b)/gu),
  );

  it('meets no command that package.json does not have', () => {
    expect(scripts.length).toBeGreaterThan(10);
    expect(scripts.filter(({ found }) => packageFile.scripts[found] === undefined)).toEqual([]);
  });

  it('meets no command whose script is missing', () => {
    const started = (name: string) => /^node ([\w./-]+)/u.exec(packageFile.scripts[name] ?? '')?.[1];
    const missing = scripts.filter(({ found }) => {
      const file = started(found);
      return file !== undefined && !existsSync(path.join(root, file));
    });
    expect(missing).toEqual([]);
  });

  it('meets no suite that scripts/test.mjs does not know', () => {
    const suites = readFileSync(path.join(root, 'scripts', 'suites.mjs'), 'utf8');
    const named = howTo.flatMap((document) => findIn(document, /node scripts\/test\.mjs ([a-z]+)/gu));
    expect(named.filter(({ found }) => !suites.includes(`name: '${found}'`))).toEqual([]);
  });

  it('meets no environment variable that nothing reads', () => {
    const sources = textOf('src', 'scripts');
    expect(sources.length).toBeGreaterThan(100_000);
    const config = readFileSync(path.join(root, 'playwright.config.ts'), 'utf8');
    const named = howTo.flatMap((document) => findIn(document, /`((?:FENCEPOST|ELECTRON)_[A-Z_]+)/gu));
    // Of these the name of the secret is anybody's.
    const read = named.map((each) => ({ ...each, found: each.found.replace(/^(FENCEPOST_SECRET_).+$/u, '$1') }));
    expect(read.filter(({ found }) => !`${sources}${config}`.includes(found))).toEqual([]);
  });
});

describe('a reader who follows a link', () => {
  it('gets to a file of this repository', () => {
    const broken = documents.flatMap((document) =>
      findIn(document, /\]\((?!https?:|mailto:|#)([^)\s#]+)[^)]*\)/gu).filter(({ found }) => {
        const target = path.posix.join(path.posix.dirname(document.file), found);
        return target.startsWith('..') || !existsSync(path.join(root, target));
      }),
    );
    expect(broken.map(({ where }) => where)).toEqual([]);
  });

  it('finds every source file and folder that a document names', () => {
    const named = documents.flatMap((document) =>
      findIn(document, /`((?:src|test|scripts|docs|samples|schemas)\/[\w./-]+)`/gu),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ found }) => !existsSync(path.join(root, found))).map(({ where }) => where)).toEqual([]);
  });
});

describe('a reader who copies the example of an agent', () => {
  const examples = findIn(readDocument('README.md'), /```yaml\n(.*?)```/gsu);

  it('finds one', () => {
    expect(examples).toHaveLength(1);
  });

  it.each(examples)('may save it', ({ found }) => {
    const parsed = parseStrategy('example.yaml', found);
    expect(parsed.ok ? [] : parsed.error).toEqual([]);
  });
});

describe('a reader who builds on an example of the guide', () => {
  const guide = readDocument('docs/strategies.md');
  const examples = findIn(guide, /```yaml\n(.*?)```/gsu).map(({ found }) => ({
    found,
    first: Object.keys((parseYaml(found) as Part).states).join(', '),
  }));
  /** The guide says that states which an example leads to and does not show are of type `done`. */
  const LEADS_TO = /^(?:onSuccess|onFailure|onUnclear|otherwise|to|do|join)$/u;

  interface Part {
    readonly states: Readonly<Record<string, unknown>>;
    readonly input?: object;
  }

  function targetsIn(value: unknown, key = ''): string[] {
    if (typeof value === 'string') return LEADS_TO.test(key) ? [value] : [];
    // Mail leads to people, and a call to no state.
    if (value === null || typeof value !== 'object' || key === 'call') return [];
    return Object.entries(value).flatMap(([name, member]) => targetsIn(member, Array.isArray(value) ? key : name));
  }

  function parsePart(found: string) {
    const part = parseYaml(found) as Part;
    const asked = [...found.matchAll(/\binput\.([a-zA-Z]+)/gu)].map(
      ([, name = '']) => [name, { title: name }] as const,
    );
    const missing = targetsIn(part.states).map((name) => [name, { type: 'done' }] as const);
    const whole = {
      fencepost: 1,
      id: 'example',
      name: 'Example',
      start: Object.keys(part.states)[0],
      ...part,
      input: { ...Object.fromEntries(asked), ...part.input },
      states: { ...Object.fromEntries(missing), ...part.states },
    };
    return parseStrategy('example.json', JSON.stringify(whole));
  }

  it('finds one of every type of state and trigger', () => {
    const used = examples.map(({ found }) => found).join('\n');
    const types = ['tool', 'script', 'model', 'approve', 'choice', 'workset', 'fork', 'join', 'wait', 'fail'];
    expect(types.filter((type) => !used.includes(`type: ${type}`))).toEqual([]);
    const triggers = ['schedules', 'files', 'webhooks', 'afterRuns'];
    expect(triggers.filter((trigger) => !used.includes(`${trigger}:`))).toEqual([]);
  });

  it.each(examples)('may save the one with $first', ({ found }) => {
    const parsed = parsePart(found);
    expect(parsed.ok ? [] : parsed.error).toEqual([]);
  });

  it('is told of no limit that is another one in the code', () => {
    const limits = [STRATEGY_STATE_LIMIT, STRATEGY_EDGE_LIMIT, WORKSET_ITEM_LIMIT, PARALLEL_LIMIT, CATCH_UP_LIMIT];
    const told = limits.map((limit) => limit.toLocaleString('en'));
    expect(told.filter((limit) => !new RegExp(`(?<![\\d,])${limit}(?![\\d,]\\d)`, 'u').test(guide.text))).toEqual([]);
  });
});

describe('a person who looks up a sentence of the app', () => {
  const runbooks = documents.filter(({ file }) => file.startsWith('docs/runbooks/'));
  const quotes = runbooks.flatMap((document) => findIn(document, /^> (.+)$/gmu));
  const sources = textOf('src');

  it('finds it quoted as the app says it', () => {
    expect(quotes.length).toBeGreaterThan(10);
    // `…` stands for what the app fills in.
    const partsOf = (quote: string) =>
      quote
        .split('…')
        .map((part) => part.trim())
        .filter((part) => part.length > 3);
    expect(
      quotes.filter(({ found }) => !partsOf(found).every((part) => sources.includes(part))).map(({ where }) => where),
    ).toEqual([]);
  });
});

describe('a claim about security', () => {
  const claims = findIn(readDocument('SECURITY.md'), /“([^”]+)”/gu);
  const folder = path.join(root, 'test', 'electron');
  const tests = readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');

  it('names a test that exists', () => {
    expect(claims.length).toBeGreaterThan(10);
    const partsOf = (claim: string) =>
      claim
        .replaceAll('`', '')
        .split('…')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    expect(
      claims.filter(({ found }) => !partsOf(found).every((part) => tests.includes(part))).map(({ where }) => where),
    ).toEqual([]);
  });
});

describe('a document that talks of something other than this repository', () => {
  /** Folders of one machine, hosts of a package registry, and how the work was organised: none of it is the reader's. */
  const FOREIGN = [
    /(?<![\w~.])\/(?:work|home|root|tmp|Users|workspace|mnt|private)\//u,
    /\b[A-Z]:\\Users\\/u,
    /file:\/\/\//u,
    /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\b|\bregistry\.[a-z0-9-]+\.[a-z]+|\b(?:verdaccio|artifactory)\b/iu,
    /\bsessions?\b/iu,
  ];

  it.each(documents)('is not $file', ({ text }) => {
    const lines = text.split('\n').filter((line) => FOREIGN.some((pattern) => pattern.test(line)));
    expect(lines).toEqual([]);
  });
});

describe('decisions', () => {
  const decisions = documents.filter(({ file }) => file.startsWith('docs/adr/'));

  it.each(decisions)('$file says what was rejected, on one page', ({ text }) => {
    const headings = [...text.matchAll(/^## (.+)$/gmu)].map((match) => match[1]);
    expect(headings).toEqual(['Context', 'Decision', 'Rejected', 'Consequences']);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });
});

/** The text of all sources in some folders, for looking up what they say. They are only read: parsing them takes its time. */
function textOf(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(root, folder, name),
      ),
    )
    .filter((file) => /\.(?:ts|tsx|mjs)$/u.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}
