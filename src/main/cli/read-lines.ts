import { createReadStream } from 'node:fs';

/** One line of a file, without its line feed. */
export interface FileLine {
  /** 1 for the first. */
  readonly number: number;
  /** `null` for a line beyond the limit, which was passed over. */
  readonly bytes: Buffer | null;
  /** Only the last line of a file can lack its line feed. */
  readonly isEnded: boolean;
}

const LINE_FEED = 0x0a;

/** Reads a file line by line, never more than one line of at most `limitBytes` at a time. Rejects when it cannot be read. */
export async function* readLines(file: string, limitBytes: number): AsyncGenerator<FileLine> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  const add = (part: Buffer): void => {
    length += part.length;
    isTooLong ||= length > limitBytes;
    if (isTooLong) parts = [];
    else parts.push(part);
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, end));
      yield { number, bytes: isTooLong ? null : Buffer.concat(parts), isEnded: true };
      number += 1;
      parts = [];
      length = 0;
      isTooLong = false;
      from = end + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (length > 0) yield { number, bytes: isTooLong ? null : Buffer.concat(parts), isEnded: false };
}
