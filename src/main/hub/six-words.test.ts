import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, it } from 'vitest';
import { sixWords } from './six-words.ts';

const FACTS = {
  fingerprint: 'AA:BB',
  invitationId: 'invitation',
  hubNonce: 'hub',
  deviceId: 'device',
  publicKey: 'key',
  deviceNonce: 'nonce',
};

describe('the six words', () => {
  it.each(Object.keys(FACTS))('are others for another %s, so that nobody in between shows the same', (member) => {
    expect(sixWords({ ...FACTS, [member]: 'other' })).not.toEqual(sixWords(FACTS));
  });

  it('are others when the same text is split in another way', () => {
    const moved = { ...FACTS, publicKey: 'keyn', deviceNonce: 'once' };
    expect(sixWords(moved)).not.toEqual(sixWords(FACTS));
  });

  it('use all of the list at each place, so that they say 66 bits', () => {
    const seen = Array.from({ length: 6 }, () => new Set<string>());
    for (let count = 0; count < 4_000; count += 1) {
      const words = sixWords({ ...FACTS, hubNonce: String(count) });
      expect(words).toHaveLength(6);
      for (const [place, word] of words.entries()) seen[place]?.add(word);
    }
    const known = new Set(wordlist);
    for (const each of seen) {
      expect(each.size).toBeGreaterThan(1_600);
      expect([...each].every((word) => known.has(word))).toBe(true);
    }
  });
});
