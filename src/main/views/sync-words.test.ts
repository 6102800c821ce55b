import { describe, expect, test } from 'vitest';
import type { QuarantineReason } from '../host/sync/take-in.ts';
import { quarantineWords } from './sync-words.ts';

const reasons: readonly QuarantineReason[] = [
  { kind: 'chain', problem: { kind: 'gap', seq: 12, found: 14 } },
  { kind: 'chain', problem: { kind: 'broken-link', seq: 12 } },
  { kind: 'chain', problem: { kind: 'wrong-hash', seq: 12 } },
  { kind: 'chain', problem: { kind: 'foreign-device', seq: 12 } },
  { kind: 'foreign-signature', seq: 12 },
  { kind: 'clock-ahead', seq: 12, aheadMs: 90_000_000 },
  { kind: 'cannot-open', seq: 12, problem: { kind: 'unknown-key-epoch', epoch: 2 } },
  { kind: 'cannot-open', seq: 12, problem: { kind: 'wrong-key-or-changed', epoch: 2 } },
  { kind: 'cannot-open', seq: 12, problem: { kind: 'not-addressed', epoch: 2 } },
  { kind: 'cannot-open', seq: 12, problem: { kind: 'malformed', what: 'box' } },
  { kind: 'cannot-open', seq: 12, problem: { kind: 'too-large', what: 'box', limit: 1 } },
  { kind: 'not-understood', seq: 12, message: 'TypeError: undefined is not a function' },
  { kind: 'let-go', seq: 12 },
  { kind: 'too-late', seq: 12 },
];

describe('why a journal is put aside', () => {
  test('a reason is a code, names no device, or leaves a person without a way out', () => {
    for (const reason of reasons) {
      const { sentence, wayOut } = quarantineWords(reason, 'Work-PC');
      expect(sentence, reason.kind).toContain('Work-PC');
      expect(sentence, reason.kind).toMatch(/^[A-Z].*\.$/u);
      expect(wayOut, reason.kind).toMatch(/^[A-Z].*\.$/u);
      expect(`${sentence} ${wayOut}`, reason.kind).not.toMatch(/undefined|TypeError|hash|chain|epoch|quarantine/u);
    }
    const said = new Set(reasons.map((reason) => quarantineWords(reason, 'Work-PC').sentence));
    expect(said.size).toBe(reasons.length - 1);
  });

  test('hours are told as milliseconds, or days as hours', () => {
    const ahead = (aheadMs: number) => quarantineWords({ kind: 'clock-ahead', seq: 1, aheadMs }, 'Work-PC').sentence;
    expect(ahead(25 * 3_600_000)).toContain('25 hours ahead');
    expect(ahead(240 * 3_600_000)).toContain('10 days ahead');
  });
});
