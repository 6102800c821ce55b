import { describe, expect, it } from 'vitest';
import type { LeaseView } from '../../shared/contract/lease-views.ts';
import { readEveryMs } from './use-leases.ts';

const lease = (state: LeaseView['state'], ttlMs: number): LeaseView => ({
  agentId: 'a',
  agentName: 'A',
  holder: { kind: 'nobody' },
  isHere: true,
  state,
  sentence: '',
  epoch: 1,
  remainingMs: 0,
  ttlMs,
  renewedAtMs: null,
  openEntries: 0,
  settledEntries: 0,
  takeover: 'automatic',
  canTakeOver: false,
  takeOverSentence: '',
  holdOffMs: 0,
  canBump: false,
});

const view = (...leases: LeaseView[]) => ({ leases, total: leases.length });

describe('reading renewals', () => {
  it('reads again before the shortest held right would seem to have run out', () => {
    const everyMs = readEveryMs(view(lease('held', 300_000), lease('held', 5_000)));
    expect(everyMs).toBeLessThan(5_000 / 2);
  });

  it('reads a wait or a doubt again within a second, and finds out that another device took a free one', () => {
    const every = (state: LeaseView['state']) => readEveryMs(view(lease(state, 300_000)));
    expect(every('hold-off')).toBe(1_000);
    expect(every('doubtful')).toBe(1_000);
    for (const state of ['expired', 'unreachable', 'waits-for-person', 'free', 'moved', 'went-back'] as const) {
      expect(every(state)).toBeLessThanOrEqual(30_000);
    }
  });

  it('never finds out that the device that was chosen got a right', () => {
    expect(readEveryMs({ leases: [], total: 3 })).toBeLessThanOrEqual(5_000);
  });

  it('asks nothing without rights, and never floods the host', () => {
    expect(readEveryMs(null)).toBeNull();
    expect(readEveryMs(view())).toBeNull();
    expect(readEveryMs(view(lease('held', 0)))).toBe(1_000);
  });
});
