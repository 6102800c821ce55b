import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const LINK_FILE = 'browser-link.json';
const schema = z.strictObject({ port: z.int().min(1).max(65_535), linkSecret: z.string().length(43) });
const ASK_LIMIT_MS = 5_000;

/** Leaves beside the data what a second terminal needs to get a link. Only the data's owner can read it. */
export function writeLinkFile(profileFolder: string, of: { readonly port: number; readonly linkSecret: string }): void {
  removeLinkFile(profileFolder);
  // A new file: the mode of an existing one would stay.
  writeFileSync(path.join(profileFolder, LINK_FILE), JSON.stringify({ port: of.port, linkSecret: of.linkSecret }), {
    mode: 0o600,
    flag: 'wx',
  });
}

/** Takes it away again; the secret in it is dead then. */
export function removeLinkFile(profileFolder: string): void {
  rmSync(path.join(profileFolder, LINK_FILE), { force: true });
}

/** Asks the host that runs on this data for a new link; `null` when none answers. */
export async function askForLink(profileFolder: string): Promise<string | null> {
  try {
    const { port, linkSecret } = schema.parse(JSON.parse(readFileSync(path.join(profileFolder, LINK_FILE), 'utf8')));
    const answer = await fetch(`http://127.0.0.1:${port}/link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${linkSecret}` },
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
    });
    const link = await answer.text();
    return answer.ok && link.startsWith(`http://127.0.0.1:${port}/start#`) ? link : null;
  } catch {
    return null;
  }
}
