import { describe, expect, it } from 'vitest';
import { compareNames, MAX_FILE_LINES, MAX_FUNCTION_LINES, rules } from './rules.ts';
import { parseSource } from './source.ts';

/** All violations that one file with this text would cause. */
function violations(file: string, text: string): string[] {
  return rules.flatMap((rule) => rule.check([parseSource(file, text)]));
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `call(${index});`).join('\n');

describe('a planted violation is found', () => {
  it.each([
    ['a package in the core', 'src/shared/core/gate/a.ts', "import { z } from 'zod';"],
    ['a Node module in the core', 'src/shared/core/gate/a.ts', "import { readFileSync } from 'node:fs';"],
    ['the host in the core', 'src/shared/core/gate/a.ts', "import { a } from '../../../main/host/host.ts';"],
    ['a type from outside in the core', 'src/shared/core/gate/a.ts', "import type { A } from 'ws';"],
    ['an import inside a type', 'src/shared/core/gate/a.ts', "export type A = import('node:net').Socket;"],
    ['a test library in the core itself', 'src/shared/core/gate/a.ts', "import fc from 'fast-check';"],
    ['a clock', 'src/shared/lib/a.ts', 'export const now = () => Date.now();'],
    ['a clock by type', 'src/shared/lib/a.ts', 'export function at(when: Date) { return when; }'],
    ['randomness', 'src/shared/lib/a.ts', 'export const a = () => Math.random();'],
    ['a random id', 'src/shared/lib/a.ts', 'export const a = () => crypto.randomUUID();'],
    ['a timer', 'src/shared/lib/a.ts', 'setTimeout(() => 1, 2);'],
    ['a timer passed on', 'src/shared/lib/a.ts', 'export const port = { setTimeout };'],
    ['electron in the host', 'src/main/host/a.ts', "import { app } from 'electron';"],
    ['electron loaded late', 'src/main/host/a.ts', "export const load = () => import('electron');"],
    ['the Electron shell in the host', 'src/main/host/a.ts', "import { tray } from '../electron/electron-tray.ts';"],
    ['SQLite outside the store', 'src/main/relays/a.ts', "import Database from 'better-sqlite3';"],
    ['the host in the window', 'src/renderer/state/a.ts', "import { a } from '../../main/host/host.ts';"],
    ['a Node module in the window', 'src/renderer/state/a.ts', "import path from 'path';"],
    ['a feature in a feature', 'src/renderer/features/runs/a.ts', "import { a } from '../leases/b.ts';"],
    ['a feature in the design system', 'src/renderer/ui/a.ts', "import { a } from '../features/runs/b.ts';"],
    ['the window in the host', 'src/main/bridge/a.ts', "import { a } from '../../renderer/i18n/en.ts';"],
    ['a package in the preload', 'src/preload/index.ts', "import { z } from 'zod';"],
    ['a missing extension', 'src/main/host/a.ts', "import { a } from './b';"],
    ['a default export', 'src/main/host/a.ts', 'export default 1;'],
    ['a barrel', 'src/main/host/a.ts', "export { a } from './b.ts';\nexport { c } from './d.ts';"],
    ['a star export', 'src/main/host/a.ts', "export const a = 1;\nexport * from './b.ts';"],
    ['a vague name', 'src/main/host/string-utils.ts', 'export const a = 1;'],
    ['a vague folder', 'src/main/helpers/a.ts', 'export const a = 1;'],
    ['a name in another case', 'src/renderer/ui/Button.tsx', 'export const a = 1;'],
    ['a long file', 'test/a.ts', lines(MAX_FILE_LINES + 1)],
    ['a long function', 'src/main/host/a.ts', `export const a = () => {\n${lines(MAX_FUNCTION_LINES)}\n};`],
    ['a long test', 'test/a.test.ts', `describe('x', () => { it('y', () => {\n${lines(MAX_FUNCTION_LINES)}\n}); });`],
  ])('%s', (_name, file, text) => {
    expect(violations(file, text)).toHaveLength(1);
  });
});

describe('what is allowed passes', () => {
  it.each([
    ['zod in the contract', 'src/shared/contract/a.ts', "import { z } from 'zod';"],
    [
      'property tests in the core',
      'src/shared/core/gate/a.test.ts',
      "import fc from 'fast-check';\nimport { it } from 'vitest';",
    ],
    ['a member called like a global', 'src/shared/lib/a.ts', 'export const a = (x: { Date: number }) => x.Date;'],
    [
      'a parameter called like a global',
      'src/shared/lib/a.ts',
      'export const a = (document: string) => document.length;',
    ],
    ['arithmetic', 'src/shared/lib/a.ts', 'export const a = Math.max(1, 2);'],
    ['electron in its shell', 'src/main/electron/electron-tray.ts', "import { Tray } from 'electron';"],
    ['SQLite in the store', 'src/main/store/open.ts', "import Database from 'better-sqlite3';"],
    ['parts of one feature', 'src/renderer/features/runs/a.ts', "import { a } from './b.tsx';"],
    ['a long chapter of short tests', 'test/a.test.ts', `describe('x', () => {\n${lines(MAX_FUNCTION_LINES)}\n});`],
    ['a file of the allowed length', 'src/main/host/a.ts', `${lines(MAX_FILE_LINES)}\n`],
    ['one re-export among other things', 'src/main/host/a.ts', "export { a } from './b.ts';\nexport const c = 1;"],
  ])('%s', (_name, file, text) => {
    expect(violations(file, text)).toEqual([]);
  });

  it('a set of names is compared both ways', () => {
    expect(compareNames(['gate', 'misc'], ['gate', 'fence'])).toEqual([
      'fence is missing',
      'misc does not belong here',
    ]);
  });
});
