import { describe, expect, it } from 'vitest';
import type { LeaseView } from '../../../shared/contract/lease-views.ts';
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
  takeover: 'automatic',
  canTakeOver: false,
  takeOverSentence: '',
  holdOffMs: 0,
  canBump: false,
  ...change,
});

describe('who has the right to act', () => {
  it('does not count a right that ran out for the device that had it', () => {
    expect(holderOf(lease({ state: 'expired' }))).toEqual({ kind: 'nobody' });
    expect(holderOf(lease({ state: 'waits-for-person' }))).toEqual({ kind: 'nobody' });
    expect(holderOf(lease({ state: 'doubtful' }))).toEqual({ kind: 'device', name: 'This Mac' });
  });

  it('never says nobody where another device may have it and this one cannot tell', () => {
    for (const state of ['unreachable', 'went-back', 'moved'] as const) {
      expect(holderOf(lease({ state, holderName: null }))).toEqual({ kind: 'unknown' });
    }
  });

  it('lists this device first and nobody last', () => {
    const others = [1, 2].map(() => lease({ holderName: 'Work-PC', isHere: false }));
    const none = { holderName: null, isHere: false } as const;
    const owners = ownersOf([
      lease({ ...none, state: 'free' }),
      lease({ ...none, state: 'moved' }),
      ...others,
      lease({}),
    ]);
    expect(owners).toEqual([
      { holder: { kind: 'device', name: 'This Mac' }, count: 1 },
      { holder: { kind: 'device', name: 'Work-PC' }, count: 2 },
      { holder: { kind: 'unknown' }, count: 1 },
      { holder: { kind: 'nobody' }, count: 1 },
    ]);
  });
});
