import path from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { Problem } from '../../shared/contract/errors.ts';
import { exitCodeOf } from '../bridge/exit-code.ts';
import { composeDeviceKeys } from '../compose-secrets.ts';
import { publicKeyOf } from '../hub/proofs.ts';
import { ledgerFileProblem, ledgerStream, writeLedgerFile } from '../ledger/write-ledger-file.ts';
import { DEVICE_KEY_SECRET } from '../secrets/device-key.ts';
import { openLedger } from '../store/ledger-export.ts';

const USAGE = 2;

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
    fromMs: asked.from ?? null,
    untilMs: asked.until ?? null,
    exportedAtMs: command.nowMs,
    privateKey: await readDeviceKey(folder),
  });
  if (!opened.ok) return refused(opened.error, printError);
  const { lines, isSigned, close } = opened.value;
  try {
    if (asked.out === undefined) await pipeline(ledgerStream(lines), command.output, { end: false });
    else await writeLedgerFile(path.resolve(asked.out), lines, { isReplacing: asked.force });
  } catch (cause) {
    const failure = ledgerFileProblem(cause, asked.out ?? '');
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
        from: { type: 'string' },
        until: { type: 'string' },
        out: { type: 'string' },
        force: { type: 'boolean', default: false },
      },
    });
    return { ...values, from: momentOf('--from', values.from), until: momentOf('--until', values.until) };
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/** Wall ms of a date, or of a date and time. @throws Error for anything else. */
function momentOf(name: string, said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  const atMs = Date.parse(said);
  if (Number.isNaN(atMs)) throw new Error(`${name} takes a date such as 2026-10-12, or 2026-10-12T07:00Z.`);
  return atMs;
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

function refused(failure: Problem, printError: (text: string) => void): number {
  printError(`${failure.message}\n${failure.wayOut}\n`);
  return exitCodeOf(failure.code);
}
