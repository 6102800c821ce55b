import { OUTPUT_LIMIT_BYTES } from './tool.ts';

/** Keeps the beginning of a stream and counts the rest, so that a flood costs no memory. */
export interface CappedOutput {
  add(chunk: Buffer): void;
  readonly isCut: boolean;
  /** What was kept as text, ending in a marker if something was left out. Bytes that are no UTF-8 become U+FFFD. */
  text(): string;
}

/** A collector for one stream. */
export function cappedOutput(limitBytes: number = OUTPUT_LIMIT_BYTES): CappedOutput {
  const chunks: Buffer[] = [];
  let kept = 0;
  let seen = 0;
  return {
    add(chunk) {
      seen += chunk.length;
      const room = limitBytes - kept;
      if (room <= 0) return;
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
      chunks.push(part);
      kept += part.length;
    },
    get isCut() {
      return seen > kept;
    },
    text() {
      const bytes = Buffer.concat(chunks);
      // Streaming leaves out a character that the limit cut in two, instead of showing it as damage.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: seen > kept });
      return seen > kept ? `${text}\n[cut after ${limitBytes} bytes]` : text;
    },
  };
}
