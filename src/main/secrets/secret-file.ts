import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** One secret on disk; `value` is base64: sealed by the keychain, or as it is. */
const entrySchema = z.strictObject({ kept: z.enum(['keychain', 'plain']), value: z.base64() });
export type SecretEntry = z.infer<typeof entrySchema>;
const fileSchema = z.strictObject({ version: z.literal(1), secrets: z.record(z.string(), entrySchema) });

/** All secrets on disk by name. */
type SecretEntries = ReadonlyMap<string, SecretEntry>;

/** Reads the file; empty if there is none. Rejects if it cannot be read or is no file of secrets: never empty then. */
export async function readSecretFile(file: string): Promise<SecretEntries> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The words of the parser quote the file.
    throw new Error('The file of secrets is damaged.');
  }
  const checked = fileSchema.safeParse(parsed);
  if (!checked.success) throw new Error('The file of secrets is damaged.');
  return new Map(Object.entries(checked.data.secrets));
}

/**
 * Writes the whole file so that its name shows the old state or the new one, whatever happens in between. Only this
 * account may read it. Rejects if the new state is not certain to be on disk.
 */
export async function writeSecretFile(file: string, entries: SecretEntries): Promise<void> {
  const sorted = [...entries].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const text = `${JSON.stringify({ version: 1, secrets: Object.fromEntries(sorted) }, null, 2)}\n`;
  const next = `${file}.new`;
  // One that a crash left behind; a fresh file has the permissions asked for, and is no link to elsewhere.
  await rm(next, { force: true });
  const handle = await open(next, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
  await flushFolder(path.dirname(file));
}

async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for flushing; NTFS journals the name itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
