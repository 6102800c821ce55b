import { describe, expect, it } from 'vitest';
import { rankItems } from './palette-order.ts';
import type { PaletteItem } from './palette-order.ts';

const item = (id: string, group: string, label: string, more: Partial<PaletteItem> = {}): PaletteItem => ({
  id,
  group,
  label,
  icon: 'runs',
  run: () => undefined,
  ...more,
});
const RUNS = Array.from({ length: 20 }, (_, index) => item(`run ${index}`, 'Runs', `Pay invoice ${index}`));
const ITEMS = [item('go /runs', 'Go to', 'Runs'), item('go /refusals', 'Go to', 'Refusals'), ...RUNS];
const shown = (items: readonly PaletteItem[], typed: string, ids: readonly string[] = []) =>
  rankItems(items, typed, { ids, name: 'Lately' }).map((group) => [
    group.name,
    ...group.items.map((each) => each.item.id),
  ]);

describe('what the palette shows', () => {
  it('buries what was opened lately, or shows it twice', () => {
    const groups = shown(ITEMS, '', ['run 19', 'gone', 'go /refusals']);
    expect(groups[0]).toEqual(['Lately', 'run 19', 'go /refusals']);
    expect(groups[1]).toEqual(['Go to', 'go /runs']);
    expect(groups.flat().filter((each) => each === 'run 19')).toHaveLength(1);
  });

  it('fills the window with one kind', () => {
    expect(shown(ITEMS, '').find(([name]) => name === 'Runs')).toHaveLength(9);
    expect(shown(ITEMS, 'invoice').find(([name]) => name === 'Runs')).toHaveLength(13);
  });

  it('puts the first hit below one that fits less', () => {
    expect(shown(ITEMS, 'refus')).toEqual([['Go to', 'go /refusals']]);
    expect(shown([item('a', 'Runs', 'Rerun it'), item('b', 'Go to', 'Runs')], 'run').map(([name]) => name)).toEqual([
      'Go to',
      'Runs',
    ]);
    expect(shown(ITEMS, 'pay', ['run 7'])[0]?.[1]).toBe('run 7');
  });

  it('puts what needs a person below its own agent and run, which do not', () => {
    const step = item('needs unclear 1', 'Waiting for you', 'Deliver the message', {
      keywords: ['Practice run', 'Practise in ~/notes', '0012'],
      needsPerson: true,
    });
    const agent = item('agent practice', 'Agents', 'Practice run');
    const run = item('run 12', 'Runs', 'Practise in ~/notes', { keywords: ['0012', 'Practice run'] });
    for (const typed of ['practice', 'practice run', 'practise notes', '0012', 'deliver practice']) {
      // What was opened lately does not push it down either.
      expect(shown([step, agent, run, ...ITEMS], typed, ['agent practice', 'run 12'])[0]?.[1]).toBe('needs unclear 1');
    }
    // Letters that happen to stand in it are no reason to come first.
    expect(shown([step, ...ITEMS], 'runs')[0]?.[1]).toBe('go /runs');
  });

  it('drops or judges again what the host found', () => {
    const found = item('target 0 run-9', 'Whom', 'ana@example.com', { ranges: [{ from: 0, to: 3 }] });
    expect(shown([found, ...ITEMS], 'runs')).toEqual([
      ['Go to', 'go /runs'],
      ['Whom', 'target 0 run-9'],
    ]);
    expect(shown([found], '')).toEqual([]);
  });
});
