import type { Digest } from '../../shared/contract/identifiers.ts';
import type { StoredText } from '../../shared/contract/stored-text.ts';
import type { TextView } from '../../shared/contract/views.ts';
import { readOne } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';

/** The most of one text that is put into a view, bytes. The rest is asked for by digest. */
export const TEXT_LIMIT_BYTES = 64 * 1024;

type Db = Connection['db'];

/** A kept text for a screen: the beginning, with its length and digest. */
export function textView(db: Db, stored: StoredText, limitBytes = TEXT_LIMIT_BYTES): TextView {
  const { digest, bytes } = stored;
  // Characters, not bytes: at least as many bytes as are shown.
  const body =
    stored.inline ??
    readOne<{ part: string }>(db, 'SELECT substr(body, 1, ?) AS part FROM blobs WHERE digest = ?', limitBytes, digest)
      ?.part ??
    '';
  return { text: cutBytes(body, limitBytes), bytes, digest, isCut: bytes > limitBytes };
}

/** A text that stands inside a kept one, such as a field of an answer; `digest` is that of the kept one. */
export function innerTextView(text: string, digest: string, { limitBytes }: { readonly limitBytes: number }): TextView {
  const bytes = Buffer.byteLength(text, 'utf8');
  return { text: cutBytes(text, limitBytes), bytes, digest, isCut: bytes > limitBytes };
}

/** Cuts a text after so many bytes of UTF-8, never inside a character. */
function cutBytes(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limitBytes) return text;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, limitBytes), { stream: true });
}

/** A whole kept text by its digest: a blob, an input, a question's input, an output, or the source of a revision. */
export function findText(db: Db, digest: Digest): string | null {
  const blob = readOne<{ body: string }>(db, 'SELECT body FROM blobs WHERE digest = ?', digest);
  if (blob !== null) return blob.body;
  for (const sql of INLINE_PLACES) {
    const row = readOne<{ body: string | null }>(db, sql, digest);
    if (row !== null && row.body !== null) return row.body;
  }
  return null;
}

const INLINE_PLACES = [
  `SELECT json_extract(intent, '$.input.inline') AS body FROM attempts WHERE input_digest = ? LIMIT 1`,
  `SELECT json_extract(request, '$.input.inline') AS body FROM approvals WHERE input_digest = ? LIMIT 1`,
  'SELECT source AS body FROM revisions WHERE revision_digest = ?',
  `SELECT json_extract(payload, '$.output.inline') AS body FROM ops
   WHERE kind IN ('settle.recorded', 'settle.late-evidence') AND json_extract(payload, '$.output.digest') = ? LIMIT 1`,
  `SELECT json_extract(payload, '$.output.inline') AS body FROM ops
   WHERE kind = 'run.concluded' AND json_extract(payload, '$.output.digest') = ? LIMIT 1`,
  // Of a run that was condensed; without an index, since hardly anybody looks.
  'SELECT output AS body FROM visits WHERE output_digest = ? AND output IS NOT NULL LIMIT 1',
  'SELECT output AS body FROM parts WHERE digest = ? AND output IS NOT NULL LIMIT 1',
] as const;
