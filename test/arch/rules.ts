import { builtinModules } from 'node:module';
import path from 'node:path';
import type { SourceFile } from './source.ts';

/** A rule takes the files it may judge and answers with one sentence per violation. There are no exceptions to list. */
export type Rule = { name: string; check: (files: readonly SourceFile[]) => string[] };

export const WORDS = ['trigger', 'lease', 'intent', 'gate', 'claim', 'fence', 'effect', 'settle', 'successor', 'sync'];
export const CORE_FOLDERS = [...WORDS, 'recovery', 'run'];
export const MAX_FILE_LINES = 300;
export const MAX_FUNCTION_LINES = 70;

/** What makes a decision depend on more than its arguments, or on where it runs. */
const IMPURE = new Set([
  'Date',
  'Math.random',
  'crypto',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'requestAnimationFrame',
  'fetch',
  'WebSocket',
  'process',
  'Buffer',
  'globalThis',
  'window',
  'document',
  'localStorage',
  'console',
  'require',
]);

const isTest = (file: string) => /\.test\.tsx?$/.test(file);
const isNodeModule = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);

/** The repository path a relative import means, or null for a package. */
function targetOf(file: SourceFile, specifier: string): string | null {
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file.path), specifier) : null;
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

/** Builds a rule about imports: which files it is about, and what is wrong with one import, if anything. */
function importRule(name: string, about: RegExp, judge: (to: ImportTarget) => string | null): Rule {
  const check = (files: readonly SourceFile[]) =>
    files
      .filter((file) => about.test(file.path))
      .flatMap((file) =>
        file.imports.flatMap(({ specifier, line }) => {
          const target = targetOf(file, specifier);
          const wrong = judge({
            from: file.path,
            specifier,
            target,
            package: target === null ? packageOf(specifier) : null,
          });
          return wrong === null ? [] : [`${file.path}:${line} imports ${specifier}: ${wrong}`];
        }),
      );
  return { name, check };
}

type ImportTarget = { from: string; specifier: string; target: string | null; package: string | null };

function sharedPackageAllowed({ from, package: name }: ImportTarget): boolean {
  if (name === 'zod') return from.startsWith('src/shared/contract/');
  // The expression language has no clock, no input and no output of its own.
  if (name === '@marcbachmann/cel-js') return from === 'src/shared/core/run/expression.ts';
  return isTest(from) && (name === 'vitest' || name === 'fast-check');
}

const feature = (file: string | null) => file?.match(/^src\/renderer\/features\/([^/]+)\//)?.[1];

const importRules: Rule[] = [
  importRule(
    'shared code imports shared code, zod at the edges and one expression language',
    /^src\/shared\//,
    (to) => {
      const fine = to.target === null ? sharedPackageAllowed(to) : to.target.startsWith('src/shared/');
      return fine
        ? null
        : 'src/shared depends on nothing but itself, on zod in contract/ and on the expression language in one file';
    },
  ),
  importRule(
    'only the Electron shell imports electron',
    /^src\/(?!main\/electron\/|main\/index\.ts$|preload\/)/,
    (to) => (to.package === 'electron' ? 'only src/main/electron, src/main/index.ts and src/preload may' : null),
  ),
  importRule(
    'only the Electron entry reaches the Electron shell',
    /^src\/(?!main\/electron\/|main\/index\.ts$)/,
    (to) => (to.target?.startsWith('src/main/electron/') ? 'the host runs without Electron' : null),
  ),
  importRule('only the store opens SQLite', /^src\/(?!main\/store\/|main\/coordinators\/sqlite\/)/, (to) =>
    to.package === 'better-sqlite3' ? 'only src/main/store and src/main/coordinators/sqlite may' : null,
  ),
  importRule('the window knows shared code and nothing of the host', /^src\/renderer\//, (to) => {
    if (to.target !== null)
      return /^src\/(shared|renderer)\//.test(to.target) ? null : 'the renderer imports src/shared only';
    return isNodeModule(to.specifier) ? 'a sandboxed window has no Node modules' : null;
  }),
  importRule('features of the window never import each other', /^src\/renderer\/features\//, (to) => {
    const other = feature(to.target);
    return other === undefined || other === feature(to.from)
      ? null
      : 'what two features share belongs in ui/ or state/';
  }),
  importRule('the design system knows no feature', /^src\/renderer\/ui\//, (to) =>
    to.target !== null && /^src\/renderer\/(features|state|bridge|app)\//.test(to.target) ? 'ui/ stands alone' : null,
  ),
  importRule('the host knows nothing of the window', /^src\/main\//, (to) =>
    to.target !== null && /^src\/(renderer|preload)\//.test(to.target) ? 'the host does not import the window' : null,
  ),
  importRule('the preload is a bridge and nothing else', /^src\/preload\//, (to) =>
    to.package === 'electron' || to.target?.startsWith('src/shared/')
      ? null
      : 'the preload imports electron and src/shared',
  ),
  importRule('relative imports name the file', /^(src|test|bench|scripts)\//, (to) =>
    to.target === null || path.posix.extname(to.target) !== ''
      ? null
      : 'write the extension: Node runs the sources as they are',
  ),
];

const pureRule: Rule = {
  name: 'decisions have no clock, no randomness, no timers and no input or output',
  check: (files) =>
    files
      .filter((file) => file.path.startsWith('src/shared/'))
      .flatMap((file) =>
        file.globals.filter((use) => IMPURE.has(use.name)).map((use) => `${file.path}:${use.line} uses ${use.name}`),
      ),
};

const shapeRules: Rule[] = [
  {
    name: `no file is longer than ${MAX_FILE_LINES} lines`,
    check: (files) =>
      files.filter((file) => file.lineCount > MAX_FILE_LINES).map((file) => `${file.path} has ${file.lineCount} lines`),
  },
  {
    name: `no function is longer than ${MAX_FUNCTION_LINES} lines`,
    check: (files) =>
      files.flatMap((file) =>
        file.functions
          .filter((one) => one.lineCount > MAX_FUNCTION_LINES)
          .map((one) => `${file.path}:${one.line} ${one.name} has ${one.lineCount} lines`),
      ),
  },
  {
    name: 'src has no default exports',
    check: (files) =>
      files
        .filter((file) => file.path.startsWith('src/') && file.hasDefaultExport)
        .map((file) => `${file.path} has a default export`),
  },
  {
    name: 'src has no barrels',
    check: (files) =>
      files
        .filter((file) => file.path.startsWith('src/') && file.isBarrel)
        .map((file) => `${file.path} only passes on what other files export`),
  },
  {
    name: 'names are kebab-case and say what is inside',
    check: (files) =>
      files.flatMap(({ path: file }) => {
        const parts = file.split('/');
        const odd = parts.find((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part));
        if (odd !== undefined) return [`${file}: ${odd} is not kebab-case`];
        const vague = file.match(/(?:^|[-./])(utils?|helpers?|managers?)(?=[-./])/)?.[1];
        return vague === undefined ? [] : [`${file}: "${vague}" says nothing about what is inside`];
      }),
  },
];

export const rules: readonly Rule[] = [...importRules, pureRule, ...shapeRules];

/** What is missing from, and what does not belong in, a set of names. */
export function compareNames(found: readonly string[], wanted: readonly string[]): string[] {
  return [
    ...wanted.filter((name) => !found.includes(name)).map((name) => `${name} is missing`),
    ...found.filter((name) => !wanted.includes(name)).map((name) => `${name} does not belong here`),
  ];
}
