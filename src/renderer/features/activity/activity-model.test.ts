import { describe, expect, it } from 'vitest';
import type { ActivityRow } from '../../../shared/contract/activity-views.ts';
import { filterRequest, isFiltered, NO_FILTERS } from './activity-model.ts';
import { sizeText, steppedTo, timeFilter, verifyCommand, withPage } from './activity-model.ts';

const row = (seq: number) => ({ seq }) as ActivityRow;

describe('the list of entries', () => {
  it('shows an entry twice when two answers overlap', () => {
    expect(withPage([row(9), row(8)], [row(8), row(7)]).map((each) => each.seq)).toEqual([9, 8, 7]);
    expect(withPage([], [row(8)])).toHaveLength(1);
  });

  it('steps out of the list, or begins anywhere else than at the top', () => {
    const rows = [row(9), row(8), row(7)];
    expect([steppedTo(rows, null, 1), steppedTo(rows, 9, 1), steppedTo(rows, 9, -1)]).toEqual([0, 1, 0]);
    expect([steppedTo(rows, 8, 20), steppedTo(rows, 8, -20), steppedTo(rows, 5, 1)]).toEqual([2, 0, 0]);
  });

  it('asks for entries that were not chosen, or moves the beginning of a time while it is looked at', () => {
    expect(filterRequest(NO_FILTERS)).toEqual({});
    expect(isFiltered(NO_FILTERS)).toBe(false);
    const filters = { ...NO_FILTERS, acts: ['effects'], time: timeFilter('day', 86_400_001) } as const;
    expect(filterRequest(filters)).toEqual({ acts: ['effects'], sinceMs: 1 });
    expect(isFiltered(filters)).toBe(true);
  });
});

describe('an export', () => {
  it('is checked by a command that misses the key, or breaks at a space', () => {
    const of = { fileName: 'my ledger.jsonl', deviceId: 'd', publicKey: 'k' };
    expect(verifyCommand(of)).toBe('fencepost verify "my ledger.jsonl" --key d=k');
    expect(verifyCommand({ ...of, publicKey: '' })).toBe('fencepost verify "my ledger.jsonl"');
  });

  it('has a size that nobody can read', () => {
    expect([sizeText(812), sizeText(48_730_112), sizeText(169_400)]).toEqual(['812 B', '48.7 MB', '169 kB']);
  });
});
