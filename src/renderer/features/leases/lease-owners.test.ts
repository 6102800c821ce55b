import { describe, expect, it } from 'vitest';
import type { LeaseView } from '../../../shared/contract/views.ts';
import { holderOf, ownersOf } from './lease-owners.ts';

const lease = (change: Partial<LeaseView>): LeaseView => ({
  agentId: 'a',
  agentName: 'A',
  holderName: 'This Mac',
  isHere: true,
  state: 'held',
  sentence: '',
  epoch: 1,
  remainingMs: 1,
  ttlMs: 1,
  renewedAtMs: null,
  openEntries: 0,
  settledEntries: 0,
  ...change,
});

describe('who has the right to act', () => {
  it('does not count a right that ran out for the device that had it', () => {
    expect(holderOf(lease({ state: 'expired' }))).toBeNull();
    expect(holderOf(lease({ state: 'doubtful' }))).toBe('This Mac');
  });

  it('lists this device first and nobody last', () => {
    const others = [1, 2].map(() => lease({ holderName: 'Work-PC', isHere: false }));
    const owners = ownersOf([lease({ state: 'free', holderName: null, isHere: false }), ...others, lease({})]);
    expect(owners).toEqual([
      { name: 'This Mac', count: 1 },
      { name: 'Work-PC', count: 2 },
      { name: null, count: 1 },
    ]);
  });
});
