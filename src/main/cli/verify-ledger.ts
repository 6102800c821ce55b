import { createHash } from 'node:crypto';
import {
  CONDENSED_LEDGER_FORMAT,
  LEDGER_FORMAT,
  longTextsOf,
  readLedgerLine,
} from '../../shared/contract/ledger-file.ts';
import type { LedgerLine, LedgerLineOf } from '../../shared/contract/ledger-file.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { isCutSigned, isLedgerSigned } from '../store/ledger-signature.ts';
import { JournalCheck } from './check-journal.ts';
import type { JournalReport } from './check-journal.ts';
import { readLines } from './read-lines.ts';
import type { FileLine } from './read-lines.ts';

/** The longest line that is looked at, bytes: a text of 5 MiB that is nothing but control characters takes 31. */
const LINE_LIMIT_BYTES = 128 * 1_048_576;
/** So many findings are kept; the others are counted. */
const FINDING_LIMIT = 100;
/** So many different long texts are kept in mind, about 100 MB of digests. */
const TEXT_LIMIT = 1_000_000;

/** Something that is not as it should be. */
interface LedgerFinding {
  /** 1 for the first; `null` for what is about the file as a whole. */
  readonly line: number | null;
  readonly device: string | null;
  readonly sentence: string;
}

/** What a look at an exported ledger came to. */
export interface LedgerReport {
  readonly isSound: boolean;
  readonly lines: number;
  readonly ofDevice: string | null;
  readonly exportedAtMs: number | null;
  /** The agent or the run whose entries alone are there in full. */
  readonly onlyAgent: string | null;
  readonly onlyRun: string | null;
  /** The time whose entries alone are there in full, wall ms; `null` for no bound. */
  readonly onlyFromMs: number | null;
  readonly onlyUntilMs: number | null;
  readonly texts: number;
  /** `pinned`: signed as a whole with a key that the person brought; `from-file`: with one that the file itself names. */
  readonly fileSignature: 'pinned' | 'from-file' | 'none' | 'invalid';
  readonly journals: readonly JournalReport[];
  readonly findingCount: number;
  readonly findings: readonly LedgerFinding[];
}

/** Checks an exported ledger; `pins` are keys (raw, base64url) by device. Rejects only when the file cannot be read. */
export async function verifyLedger(file: string, pins: ReadonlyMap<string, string>): Promise<LedgerReport> {
  const check = new LedgerCheck(pins);
  for await (const line of readLines(file, LINE_LIMIT_BYTES)) check.take(line);
  return check.end();
}

type JournalLine = Exclude<LedgerLine, { kind: 'header' | 'footer' | 'text' }>;

class LedgerCheck {
  readonly #pins: ReadonlyMap<string, string>;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #hash = createHash('sha256');
  readonly #journals = new Map<string, JournalCheck>();
  /** Texts that the last entry refers to and that have to come next. */
  readonly #awaited = new Set<string>();
  readonly #known = new Set<string>();
  readonly #counts = { entries: 0, stubs: 0, texts: 0, signatures: 0 };
  readonly #findings: LedgerFinding[] = [];
  #findingCount = 0;
  #lines = 0;
  #header: LedgerLineOf<'header'> | null = null;
  #footer: LedgerLineOf<'footer'> | null = null;
  #fileSignature: LedgerReport['fileSignature'] = 'none';
  /** The place of each journal among those that the first line names, and of the one that is being read. */
  readonly #places = new Map<string, number>();
  #current = 0;
  readonly #cuts: LedgerLineOf<'cut'>[] = [];

  constructor(pins: ReadonlyMap<string, string>) {
    this.#pins = pins;
  }

