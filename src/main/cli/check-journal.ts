import { createHash } from 'node:crypto';
import type { LedgerLineOf } from '../../shared/contract/ledger-file.ts';
import { checkLinkOverGaps } from '../../shared/core/sync/operation.ts';
import type { ChainHead } from '../../shared/core/sync/operation.ts';
import { chainSentence } from '../store/chain-words.ts';
import { isHeadSigned } from '../relays/seal/sign-journal.ts';

/** What is known about one journal of a file. */
export interface JournalReport {
  readonly device: string;
  /** Entries in full, and entries of which only the id is there. */
  readonly entries: number;
  readonly stubs: number;
  /** Entries that were condensed before the file was written: it has neither what they say nor their ids. */
  readonly condensed: number;
  /** The place of the newest entry that a valid signature is for; 0 without one. */
  readonly signedUpTo: number;
  /** How many of the entries in full a valid signature proves. One behind which a stub comes before the signature is not. */
  readonly proven: number;
  /** The key that was checked with; `null` where there is none. */
  readonly publicKey: string | null;
  /** Whether the person brought the key, instead of the file. */
  readonly isPinned: boolean;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Checks one journal, line by line. Each look answers with sentences about what is wrong. */
export class JournalCheck {
  readonly device: string;
  readonly #pin: string | null;
  #fileKey: string | null = null;
  #head = { seq: 0, opId: '' };
  #entries = 0;
  #stubs = 0;
  #cut: ChainHead;
  #signedUpTo = 0;
  #proven = 0;
  /** Entries in full that the next valid signature proves. */
  #awaiting = 0;

  /** `pin`: the key that the person knows the device by. */
  constructor(device: string, pin: string | null) {
    this.device = device;
    this.#pin = pin;
    this.#cut = { deviceId: device, seq: 0, opId: '' };
  }

  get publicKey(): string | null {
    return this.#pin ?? this.#fileKey;
  }

  key({ publicKey }: LedgerLineOf<'key'>): string[] {
    if (this.#fileKey !== null) return ['A second key for this device.'];
    this.#fileKey = publicKey;
    const late = this.#head.seq === 0 ? [] : ['The key of a device has to come before its entries.'];
    const isOther = this.#pin !== null && this.#pin !== publicKey;
    return isOther ? [...late, 'The key of this device is not the one that was given with --key.'] : late;
  }

  cut({ cutSeq, cutId }: LedgerLineOf<'cut'>): string[] {
    if (this.#cut.seq > 0) return ['A second line about what was condensed.'];
    this.#cut = { deviceId: this.device, seq: cutSeq, opId: cutId };
    return this.#head.seq === 0 ? [] : ['What was condensed has to be said before the entries.'];
  }

  entry({ device, seq, prev, wallMs, counter, epoch, kind, payload, id }: LedgerLineOf<'entry'>): string[] {
    const time = { wallMs, counter };
    const operation = { opId: id, deviceId: device, seq, prevHash: prev, time, epoch, kind, payload };
    const head = { deviceId: this.device, ...this.#head };
    const found = checkLinkOverGaps(head, operation, { cut: this.#cut, digest: sha256 });
    // Nothing continues an entry behind which some are missing.
    if (seq !== head.seq + 1) this.#awaiting = 0;
    this.#head = { seq, opId: id };
    this.#entries += 1;
    this.#awaiting = found === null ? this.#awaiting + 1 : 0;
    return found === null ? [] : [chainSentence(found)];
  }

  stub({ seq, prev, id }: LedgerLineOf<'stub'>): string[] {
    const before = this.#head;
    this.#head = { seq, opId: id };
    this.#stubs += 1;
    // Its id cannot be computed again, so nothing proves what it says came before it.
    this.#awaiting = 0;
    const cut = this.#cut;
    if (seq === cut.seq && id !== cut.opId) return [chainSentence({ kind: 'broken-link', seq })];
    if (seq > before.seq + 1 && seq <= cut.seq) return [];
    if (seq === cut.seq + 1 && before.seq < cut.seq)
      return prev === cut.opId ? [] : [chainSentence({ kind: 'broken-link', seq })];
    if (seq !== before.seq + 1) return [chainSentence({ kind: 'gap', seq: before.seq + 1, found: seq })];
    return prev === before.opId ? [] : [chainSentence({ kind: 'broken-link', seq })];
  }

  signature({ seq, id, signature }: LedgerLineOf<'signature'>): string[] {
    const { publicKey } = this;
    if (publicKey === null) return ['A signature of a device whose key is not in the file.'];
    if (seq !== this.#head.seq || id !== this.#head.opId) return ['A signature that is not for the entry before it.'];
    if (seq === this.#signedUpTo) return ['A second signature for the same entry.'];
    if (!isHeadSigned(publicKey, { deviceId: this.device, seq, opId: id }, signature)) {
      return ['A signature that the key of this device did not make.'];
    }
    this.#signedUpTo = seq;
    this.#proven += this.#awaiting;
    this.#awaiting = 0;
    return [];
  }

  /** At the end of the file: whether it ends where the first line says, and is signed as far as a known key demands. */
  end(said: { readonly seq: number; readonly id: string }): string[] {
    const { seq, opId } = this.#head;
    const found: string[] = [];
    if (seq !== said.seq || opId !== said.id) {
      found.push(`The first line says that this journal ends with entry ${said.seq}; it ends with ${seq}.`);
    }
    if (seq < this.#cut.seq) found.push('This journal ends below the entry up to which it was condensed.');
    if (this.#pin !== null && this.#signedUpTo < seq) {
      found.push(`Entries ${this.#signedUpTo + 1} to ${seq} are not signed, although the key of the device is known.`);
    }
    return found;
  }

  report(): JournalReport {
    return {
      device: this.device,
      entries: this.#entries,
      stubs: this.#stubs,
      condensed: Math.max(0, this.#head.seq - this.#entries - this.#stubs),
      signedUpTo: this.#signedUpTo,
      proven: this.#proven,
      publicKey: this.publicKey,
      isPinned: this.#pin !== null,
    };
  }
}
