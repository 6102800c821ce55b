import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import { waysOut } from '../../shared/core/run/next-state.ts';
import { templatePaths } from '../../shared/core/run/template.ts';
import { parseStrategy } from './load-strategy.ts';

const folder = path.resolve(import.meta.dirname, '../../../samples');
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

function load(name: string): { strategy: Strategy; text: string } {
  const text = readFileSync(path.join(folder, name), 'utf8');
  const loaded = parseStrategy(name, text);
  if (!loaded.ok) throw new Error(`${name}: ${JSON.stringify(loaded.error)}`);
  return { strategy: loaded.value.strategy, text };
}

/** Every place that any string inside a value names, and every expression; a place of an expression ends at its first call. */
function placesIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    const expressions = key === 'when' || key === 'items' ? [value] : templatePaths(value);
    return expressions.flatMap(
      (each) => each.match(/\b(?:input|steps|run|item)(?:\.[A-Za-z0-9_-]+(?![A-Za-z0-9_(-]))*/gu) ?? [],
    );
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => placesIn(member, Array.isArray(value) ? key : name));
}

function nextOf(state: StrategyState): string[] {
  const into = state.type === 'workset' ? [state.do] : state.type === 'fork' ? Object.values(state.branches) : [];
  const ways = (['success', 'failure', 'unclear'] as const).flatMap((kind) => waysOut(state, kind));
  return [...into, ...ways.map((way) => way.to)];
}

/** The states with an output that lie on every way from the start to a state; its templates may look at those. */
function alwaysBefore(strategy: Strategy, target: string): string[] {
  const reachableWithout = (without: string): boolean => {
    const seen = new Set<string>();
    const open = [strategy.start as string];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === target) return true;
      const state = Object.entries(strategy.states).find(([name]) => name === at)?.[1];
      if (at === without || seen.has(at) || state === undefined) continue;
      seen.add(at);
      open.push(...nextOf(state));
    }
    return false;
  };
  const telling = Object.entries(strategy.states).filter(([, state]) => TELLING.has(state.type));
  return telling.map(([name]) => name).filter((name) => name !== target && !reachableWithout(name));
}

const TELLING: ReadonlySet<StrategyState['type']> = new Set(['tool', 'script', 'model', 'workset']);

/** The states that are gone through for an item. */
function itemStates(strategy: Strategy): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = Object.values(strategy.states).flatMap((state) =>
    state.type === 'workset' ? [state.do as string] : [],
  );
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const state = Object.entries(strategy.states).find(([name]) => name === at)?.[1];
    if (state === undefined || seen.has(at)) continue;
    seen.add(at);
    open.push(...nextOf(state));
  }
  return seen;
}

const outputs: Record<string, string[]> = {
  shell: ['exitCode', 'stdout', 'stderr'],
  'file.write': ['path', 'bytes'],
  'http.request': ['status', 'headers', 'body'],
  model: ['text', 'turns', 'inputTokens', 'outputTokens', 'cost'],
  workset: ['items', 'done', 'failed'],
};

/** The places that a template may look at behind a state. */
function placesOf(name: string, state: StrategyState | undefined): string[] {
  const given = outputs[state?.type === 'tool' ? state.call.tool : (state?.type ?? '')] ?? [];
  return [`steps.${name}`, `steps.${name}.output`, ...given.map((field) => `steps.${name}.output.${field}`)];
}

describe('a sample that a newcomer starts with', () => {
  test('is one of those that the product ships', () => {
    expect(names).toEqual([
      'ask-my-notes.yaml',
      'folder-report.yaml',
      'loopback-summary.yaml',
      'practice-windows.yaml',
      'practice.yaml',
      'review-old-files.yaml',
      'tidy-folder.yaml',
    ]);
  });

  test.each(names)('%s has an input without a default, or tells no editor about its schema', (name) => {
    const { strategy, text } = load(name);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../schemas/strategy.schema.json');
    const folders = strategy.scope.folders.map((each) =>
      each === '{{ input.folder }}' ? (strategy.input['folder']?.default ?? '') : each,
    );
    expect(folders).toHaveLength(1);
    expect(folders[0]).toMatch(/^~\/Fencepost\//u);
    for (const field of Object.values(strategy.input)) expect(field.default).toBeDefined();
  });

  test.each(names)('%s names a place that is empty when its step runs', (name) => {
    const { strategy } = load(name);
    const inputs = Object.keys(strategy.input).map((each) => `input.${each}`);
    const known = new Set([...inputs, 'run.id']);
    expect(placesIn([strategy.summary, strategy.scope]).filter((each) => !known.has(each))).toEqual([]);
    for (const [stateName, state] of Object.entries(strategy.states)) {
      const before = alwaysBefore(strategy, stateName);
      const fields = before.flatMap((each) =>
        placesOf(each, Object.entries(strategy.states).find(([key]) => key === each)?.[1]),
      );
      // What a state has just done, its own ways out may look at; and what is done with an item, at the item.
      const isTelling = TELLING.has(state.type);
      const own = isTelling ? placesOf(stateName, state) : [];
      const item = itemStates(strategy).has(stateName) ? ['item'] : [];
      const reachable = new Set([...known, ...fields, ...item]);
      const { onSuccess = null, onFailure = null, ...doing } = state as { onSuccess?: unknown; onFailure?: unknown };
      const lost = [
        ...placesIn(doing).filter((each) => !reachable.has(each)),
        ...placesIn([onSuccess, onFailure], 'ways').filter((each) => !reachable.has(each) && !own.includes(each)),
      ];
      expect({ stateName, lost }).toEqual({ stateName, lost: [] });
    }
  });
});
