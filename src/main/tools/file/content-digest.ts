import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** What lies at a path: nothing, a file with this SHA-256, or something that is no readable file. */
export type FileLook =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly digest: string }
  | { readonly kind: 'other'; readonly code: string };

/** SHA-256 in lower-case hexadecimal of text as UTF-8. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Reads a file without following a link at its end and without waiting on a pipe. */
export async function lookAtFile(full: string): Promise<FileLook> {
  // Windows has neither flag; there, links were refused by the walk over the path.
  const careful = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    const handle = await open(full, constants.O_RDONLY | careful);
    try {
      if (!(await handle.stat()).isFile()) return { kind: 'other', code: 'not-a-file' };
      const hash = createHash('sha256');
      for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
      return { kind: 'file', digest: hash.digest('hex') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'other', code };
  }
}

/** The system's code of an error, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : 'unknown';
}
