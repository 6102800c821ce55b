/** How much of what a running call told is kept, in bytes. */
export const LIVE_TEXT_LIMIT_BYTES = 8 * 1024;

/**
 * What a call told while it runs, as far as it is still kept: the newest 8 KiB. It is in memory only, was freed of secrets
 * before it came here, and is untrusted text.
 */
export class LiveText {
  #text = '';
  #isOver = false;

  /** Adds a piece and forgets what is too old. */
  add(piece: string): void {
    if (!this.#isOver) this.#text = newest(this.#text + piece);
  }

  /** The call is over: what it came to is in its answer, and whatever it still tells is too late. */
  end(): void {
    this.#isOver = true;
    this.#text = '';
  }

  get text(): string {
    return this.#text;
  }
}

function newest(text: string): string {
  // A character takes at least one byte, so what is before this many of them is too old in any case.
  const bytes = Buffer.from(text.slice(-LIVE_TEXT_LIMIT_BYTES));
  if (bytes.length <= LIVE_TEXT_LIMIT_BYTES && text.length <= LIVE_TEXT_LIMIT_BYTES) return text;
  let from = Math.max(0, bytes.length - LIVE_TEXT_LIMIT_BYTES);
  // The rest of a character that was cut in two is no text.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString();
}