  take({ number, bytes, isEnded }: FileLine): void {
    this.#lines = number;
    const line = bytes === null ? null : this.#read(bytes);
    if (bytes === null) this.#find(`A line of more than ${LINE_LIMIT_BYTES / 1_048_576} MiB, which was passed over.`);
    else if (line === null) this.#find('This is no line of an exported ledger, or it is not written as one.');
    if (!isEnded) this.#find('The line does not end: the file was cut off.');
    if (this.#footer !== null) this.#find('Something comes after the last line.');
    if (number === 1 && line !== null && line.kind !== 'header') this.#find('The first line is missing.');
    // The last line does not count itself.
    if (line?.kind === 'footer') this.#end(line.line);
    else if (bytes !== null) this.#hash.update(bytes).update('\n');
    if (line === null || line.kind === 'footer') return;
    if (line.kind === 'header') this.#begin(line.line);
    else if (line.kind === 'text') this.#text(line.line);
    else this.#ofJournal(line);
  }

  end(): LedgerReport {
    if (this.#lines === 0) this.#find('The file is empty.', { isWhole: true });
    else if (this.#footer === null) this.#find('The last line is missing: the file was cut off.', { isWhole: true });
    this.#missingTexts();
    const heads = new Map((this.#header?.heads ?? []).map((head) => [head.device as string, head]));
    for (const [device, { seq, id }] of heads) {
      const journal = this.#journals.get(device);
      for (const each of journal?.end({ seq, id }) ?? []) this.#find(each, { device, isWhole: true });
    }
    for (const device of this.#pins.keys()) {
      if (!heads.has(device))
        this.#find('A key was given for this device, of which nothing is in the file.', { device, isWhole: true });
    }
    const { ofDevice = null, exportedAtMs = null, onlyAgent = null, onlyRun = null } = this.#header ?? {};
    const { onlyFromMs = null, onlyUntilMs = null } = this.#header ?? {};
    return {
      isSound: this.#findingCount === 0,
      lines: this.#lines,
      ofDevice,
      exportedAtMs,
      onlyAgent,
      onlyRun,
      onlyFromMs,
      onlyUntilMs,
      texts: this.#counts.texts,
      fileSignature: this.#fileSignature,
      journals: [...this.#journals.values()].map((journal) => journal.report()),
      findingCount: this.#findingCount,
      findings: this.#findings,
    };
  }

  #read(bytes: Buffer): LedgerLine | null {
    try {
      return readLedgerLine(this.#decoder.decode(bytes));
    } catch {
      // Bytes that are no text.
      return null;
    }
  }

  #begin(header: LedgerLineOf<'header'>): void {
    if (this.#header !== null || this.#lines !== 1) this.#find('A second first line.');
    if (this.#header !== null) return;
    this.#header = header;
    if (header.format !== LEDGER_FORMAT && header.format !== CONDENSED_LEDGER_FORMAT) {
      const known = `${LEDGER_FORMAT} and ${CONDENSED_LEDGER_FORMAT}`;
      this.#find(`The file has form ${header.format}, and this version reads forms ${known} only.`);
    }
    for (const [place, { device }] of header.heads.entries()) {
      this.#places.set(device, place);
      if (this.#journals.has(device)) this.#find('The first line names a journal twice.', { device });
      this.#journals.set(device, new JournalCheck(device, this.#pins.get(device) ?? null));
    }
  }

  #ofJournal(said: JournalLine): void {
    this.#missingTexts();
    const { kind, line } = said;
    const { device } = line;
    const journal = this.#journals.get(device);
    if (kind === 'entry') this.#counts.entries += 1;
    if (kind === 'stub') this.#counts.stubs += 1;
    if (kind === 'signature') this.#counts.signatures += 1;
    if (journal === undefined) {
      this.#find('The first line does not name this journal.', { device });
      return;
    }
    this.#inOrder(device);
    if (said.kind === 'cut') this.#cuts.push(said.line);
    for (const each of judged(journal, said)) this.#find(each, { device });
    if (kind === 'stub' && this.#header !== null && isWhole(this.#header)) {
      this.#find(`What entry ${line.seq} says was left out, and the file claims to have all.`, { device });
    }
    if (said.kind === 'entry') this.#refers(said.line.payload, device);
  }

  /** Journals follow each other as the first line names them. */
  #inOrder(device: string): void {
    const at = this.#places.get(device) ?? 0;
    if (at < this.#current) this.#find('This journal was over already.', { device });
    this.#current = Math.max(at, this.#current);
  }

  #refers(payload: string, device: string): void {
    const texts = longTextsOf(payload);
    if (texts === null) this.#find('What this entry says is no JSON.', { device });
    for (const digest of texts ?? []) {
      if (this.#known.size === TEXT_LIMIT && !this.#known.has(digest)) {
        this.#find(`More than ${TEXT_LIMIT} long texts, of which the others were not checked.`);
        return;
      }
      if (!this.#known.has(digest)) this.#awaited.add(digest);
      this.#known.add(digest);
    }
  }

  #text({ text, body }: LedgerLineOf<'text'>): void {
    this.#counts.texts += 1;
    if (!this.#awaited.delete(text)) this.#find('A text that the entry before it does not refer to, or a second time.');
    const found = createHash('sha256').update(body).digest('hex');
    if (found !== text) this.#find('A text was changed: it does not fit its SHA-256.');
  }

  #missingTexts(): void {
    for (const digest of this.#awaited) this.#find(`The text with the SHA-256 ${digest} is missing before this line.`);
    this.#awaited.clear();
  }

  #end(footer: LedgerLineOf<'footer'>): void {
    if (this.#footer !== null) return;
    this.#footer = footer;
    const sha256 = this.#hash.copy().digest('hex');
    if (footer.sha256 !== sha256) this.#find('The file was changed: its lines do not fit the SHA-256 in the last one.');
    for (const name of ['entries', 'stubs', 'texts', 'signatures'] as const) {
      if (footer[name] === this.#counts[name]) continue;
      this.#find(`The last line counts ${footer[name]} ${name}, and there are ${this.#counts[name]}.`);
    }
    if (this.#cuts.length > 0 !== (this.#header?.format === CONDENSED_LEDGER_FORMAT))
      this.#find('What was condensed does not fit the form of the file.');
    const deviceId = this.#header?.ofDevice ?? '';
    const pin = this.#pins.get(deviceId) ?? null;
    const publicKey = pin ?? this.#journals.get(deviceId)?.publicKey ?? null;
    this.#checkCuts(deviceId, publicKey, footer.signature !== null);
    if (footer.signature === null) {
      if (pin !== null) this.#find('The file is not signed, although the key of the device that exported it is known.');
    } else if (publicKey === null || !isLedgerSigned(publicKey, { deviceId, sha256 }, footer.signature)) {
      this.#fileSignature = 'invalid';
      this.#find('The signature of the file was not made with the key of the device that exported it.');
    } else this.#fileSignature = pin === null ? 'from-file' : 'pinned';
  }

  /** Whoever signs the file signs every one of them, and nobody else could. */
  #checkCuts(byDevice: string, publicKey: string | null, isFileSigned: boolean): void {
    for (const { device, cutSeq: seq, cutId: opId, cutSignature } of this.#cuts) {
      if (cutSignature === null) {
        if (isFileSigned) this.#find('What was condensed is not signed, although the file is.', { device });
      } else if (
        publicKey === null ||
        !isCutSigned(publicKey, { byDevice, deviceId: device, seq, opId }, cutSignature)
      ) {
        this.#find('What was condensed is not signed by the device that exported the file.', { device });
      }
    }
  }

  #find(sentence: string, about: { readonly device?: string; readonly isWhole?: boolean } = {}): void {
    this.#findingCount += 1;
    if (this.#findings.length === FINDING_LIMIT) return;
    const line = about.isWhole === true ? null : this.#lines;
    this.#findings.push({ line, device: about.device ?? null, sentence });
  }
}

function judged(journal: JournalCheck, said: JournalLine): readonly string[] {
  switch (said.kind) {
    case 'key':
      return journal.key(said.line);
    case 'entry':
      return journal.entry(said.line);
    case 'cut':
      return journal.cut(said.line);
    case 'stub':
      return journal.stub(said.line);
    case 'signature':
      return journal.signature(said.line);
    default:
      return assertNever(said);
  }
}

/** Whether every entry has to be there in full. */
function isWhole({ onlyAgent, onlyRun, onlyFromMs, onlyUntilMs }: LedgerLineOf<'header'>): boolean {
  return onlyAgent === null && onlyRun === null && onlyFromMs === undefined && onlyUntilMs === undefined;
}
