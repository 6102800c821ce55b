import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  RECOVERY_WORDS,
  firstKeyOf,
  newSpaceSecret,
  readRecoveryWords,
  recoveryKeyOf,
  recoveryWordsOf,
  shortSpaceId,
  spaceIdOf,
} from './space-secret.ts';

const secretBytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const ZERO = Buffer.alloc(32);

function messageOf(text: string): string {
  const read = readRecoveryWords(text);
  return read.ok ? 'it was read' : read.error.message;
}

function secretOf(text: string): string {
  const read = readRecoveryWords(text);
  return read.ok ? read.value.toString('hex') : read.error.message;
}

describe('recovery words', () => {
  it('the list or the check sum is not the published one, and the words open nothing elsewhere', () => {
    expect(recoveryWordsOf(ZERO).join(' ')).toBe(`${'abandon '.repeat(23)}art`);
    expect(recoveryWordsOf(Buffer.alloc(32, 255)).join(' ')).toBe(`${'zoo '.repeat(23)}vote`);
  });

  it('a sheet gives another secret back than the one it was made of', () => {
    fc.assert(
      fc.property(secretBytes, (secret) => {
        const words = recoveryWordsOf(secret);
        expect(words).toHaveLength(RECOVERY_WORDS);
        expect(secretOf(words.join(' '))).toBe(secret.toString('hex'));
      }),
    );
  });

  it('a sheet is refused for how somebody typed it off', () => {
    const secret = Buffer.from('0123456789abcdef'.repeat(4), 'hex');
    const words = recoveryWordsOf(secret);
    const rowByRow = words.map((_, at) => Math.floor(at / 3) + (at % 3) * 8);
    const typed = [
      `\n  ${words.join('\t\n ').toUpperCase()}  `,
      words.join(', '),
      words.map((word, index) => `${index + 1}. ${word}`).join('\n'),
      words.map((word, index) => `${index + 1}) ${word}`).join(' '),
      words.map((word, index) => `${index + 1}${word}`).join(' '),
      words.map((word) => `- ${word}`).join('\n'),
      words.join('\u00A0'),
      rowByRow.map((at) => `${at + 1}. ${words[at] ?? ''}`).join('   '),
    ];
    for (const text of typed) expect(secretOf(text)).toBe(secret.toString('hex'));
  });

  it('a person does not learn which word is wrong, or that it is the check sum', () => {
    const words = [...recoveryWordsOf(ZERO)];
    expect(messageOf(words.with(6, 'abandom').join(' '))).toBe(
      'Word 7, “abandom”, is none of the words that recovery sheets are made of. Perhaps it is “abandon”.',
    );
    expect(messageOf(words.with(2, 'wörd').join(' '))).toBe(
      'Word 3, “wörd”, is none of the words that recovery sheets are made of.',
    );
    expect(messageOf(words.slice(1).join(' '))).toBe('There are 23 words here, and a recovery sheet has 24.');
    expect(messageOf('zoo')).toBe('There is 1 word here, and a recovery sheet has 24.');
    expect(messageOf('')).toBe('There are 0 words here, and a recovery sheet has 24.');
    expect(messageOf(words.with(23, 'zoo').join(' '))).toContain('the check sum is wrong');
    expect(messageOf('a'.repeat(10_000))).toContain('far longer');
    expect(messageOf(`\u202E${'x'.repeat(100)}`)).toBe(
      `Word 1, “[U+202E]${'x'.repeat(23)}”, is none of the words that recovery sheets are made of.`,
    );
  });

  it('a word that was taken for its neighbour goes unnoticed more often than once in 200', () => {
    const words = recoveryWordsOf(Buffer.from('fedcba98'.repeat(8), 'hex'));
    let unnoticed = 0;
    for (let place = 0; place < 20; place += 1) {
      for (const other of recoveryWordsOf(Buffer.from('13579bdf'.repeat(8), 'hex'))) {
        if (words[place] !== other && readRecoveryWords(words.with(place, other).join(' ')).ok) unnoticed += 1;
      }
    }
    expect(unnoticed).toBeLessThan(10);
  });

  it('any text whatever brings the reader down', () => {
    const words = fc.constantFrom(...recoveryWordsOf(Buffer.alloc(32, 7)), 'x', '7', '.', '\uD800');
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, (typed) => {
        const read = readRecoveryWords(typed);
        expect(read.ok ? read.value.length : read.error.code).toSatisfy(
          (said) => said === 32 || said === 'input-invalid',
        );
        if (!read.ok) expect(read.error.message.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('what is derived from a secret', () => {
  it('two purposes share a key, or a new secret is an old one', () => {
    const secret = newSpaceSecret();
    const recovery = Buffer.from(recoveryKeyOf(secret), 'base64url').subarray(-32);
    const all = [secret, firstKeyOf(secret), recovery, Buffer.from(spaceIdOf(secret), 'hex')];
    expect(new Set(all.map((each) => each.toString('hex'))).size).toBe(4);
    expect(newSpaceSecret().equals(secret)).toBe(false);
    expect(newSpaceSecret()).toHaveLength(32);
  });

  it('a later version names the same space otherwise, and nothing opens any more', () => {
    expect(spaceIdOf(ZERO)).toBe('77d5f5cc0204f5a81d864ff00792ea5c90de18adad495e34bdd69200dfd4a8c8');
    expect(firstKeyOf(ZERO).toString('hex')).toBe('03fb04aa84c745daf04ecb6007697816dfb86858697cece2b1e0f5b438a3cc12');
    expect(shortSpaceId('ab12cd34ef')).toBe('AB12-CD34');
  });
});
