import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { framed } from '../../hub/proofs.ts';
import { wrapKeyFrom, wrapPublicKeyOf } from './wrap-key.ts';

/** 256 bits. */
export const SPACE_SECRET_BYTES = 32;
/** What 256 bits and their check sum make. */
export const RECOVERY_WORDS = 24;
/** A sheet that was typed off generously is far shorter. */
const TYPED_LIMIT_CHARACTERS = 4_096;
const SHOWN_WORD_CHARACTERS = 24;
/** One number or one word; everything else separates. */
const NUMBER_OR_WORD = /(?<number>\d+)|(?<word>[^\s\d.,:;()[\]#*•·|/_-]+)/gu;
const SHORT_ID_GROUPS = [
  [0, 4],
  [4, 8],
] as const;

const known: ReadonlySet<string> = new Set(wordlist);

/**
 * The secret of a new space. A space is all devices of one person or one household. Whoever has the secret can read all that
 * they ever recorded, and nobody who lacks it can make another space look like this one.
 */
export function newSpaceSecret(): Buffer {
  return randomBytes(SPACE_SECRET_BYTES);
}

/** The X25519 key (private part) that keys are wrapped for so that the recovery words keep working. */
export function recoveryKeyOf(secret: Buffer): string {
  return wrapKeyFrom(derived(secret, 'fencepost-recovery-key-v1'));
}

/** The key of the first epoch, 256 bits. */
export function firstKeyOf(secret: Buffer): Buffer {
  return derived(secret, 'fencepost-first-key-v1');
}

/** The public name of the space of a secret: 64 hexadecimal digits, from which nobody gets back to the secret. */
export function spaceIdOf(secret: Buffer): string {
  return spaceIdOfKey(wrapPublicKeyOf(recoveryKeyOf(secret)));
}

/** The same from the public recovery key, which is how a device without the secret knows that the key is the right one. */
export function spaceIdOfKey(recoveryPublicKey: string): string {
  return createHash('sha256')
    .update(framed(['fencepost-space-v1', recoveryPublicKey]))
    .digest('hex');
}

/** How a person compares two spaces: eight of the digits, in two groups. */
export function shortSpaceId(spaceId: string): string {
  return SHORT_ID_GROUPS.map(([from, to]) => spaceId.slice(from, to).toUpperCase()).join('-');
}

/** The 24 words of a secret, the last of which checks the others. */
export function recoveryWordsOf(secret: Buffer): readonly string[] {
  return entropyToMnemonic(secret, [...wordlist]).split(' ');
}

/**
 * The secret that somebody typed off a sheet. Case, spaces, commas and numbers before the words do not matter; where every word
 * has its number, neither does the order. Error `input-invalid` names what is wrong.
 */
export function readRecoveryWords(text: string): Result<Buffer, Problem> {
  if (text.length > TYPED_LIMIT_CHARACTERS) return refused('This is far longer than the 24 words of a recovery sheet.');
  const words = wordsIn(text);
  const unknown = words.findIndex((word) => !known.has(word));
  if (unknown !== -1) return refused(unknownSentence(unknown, words[unknown] ?? ''));
  if (words.length !== RECOVERY_WORDS) {
    const found = words.length === 1 ? 'There is 1 word' : `There are ${words.length} words`;
    return refused(`${found} here, and a recovery sheet has ${RECOVERY_WORDS}.`);
  }
  try {
    return ok(Buffer.from(mnemonicToEntropy(words.join(' '), [...wordlist])));
  } catch {
    // All words are known and there are 24 of them, so it is the check sum.
    return refused(
      'Each word is right by itself, but the check sum is wrong: one is another word, or two are swapped.',
    );
  }
}

function wordsIn(text: string): readonly string[] {
  const found: { readonly word: string; readonly number: number | null }[] = [];
  let number: number | null = null;
  for (const { groups } of text.normalize('NFKC').toLowerCase().matchAll(NUMBER_OR_WORD)) {
    if (groups?.['word'] === undefined) {
      number = Number(groups?.['number']);
      continue;
    }
    found.push({ word: groups['word'], number });
    number = null;
  }
  const numbers = new Set(found.map((each) => each.number));
  const isNumbered = found.every((_, index) => numbers.has(index + 1));
  // Text that was copied out of columns comes row by row; the numbers know better.
  const inOrder = isNumbered ? found.toSorted((left, right) => (left.number ?? 0) - (right.number ?? 0)) : found;
  return inOrder.map(({ word }) => word);
}

function unknownSentence(index: number, word: string): string {
  const shown = visibleText(word.slice(0, SHOWN_WORD_CHARACTERS).toWellFormed());
  const near = wordlist.filter((each) => each.startsWith(word.slice(0, 4)));
  const hint = near.length === 1 && word.length >= 4 ? ` Perhaps it is “${near[0]}”.` : '';
  return `Word ${index + 1}, “${shown}”, is none of the words that recovery sheets are made of.${hint}`;
}

function refused(message: string): Result<never, Problem> {
  return err(problem('input-invalid', message, 'Nothing was changed. Compare with the sheet and try again.'));
}

function derived(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, SPACE_SECRET_BYTES));
}
