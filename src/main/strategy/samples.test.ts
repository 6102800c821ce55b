import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
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

/** Every place that any string inside a value names. */
function placesIn(value: unknown): string[] {
  if (typeof value === 'string') return templatePaths(value);
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(placesIn);
}

function nextOf(state: StrategyState): string[] {
  if (state.type === 'choice') return [...state.branches.map((branch) => branch.to), state.otherwise];
  return ['onSuccess', 'onFailure', 'onUnclear'].flatMap((key) => {
    const to = (state as Partial<Record<string, string>>)[key];
    return to === undefined ? [] : [to];
  });
}

/** The tool states that lie on every way from the start to a state; its templates may look at those. */
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
  const tools = Object.entries(strategy.states).filter(([, state]) => state.type === 'tool');
  return tools.map(([name]) => name).filter((name) => name !== target && !reachableWithout(name));
}

const outputs: Record<string, string[]> = {
  shell: ['exitCode', 'stdout', 'stderr'],
  'file.write': ['path', 'bytes'],
  'http.request': ['status', 'headers', 'body'],
};

describe('a sample that a newcomer starts with', () => {
  test('is one of those that the product ships', () => {
    expect(names).toEqual(['loopback-summary.yaml', 'practice-windows.yaml', 'practice.yaml', 'tidy-folder.yaml']);
  });

  test.each(names)('%s has an input without a default, or tells no editor about its schema', (name) => {
    const { strategy, text } = load(name);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../schemas/strategy.schema.json');
    expect(strategy.input['folder']?.default).toMatch(/^~\/Fencepost\//u);
    for (const field of Object.values(strategy.input)) expect(field.default).toBeDefined();
  });

  test.each(names)('%s names a place that is empty when its step runs', (name) => {
    const { strategy } = load(name);
    const inputs = Object.keys(strategy.input).map((each) => `input.${each}`);
    const known = new Set([...inputs, 'run.id']);
    expect(placesIn([strategy.summary, strategy.scope]).filter((each) => !known.has(each))).toEqual([]);
    for (const [stateName, state] of Object.entries(strategy.states)) {
      const before = alwaysBefore(strategy, stateName);
      const fields = before.flatMap((each) => {
        const tool = Object.entries(strategy.states).find(([key]) => key === each)?.[1];
        const given = tool?.type === 'tool' ? (outputs[tool.call.tool] ?? []) : [];
        return [`steps.${each}.output`, ...given.map((field) => `steps.${each}.output.${field}`)];
      });
      const reachable = new Set([...known, ...fields]);
      expect({ stateName, lost: placesIn(state).filter((each) => !reachable.has(each)) }).toEqual({
        stateName,
        lost: [],
      });
    }
  });
});
