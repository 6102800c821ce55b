import type { Digest } from './identifiers.ts';

/** Bytes kept beside the journal by digest; `inline` only up to the inline limit. */
export interface StoredText {
  readonly digest: Digest;
  readonly bytes: number;
  /** The text itself, or `null` when it is kept in the blob table. */
  readonly inline: string | null;
}

/** Text longer than this (bytes) is kept by digest. */
export const INLINE_LIMIT_BYTES = 256 * 1024;
