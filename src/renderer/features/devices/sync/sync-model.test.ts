import { describe, expect, test } from 'vitest';
import type { SyncDeviceRow } from '../../../../shared/contract/sync-views.ts';
import { clockText, percentOf, standingOf } from './sync-model.ts';

const NOW = 1_800_000_000_000;

function device(change: Partial<SyncDeviceRow> = {}): SyncDeviceRow {
  return {
    deviceId: 'work-pc',
    name: 'Work-PC',
    isThisDevice: false,
    version: '1',
    lastSeenAtMs: NOW,
    knownSeq: 1,
    relaySeq: 1,
    lacksOfOurs: 0,
    oldestUnsentAtMs: null,
    clockOffsetMs: null,
    leases: [],
    letGoAtMs: null,
    isSilent: false,
    quarantine: null,
    ...change,
  };
}

describe('how a device of the table reads', () => {
  test('a device that is set aside or let go looks as if all were well', () => {
    const quarantine = { reason: 'chain', sentence: '', wayOut: '', sinceMs: 1 } as const;
    expect(standingOf(device({ quarantine }), NOW)).toBe('aside');
    expect(standingOf(device({ quarantine, letGoAtMs: 1 }), NOW)).toBe('let-go');
    expect(standingOf(device({ isSilent: true }), NOW)).toBe('silent');
    expect(standingOf(device(), NOW + 120_000)).toBe('here');
    expect(standingOf(device(), NOW + 120_001)).toBe('away');
    expect(standingOf(device({ lastSeenAtMs: null }), NOW)).toBe('unseen');
    expect(standingOf(device({ isThisDevice: true, lastSeenAtMs: null }), NOW)).toBe('here');
  });

  test('a clock that nobody knows is called right, or one that is behind ahead', () => {
    expect(clockText(null)).toBeNull();
    expect(clockText(999)).toBe('');
    expect(clockText(41_000)).toBe('+41 s');
    expect(clockText(-180_000)).toBe('−3 min');
    expect(clockText(30 * 3_600_000)).toBe('+30 h');
    expect(clockText(240 * 3_600_000)).toBe('+10 days');
  });

  test('a catch-up is called done while entries are missing', () => {
    expect(percentOf({ done: 999, total: 1_000 })).toBe(99);
    expect(percentOf({ done: 1_200, total: 1_000 })).toBe(100);
    expect(percentOf({ done: 0, total: 0 })).toBe(0);
  });
});
