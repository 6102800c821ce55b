import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { NO_LINK_PATH } from '../../src/shared/contract/places.ts';
import { DIALOG_CASES } from '../harness/dialog-cases.ts';
import { SCREEN_CASES } from '../harness/screen-cases.ts';

/** That every screen and every dialog is looked at, in Chromium and in Electron: both suites walk the same two lists. */

const renderer = path.join(import.meta.dirname, '..', '..', 'src', 'renderer');
/** The dialog itself, which knows of no question. */
const DESIGN_SYSTEM = 'ui/dialog.tsx';

type Node = { readonly type: string } & Record<string, unknown>;

interface Element {
  /** As it stands in the source, `Menu.Item`. */
  readonly name: string;
  /** The function of the file that it stands in. */
  readonly within: string;
  /** Its `title` is the one that the function was given. */
  readonly hasGivenTitle: boolean;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function nameOf(node: Node): string {
  if (node.type !== 'JSXMemberExpression') return String(node['name']);
  return `${nameOf(node['object'] as Node)}.${nameOf(node['property'] as Node)}`;
}

/** Every element of a file, with the outermost function around it. */
function elementsOf(file: string): Element[] {
  const text = readFileSync(path.join(renderer, file), 'utf8');
  const found: Element[] = [];
  const visit = (node: Node, within: string): void => {
    const named = node.type === 'FunctionDeclaration' && within === '' ? nameOf(node['id'] as Node) : within;
    if (node.type === 'JSXOpeningElement') {
      const { start, end } = node as unknown as { start: number; end: number };
      const name = nameOf(node['name'] as Node);
      found.push({ name, within: named, hasGivenTitle: text.slice(start, end).includes('title={props.title}') });
    }
    for (const value of Object.values(node).flat()) if (isNode(value)) visit(value, named);
  };
  visit(parseSync(file, text).program as unknown as Node, '');
  return found;
}

/** The components of a file that show a dialog. One that is only given its title is a shape: those who use it show one. */
function dialogsOf(file: string): string[] {
  const elements = elementsOf(file);
  const shown = elements.filter(({ name }) => name === 'Dialog' || name === 'BaseDialog.Root');
  const shapes = new Set(shown.filter(({ hasGivenTitle }) => hasGivenTitle).map(({ within }) => within));
  const own = shown.filter(({ within }) => !shapes.has(within));
  return [...own, ...elements.filter(({ name }) => shapes.has(name))].map(({ within }) => `${file}#${within}`);
}

const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(path.sep).join('/'))
  .filter((name) => name.endsWith('.tsx') && name !== DESIGN_SYSTEM);

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

describe('what both suites look at', () => {
  it('leaves out a dialog, or has one that is gone', () => {
    const shown = unique(files.flatMap(dialogsOf));
    expect(shown.length).toBeGreaterThan(30);
    expect(unique(DIALOG_CASES.map(({ source }) => source))).toEqual(shown);
  });

  it('leaves out a screen, or has one that is gone', () => {
    const text = readFileSync(path.join(renderer, 'app', 'routes.tsx'), 'utf8');
    const routes = [...text.matchAll(/<Route(?:<[^>]*>)?(?: path=(?:"([^"]+)"|\{(\w+)\}))?>/gu)].map(
      ([, written, constant]) => written ?? (constant === 'NO_LINK_PATH' ? NO_LINK_PATH : '*'),
    );
    expect(routes.length).toBeGreaterThan(10);
    // The first only leads on to another one; the start of a fresh profile has no route.
    expect(unique(SCREEN_CASES.map(({ route }) => route))).toEqual(unique(['', ...routes.filter((at) => at !== '/')]));
  });

  it('writes one picture over another', () => {
    const names = [...SCREEN_CASES, ...DIALOG_CASES].map(({ name }) => name);
    expect(names.length).toBe(new Set(names).size);
  });
});
