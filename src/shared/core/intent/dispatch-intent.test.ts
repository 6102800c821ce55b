import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { routingKey, routingMatchesKind } from './dispatch-intent.ts';
import type { DispatchRecipient } from './dispatch-intent.ts';

const RECIPIENTS: readonly DispatchRecipient[] = [
  { recipient: 'authorization', semanticsDigest: 'x' },
  { recipient: 'actor', bindingId: 'x', runtimeId: 'y' },
  { recipient: 'script', runtimeId: 'x', entry: 'y' },
  { recipient: 'workset-item', itemId: 'x', bindingOrdinal: 1 },
];

describe('who performs an effect', () => {
  it('a command goes to a recipient of another kind', () => {
    for (const { recipient: kind } of RECIPIENTS) {
      for (const recipient of RECIPIENTS) {
        expect(routingMatchesKind({ kind, recipient })).toBe(kind === recipient.recipient);
      }
    }
  });

  it('two kinds of recipient count as one target', () => {
    expect(RECIPIENTS.map(routingKey)).toEqual([
      '13:authorization1:x',
      '5:actor1:x1:y',
      '6:script1:x1:y',
      '12:workset-item1:x1:1',
    ]);
  });

  it('two targets share a key, or one has two', () => {
    const text = fc.string({ maxLength: 4 });
    const recipients = fc.oneof<fc.Arbitrary<DispatchRecipient>[]>(
      fc.record({ recipient: fc.constant('authorization' as const), semanticsDigest: text }),
      fc.record({ recipient: fc.constant('actor' as const), bindingId: text, runtimeId: text }),
      fc.record({ recipient: fc.constant('script' as const), runtimeId: text, entry: text }),
      fc.record({ recipient: fc.constant('workset-item' as const), itemId: text, bindingOrdinal: fc.nat(255) }),
    );
    fc.assert(
      fc.property(recipients, recipients, (one, other) => {
        const isSame = canonicalJson({ ...one }) === canonicalJson({ ...other });
        expect(routingKey(one) === routingKey(other)).toBe(isSame);
      }),
    );
    const actor = (bindingId: string, runtimeId: string) => routingKey({ recipient: 'actor', bindingId, runtimeId });
    expect(actor('a1:b', 'c')).not.toBe(actor('a', 'b1:c'));
  });

  it('a recipient of a newer version gets the key of an older one', () => {
    const unknown = { recipient: 'newer' } as unknown as DispatchRecipient;
    expect(() => routingKey(unknown)).toThrow('Unhandled case');
  });
});
