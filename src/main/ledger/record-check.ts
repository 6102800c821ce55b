import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { RecordCheckView } from '../../shared/contract/record-views.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { openReadOnly } from '../store/database.ts';
import { closeQuietly, sqliteCodeOf } from '../store/open-sqlite.ts';
import { isFileRead, readRecord, sizeOfRecord } from '../store/read-record.ts';

/** So many faults are told; the rest is counted. */
const FAULTS_SHOWN = 5;
const BUSY = problem('store-busy', 'The record is being checked already.', 'Wait until it has ended.');
const BACKUP =
  'Quit and copy the whole data folder before anything else. The runbook about a damaged record, docs/runbooks/corrupt-store.md, goes on from there.';

interface RecordCheckOptions {
  readonly profileFolder: string;
  readonly nowMs: () => number;
  /** What no sentence can be made of. */
  readonly failed: (cause: unknown) => void;
}

interface Ended {
  readonly state: Exclude<RecordCheckView['state'], 'running'>;
  readonly sentence: string;
  readonly wayOut: string;
  readonly atMs: number;
}

/** Checks the record on a connection of its own, while everything goes on. One at a time; the last result is kept. */
export class RecordCheck {
  readonly #of: RecordCheckOptions;
  #read = 0;
  #total = 0;
  #faults: string[] = [];
  /** `null` while it runs, and before the first. */
  #ended: Ended | null = null;
  #work: Promise<void> | null = null;
  #isClosed = false;

  constructor(of: RecordCheckOptions) {
    this.#of = of;
  }

  /** Begins one; errors: `store-busy`, or what keeps the file from being opened. */
  begin(): Result<null, Problem> {
    if (this.#work !== null && this.#ended === null) return err(BUSY);
    const opened = openReadOnly(path.join(this.#of.profileFolder, 'fencepost.sqlite'));
    if (!opened.ok) return opened;
    const db = opened.value;
    this.#read = 0;
    this.#faults = [];
    this.#ended = null;
    this.#total = 0;
    this.#work = this.#run(db);
    return ok(null);
  }

  /** `null` before the first one. */
  view(): RecordCheckView | null {
    if (this.#work === null) return null;
    const ended = this.#ended;
    return {
      state: ended?.state ?? 'running',
      read: this.#read,
      total: Math.max(this.#total, this.#read),
      sentence: ended?.sentence ?? 'Every entry and every text is read. Agents go on meanwhile.',
      faults: this.#faults.slice(0, FAULTS_SHOWN),
      wayOut: ended?.wayOut ?? '',
      endedAtMs: ended?.atMs ?? null,
    };
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #run(db: Parameters<typeof readRecord>[0]): Promise<void> {
    try {
      // A pragma belongs to a connection: without it a damaged page can pass for an empty one.
      db.pragma('cell_size_check = 1');
      this.#total = sizeOfRecord(db);
      for (const { read, faults } of readRecord(db)) {
        this.#read += read;
        this.#faults.push(...faults);
        await turn();
        if (this.#isClosed) return this.#end('broken-off', 'It was broken off.');
      }
      if (this.#faults.length > 0) this.#end('damaged', damagedSentence(this.#faults.length));
      else this.#end('whole', wholeSentence(this.#read, isFileRead(db)));
    } catch (cause) {
      const code = sqliteCodeOf(cause);
      if (isDamage(code)) this.#end('damaged', 'The file is damaged: a part of it does not read back.');
      else this.#end('broken-off', 'The file could not be read to its end, so it is not known whether it is whole.');
      if (code === '') this.#of.failed(cause);
    } finally {
      closeQuietly(db);
    }
    return undefined;
  }

  #end(state: Ended['state'], sentence: string): void {
    const wayOut = state === 'damaged' ? BACKUP : state === 'broken-off' ? 'Check it again.' : '';
    this.#ended = { state, sentence, wayOut, atMs: this.#of.nowMs() };
  }
}

const isDamage = (code: string): boolean => code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';

function damagedSentence(count: number): string {
  return count === 1
    ? 'One thing is not as it was written.'
    : `${count.toLocaleString('en')} things are not as they were written.`;
}

function wholeSentence(read: number, hasFile: boolean): string {
  const all = `All ${read.toLocaleString('en')} entries and texts are as they were written, in their order.`;
  return hasFile
    ? `${all} The file itself is whole.`
    : `${all} The inside of a file of this size is not looked at while agents run; that is done at the start after an unclean end.`;
}
