import { createHash } from 'node:crypto';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { framed } from './proofs.ts';

const WORDS = 6;
/** The list has 2,048 words. */
const BITS_PER_WORD = 11n;

/** Everything that a pairing is about; both sides know all of it. */
export interface PairingFacts {
  readonly fingerprint: string;
  readonly invitationId: string;
  readonly hubNonce: string;
  readonly deviceId: string;
  readonly publicKey: string;
  readonly deviceNonce: string;
}

/**
 * Six words (66 bits) that both screens show. Two pairings that differ in anything show other words, so a person who compares
 * them lets in the device in front of them, and no other that got hold of the link.
 */
export function sixWords(of: PairingFacts): readonly string[] {
  const said = ['fencepost-words-v1', of.fingerprint, of.hubNonce, of.publicKey, of.deviceNonce, of.invitationId];
  const digest = createHash('sha256')
    .update(framed([...said, of.deviceId]))
    .digest();
  let bits = digest.readBigUInt64BE(0) * 4n + BigInt((digest[8] ?? 0) >> 6);
  const words: string[] = [];
  for (let index = 0; index < WORDS; index += 1) {
    words.unshift(wordlist[Number(bits % (1n << BITS_PER_WORD))] ?? '');
    bits >>= BITS_PER_WORD;
  }
  return words;
}
