import { describe, expect, it } from 'vitest';
import type { LeaseView } from '../../shared/contract/views.ts';
import { readEveryMs } from './use-leases.ts';

const lease = (state: LeaseView['state'], ttlMs: number): LeaseView => ({
  agentId: 'a',
  agentName: 'A',
  holderName: null,
  isHere: true,
  state,
  sentence: '',
  epoch: 1,
  remainingMs: 0,
  ttlMs,
  renewedAtMs: null,
  openEntries: 0,
  settledEntries: 0,
});

describe('reading renewals', () => {
  it('reads again before the shortest held right would seem to have run out', () => {
    const everyMs = readEveryMs({ sequence: 1, leases: [lease('held', 300_000), lease('held', 5_000)] });
    expect(everyMs).toBeLessThan(5_000 / 2);
  });

  it('asks nothing for rights that nobody holds, and never floods the host', () => {
    expect(readEveryMs(null)).toBeNull();
    expect(readEveryMs({ sequence: 1, leases: [lease('free', 5_000)] })).toBeNull();
    expect(readEveryMs({ sequence: 1, leases: [lease('held', 0)] })).toBe(1_000);
  });
});
