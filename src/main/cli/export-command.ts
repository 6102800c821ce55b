import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { exitCodeOf } from '../bridge/exit-code.ts';
import { composeDeviceKeys } from '../compose-secrets.ts';
import { publicKeyOf } from '../hub/proofs.ts';
import { DEVICE_KEY_SECRET } from '../secrets/device-key.ts';
import { errorCodeOf } from '../store/disk.ts';
import { openLedger } from '../store/ledger-export.ts';
import { problemOfSqlite } from '../store/database.ts';

const USAGE = 2;
/** Lines are put together up to about this many characters, so that each is no write of its own. */
const CHUNK_CHARACTERS = 65_536;

interface ExportCommand {
  readonly args: readonly string[];
  /** Where the profile is unless another folder is named. */
  readonly profileFolder: string;
  readonly nowMs: number;
  readonly output: Writable;
  readonly printError: (text: string) => void;
}

/** `fencepost export`: writes the record of a profile as JSON lines. Answers the exit code. */
export async function exportCommand(command: ExportCommand): Promise<number> {
  const { printError } = command;
  const asked = readArguments(command.args);
  if (typeof asked === 'string') {
    printError(`${asked}\nSee: fencepost help\n`);
    return USAGE;
  }
  const folder = asked.profile === undefined ? command.profileFolder : path.resolve(asked.profile);
  const opened = openLedger(folder, {
    agentId: asked.agent ?? null,
    runId: asked.run ?? null,
    exportedAtMs: command.nowMs,
    privateKey: await readDeviceKey(folder),
  });
  if (!opened.ok) return refused(opened.error, printError);
  const { lines, isSigned, close } = opened.value;
  try {
    if (asked.out === undefined) await pipeline(inChunks(lines), command.output, { end: false });
    else await writeFile(path.resolve(asked.out), lines, asked.force);
  } catch (cause) {
    const failure = problemOf(cause, asked.out);
    if (failure === null) throw cause;
    return refused(failure, printError);
  } finally {
    close();
  }
  if (!isSigned) printError('The key of this device cannot be read here, so the file is not signed by it.\n');
  return 0;
}

function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        profile: { type: 'string' },
        agent: { type: 'string' },
        run: { type: 'string' },
        out: { type: 'string' },
        force: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/** Never makes one: an export changes nothing. `null` where there is none, or where the keychain keeps it from this command. */
async function readDeviceKey(profileFolder: string): Promise<string | null> {
  try {
    const key = await (await composeDeviceKeys(profileFolder, {})).read(DEVICE_KEY_SECRET);
    if (key !== null) publicKeyOf(key);
    return key;
  } catch {
    // The person is told that the file is not signed.
    return null;
  }
}

function inChunks(lines: Iterable<string>): Readable {
  return Readable.from(chunksOf(lines), { objectMode: true, highWaterMark: 1 });
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

/** A file that is there already is replaced only when the person said so, and only by a whole one. */
async function writeFile(file: string, lines: Iterable<string>, isReplacing: boolean): Promise<void> {
  const part = isReplacing ? `${file}.${process.pid}.part` : file;
  const output = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
  let isMade = false;
  output.once('open', () => (isMade = true));
  try {
    await pipeline(inChunks(lines), output);
    if (isReplacing) await rename(part, file);
  } catch (cause) {
    if (isMade) await rm(part, { force: true });
    throw cause;
  }
}

/** The sentence for a failure of the record or of the output; `null` for a fault of the program. */
function problemOf(cause: unknown, out: string | undefined): Problem | null {
  const code = errorCodeOf(cause);
  if (code === 'EEXIST') {
    return problem('input-invalid', `The file ${out ?? ''} is there already.`, 'Choose another name, or add --force.');
  }
  if (code === 'ENOSPC') {
    return problem('store-full', 'The disk is full, so nothing was exported.', 'Free some space, then export again.');
  }
  if (code === 'EPIPE')
    return problem('input-invalid', 'Whoever was reading the export stopped.', 'It is not complete.');
  const ofRecord = problemOfSqlite(cause);
  if (ofRecord !== null) return ofRecord;
  if (!/^E[A-Z]+$/u.test(code)) return null;
  return problem('folder-read-only', `The file ${out ?? ''} cannot be written (${code}).`, 'Choose another place.');
}

function refused(failure: Problem, printError: (text: string) => void): number {
  printError(`${failure.message}\n${failure.wayOut}\n`);
  return exitCodeOf(failure.code);
}
