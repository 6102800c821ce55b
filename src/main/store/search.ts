import type { SearchKind } from '../../shared/contract/search-views.ts';
import { findWords, foldedLength } from '../../shared/lib/search-text.ts';
import { readAll } from './connection.ts';
import type { Connection } from './connection.ts';
import type { RunRecord } from './rows.ts';

/** The index knows three letters in a row; a shorter word is looked for in the texts themselves. */
const INDEXED_LETTERS = 3;
/** How many of the newest texts of a kind are looked at where no word is in the index. */
const NEWEST_TEXTS = 5_000;

/** A text that was found, with the run it is about. */
export interface FoundText {
  readonly seq: number;
  readonly text: string;
  readonly atMs: number;
  readonly run: RunRecord;
}

interface FoundRow extends RunRecord {
  readonly seq: number;
  readonly text: string;
  readonly wall_ms: number;
}

/** What is looked for: every word, in texts of one kind that were written down before an entry. */
export interface TextSearch {
  readonly kind: SearchKind;
  readonly words: readonly string[];
  /** Only entries before this place of the record. */
  readonly before: number;
  readonly limit: number;
}

/** Whether no word is long enough for the index, so that only the newest texts are looked at. */
export function isNewestOnly(words: readonly string[]): boolean {
  return words.every((word) => foldedLength(word) < INDEXED_LETTERS);
}

/** Texts that have every word in them, the newest first. Nothing that a device wrote after it was let go is among them. */
export function findTexts(db: Connection['db'], search: TextSearch): readonly FoundText[] {
  if (search.words.length === 0) return [];
  const rows = [...waitingRows(db, search), ...(isNewestOnly(search.words) ? newestRows : indexedRows)(db, search)];
  return rows
    .toSorted((one, other) => other.seq - one.seq)
    .slice(0, search.limit)
    .map((row) => ({ seq: row.seq, text: row.text, atMs: row.wall_ms, run: row }));
}

// Cross joins keep the order: first what was found, then what belongs to it, so that reading ends with the page.
const BELONGING = `CROSS JOIN ops ON ops.seq = search_texts.seq CROSS JOIN runs ON runs.run_id = search_texts.run_id`;
const COLUMNS = 'runs.*, search_texts.seq AS seq, search_texts.text AS text, ops.wall_ms AS wall_ms';
const COUNTS = `NOT EXISTS (SELECT 1 FROM sync_devices AS gone WHERE gone.device_id = ops.device_id
  AND gone.let_go_up_to < ops.journal_seq AND gone.device_id <> (SELECT value FROM profile WHERE key = 'device-id'))`;

function indexedRows(db: Connection['db'], { kind, words, before, limit }: TextSearch): readonly FoundRow[] {
  const phrases = words.filter((word) => foldedLength(word) >= INDEXED_LETTERS);
  const short = words.filter((word) => foldedLength(word) < INDEXED_LETTERS);
  return readAll<FoundRow>(
    db,
    `SELECT ${COLUMNS} FROM search_${kind} AS found CROSS JOIN search_texts ON search_texts.seq = found.rowid ${BELONGING}
      WHERE search_${kind} MATCH ? AND found.rowid < ? AND ${COUNTS} ${short.map(() => LIKE).join(' ')}
      ORDER BY found.rowid DESC LIMIT ?`,
    phrases.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND '),
    before,
    ...short.map(likeOf),
    limit,
  );
}

const LIKE = `AND search_texts.folded LIKE ? ESCAPE '\\'`;

function likeOf(word: string): string {
  return `%${word.replaceAll(/[\\%_]/gu, (sign) => `\\${sign}`)}%`;
}

function newestRows(db: Connection['db'], { kind, words, before, limit }: TextSearch): readonly FoundRow[] {
  return readAll<FoundRow>(
    db,
    `SELECT ${COLUMNS} FROM (SELECT seq, text, run_id FROM search_texts INDEXED BY search_texts_of_kind WHERE kind = ? ORDER BY seq DESC LIMIT ?)
        AS search_texts ${BELONGING}
      WHERE search_texts.seq < ? AND search_texts.seq NOT IN (SELECT seq FROM search_waiting) AND ${COUNTS}
        ${words.map(() => `AND search_texts.text LIKE ? ESCAPE '\\'`).join(' ')}
      ORDER BY search_texts.seq DESC LIMIT ?`,
    kind,
    NEWEST_TEXTS,
    before,
    ...words.map(likeOf),
    limit,
  );
}

/** What is not in the index yet: few enough to be looked at one by one. */
function waitingRows(db: Connection['db'], { kind, words, before }: TextSearch): readonly FoundRow[] {
  const waiting = readAll<{ seq: number; text: string }>(
    db,
    `SELECT seq, text FROM search_waiting CROSS JOIN search_texts USING (seq) WHERE kind = ? AND seq < ?`,
    kind,
    before,
  );
  const found = waiting.filter(({ text }) => findWords(text, words) !== null).map(({ seq }) => seq);
  if (found.length === 0) return [];
  return readAll<FoundRow>(
    db,
    `SELECT ${COLUMNS} FROM json_each(?) AS found CROSS JOIN search_texts ON search_texts.seq = found.value ${BELONGING}
      WHERE ${COUNTS}`,
    JSON.stringify(found),
  );
}
