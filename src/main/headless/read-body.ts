import type { IncomingMessage } from 'node:http';

/** Reads a small body; `null` as soon as it is larger than allowed, or when it breaks off. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > maxBytes) return resolve(null);
      parts.push(part);
      return undefined;
    });
    request.once('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    request.once('error', () => resolve(null));
    request.once('close', () => resolve(null));
  });
}
