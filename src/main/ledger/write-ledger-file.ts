import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { problemOfSqlite } from '../store/database.ts';
import { errorCodeOf } from '../store/disk.ts';

/** Lines are put together up to about this many characters, so that each is no write of its own. */
const CHUNK_CHARACTERS = 65_536;

/** The lines as a stream that makes them as they are asked for, and lets others work in between. */
export function ledgerStream(lines: Iterable<string>, signal?: AbortSignal): Readable {
  return Readable.from(chunksOf(lines), {
    objectMode: true,
    highWaterMark: 1,
    ...(signal === undefined ? {} : { signal }),
  });
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/**
 * Writes the lines into a file that only its own user can read. A file that is there already is replaced only when the person
 * said so, and only by a whole one; nothing is left of one that was broken off.
 */
export async function writeLedgerFile(
  file: string,
  lines: Iterable<string>,
  options: { readonly isReplacing: boolean; readonly signal?: AbortSignal },
): Promise<void> {
  const part = options.isReplacing ? `${file}.${process.pid}.part` : file;
  const output = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
  let isMade = false;
  output.once('open', () => (isMade = true));
  try {
    await pipeline(ledgerStream(lines), output, options.signal === undefined ? {} : { signal: options.signal });
    if (options.isReplacing) await rename(part, file);
  } catch (cause) {
    if (isMade) await rm(part, { force: true });
    throw cause;
  }
}

/** The sentence for a failure of the record or of the output; `null` for a fault of the program. */
export function ledgerFileProblem(cause: unknown, file: string): Problem | null {
  const code = errorCodeOf(cause);
  if (code === 'EEXIST') {
    return problem('input-invalid', `The file ${file} is there already.`, 'Choose another name, or add --force.');
  }
  if (code === 'ENOSPC') {
    return problem('store-full', 'The disk is full, so nothing was exported.', 'Free some space, then export again.');
  }
  if (code === 'EPIPE')
    return problem('input-invalid', 'Whoever was reading the export stopped.', 'It is not complete.');
  const ofRecord = problemOfSqlite(cause);
  if (ofRecord !== null) return ofRecord;
  if (!/^E[A-Z]+$/u.test(code)) return null;
  return problem('folder-read-only', `The file ${file} cannot be written (${code}).`, 'Choose another place.');
}
