import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockOf, coloursOf, contrastOf, LOOKS } from './contrast.ts';
import type { Look } from './contrast.ts';

const renderer = path.join(import.meta.dirname, '..', '..', 'src', 'renderer');
const css = readFileSync(path.join(renderer, 'styles', 'tokens.css'), 'utf8');

const GROUNDS = ['surface-rail', 'surface', 'surface-raised', 'surface-sunken', 'hover', 'selected'];
const WORDS = ['ink', 'ink-2', 'ink-3', 'accent', 'needs', 'done', 'refused', 'bad'];
/** Text, and what it stands on. */
const TEXT: readonly (readonly [string, string])[] = [
  ...GROUNDS.flatMap((ground) => WORDS.map((word) => [word, ground] as const)),
  ...['needs-soft', 'needs-selected'].flatMap((ground) =>
    ['ink', 'ink-2', 'ink-3', 'needs'].map((word) => [word, ground] as const),
  ),
  ...['refused-soft', 'bad-soft', 'done-soft', 'accent-soft'].flatMap((ground) =>
    ['ink', 'ink-2'].map((word) => [word, ground] as const),
  ),
  ['refused', 'refused-soft'],
  ['bad', 'bad-soft'],
  ['accent', 'accent-soft'],
  ['accent-ink', 'accent-fill'],
  ['accent-ink', 'accent-fill-hover'],
  ['surface', 'needs'],
  ['tip-ink', 'tip'],
  ...['nav-hover', 'nav-current', 'badge', 'found', 'selection'].map((ground) => ['ink', ground] as const),
  ...['nav-hover', 'nav-current', 'badge'].map((ground) => ['ink-2', ground] as const),
];
/** Edges and marks that alone say where something is, and what they stand on. */
const MARKS: readonly (readonly [string, string])[] = [
  ...['surface', 'surface-raised', 'surface-sunken'].flatMap((ground) =>
    ['line-control', 'focus', 'accent-fill'].map((mark) => [mark, ground] as const),
  ),
  ['thumb', 'line-control'],
  ['thumb', 'accent-fill'],
];
/** Hairlines: quiet as a rule, and seen where more contrast is asked for. */
const LINES: readonly (readonly [string, string])[] = [
  ...['surface', 'surface-rail', 'surface-raised', 'surface-sunken'].flatMap((ground) =>
    ['line', 'line-strong', 'gap'].map((line) => [line, ground] as const),
  ),
  ['needs-line', 'needs-soft'],
  ['refused-line', 'refused-soft'],
  ['needs-edge', 'surface'],
  ['done-band', 'surface'],
];

/** The pairs of tokens that have less than the least contrast. */
function tooFaint(look: Look, pairs: typeof TEXT, least: number): string[] {
  const colours = coloursOf(css, look);
  return pairs.flatMap(([front, back]) => {
    const one = colours.get(`--${front}`);
    const other = colours.get(`--${back}`);
    if (one === undefined || other === undefined) return [`${front} on ${back} is not there`];
    const contrast = contrastOf(one, other);
    return contrast < least ? [`${front} on ${back} is ${contrast.toFixed(2)}, not ${least}`] : [];
  });
}

describe.each(LOOKS)('the colours of the window, $theme with $contrast contrast', (look) => {
  const isHigh = look.contrast === 'high';

  it('text cannot be read by everybody', () => {
    expect(tooFaint(look, TEXT, isHigh ? 7 : 4.5)).toEqual([]);
  });

  it('an edge that is the only sign of something cannot be seen', () => {
    expect(tooFaint(look, MARKS, isHigh ? 4.5 : 3)).toEqual([]);
  });
});

it.each(LOOKS.filter(({ contrast }) => contrast === 'high'))(
  'a hairline is there for some only, $theme with high contrast',
  (look) => {
    expect(tooFaint(look, LINES, 3)).toEqual([]);
  },
);

describe('colours outside of the tokens', () => {
  it('are counted as WCAG does', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('stand in a style, where neither a theme nor a contrast reaches them', () => {
    const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.css') && path.basename(file) !== 'tokens.css',
    );
    expect(files.length).toBeGreaterThan(15);
    const literal = /#[0-9a-f]{3,8}\b(?=[^{]*;)|\b(?:rgba?|hsla?|oklch|light-dark)\(/giu;
    const found = files.flatMap((file) =>
      [...readFileSync(path.join(renderer, file), 'utf8').matchAll(literal)].map(([text]) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it('are left as they are where the system forces its own: every colour of a theme has one that stands for it', () => {
    const forced = blockOf(css, ':root[data-contrast]');
    // What is drawn nowhere but on paper, or only ever behind something, needs none.
    const own = new Set(['--paper', '--print', '--found', '--selection']);
    const usual = [...coloursOf(css, { theme: 'light', contrast: 'usual' }).keys()].filter(
      (name) => !own.has(name) && blockOf(css, ':root').get(name)?.startsWith('var(') !== true,
    );
    expect(usual.filter((name) => !forced.has(name))).toEqual([]);
    expect([...forced.values()].filter((value) => value.startsWith('#'))).toEqual([]);
    expect(usual.filter((name) => !blockOf(css, `[data-contrast='high']`).has(name))).toEqual([]);
  });
});
