import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { ExportBegunView, ExportView } from '../../shared/contract/activity-views.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { publicKeyOf } from '../hub/proofs.ts';
import { openLedger } from '../store/ledger-export.ts';
import type { Caller } from '../bridge/application.ts';
import { ledgerFileProblem, ledgerStream, writeLedgerFile } from './write-ledger-file.ts';

/** How a door fetches the file of an export. */
export const EXPORT_PATH = '/export/';

const BUSY = problem(
  'store-busy',
  'Another export is being written.',
  'Wait until it has ended, or cancel it where it was begun.',
);
const BROKEN = problem('internal', 'The export broke off.', 'No file was left behind. Export again.');

/** What an export needs besides the record. */
interface LedgerExportsOptions {
  readonly profileFolder: string;
  readonly nowMs: () => number;
  /** The key of this device, out of its own store of keys. */
  readonly readKey: () => Promise<Result<string, Problem>>;
  /** Asks the person for a place on the disk; `null` if they want none. Only a desktop has it. */
  readonly chooseFile: ((fileName: string) => Promise<string | null>) | null;
  /** What no sentence can be made of. */
  readonly failed: (cause: unknown) => void;
}

/** A file on its way to a browser. */
export interface LedgerDownload {
  readonly fileName: string;
  readonly body: Readable;
  /** Told once how it ended. */
  readonly ended: (cause: unknown) => void;
}

/** Taking a signed copy of the record away, one at a time. */
export interface LedgerExports {
  begin(request: ParsedRequestOf<'export.begin'>, caller: Caller): Promise<Result<ExportBegunView, Problem>>;
  look(exportId: string): ExportView | null;
  /** Whether there was anything to cancel. */
  cancel(exportId: string): boolean;
  /** The file of an export that this caller began in a browser; once. */
  take(exportId: string, callerName: string): LedgerDownload | null;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

type OpenLedger = Extract<ReturnType<typeof openLedger>, { ok: true }>['value'];

/** One export from its beginning to its end. */
interface Running {
  readonly exportId: string;
  readonly callerName: string;
  readonly fileName: string;
  readonly ledger: OpenLedger;
  readonly publicKey: string;
  readonly stop: AbortController;
  place: string;
  state: ExportView['state'];
  bytes: number;
  problem: Problem | null;
  /** Settles when the file is closed. */
  written: Promise<void>;
}

/** Puts the exports of a host together. The host signs with its own key, wherever that is kept. */
export function createLedgerExports(options: LedgerExportsOptions): LedgerExports {
  let current: Running | null = null;
  let isAsking = false;
  const find = (exportId: string): Running | null => (current?.exportId === exportId ? current : null);

  async function begin(
    request: ParsedRequestOf<'export.begin'>,
    caller: Caller,
  ): Promise<Result<ExportBegunView, Problem>> {
    if (isAsking || current?.state === 'writing') return err(BUSY);
    const fileName = fileNameOf(request.agentId, options.nowMs());
    const isWritten = caller.surface === 'window' && options.chooseFile !== null;
    isAsking = true;
    try {
      const place = isWritten ? ((await options.chooseFile?.(fileName)) ?? null) : '';
      if (place === null) return ok({ exportId: null, path: null });
      const opened = await open(options, request);
      if (!opened.ok) return opened;
      // One that nobody came to fetch makes room for the next.
      if (current !== null) end(current, 'cancelled');
      current = runningOf(opened.value, { callerName: caller.name, fileName, place });
      const { exportId } = current;
      if (!isWritten) return ok({ exportId, path: `${EXPORT_PATH}${exportId}` });
      current.written = write(current, options);
      return ok({ exportId, path: null });
    } finally {
      isAsking = false;
    }
  }

  return {
    begin,
    look(exportId) {
      const running = find(exportId);
      return running === null ? null : viewOf(running);
    },
    cancel(exportId) {
      const running = find(exportId);
      if (running === null || isOver(running)) return false;
      end(running, 'cancelled');
      running.stop.abort();
      return true;
    },
    take(exportId, callerName) {
      const running = find(exportId);
      if (running === null || running.callerName !== callerName || running.state !== 'waiting') return null;
      running.state = 'writing';
      const body = ledgerStream(counted(running), running.stop.signal);
      return { fileName: running.fileName, body, ended: (cause) => ended(running, cause, options) };
    },
    async close() {
      if (current === null) return;
      end(current, 'cancelled');
      current.stop.abort();
      await current.written;
    },
  };
}

async function open(
  options: LedgerExportsOptions,
  { agentId, fromMs, untilMs }: ParsedRequestOf<'export.begin'>,
): Promise<Result<{ ledger: OpenLedger; publicKey: string }, Problem>> {
  const key = await options.readKey();
  // A key that cannot be read is told by the file not being signed.
  const privateKey = key.ok ? key.value : null;
  const exportedAtMs = options.nowMs();
  const opened = openLedger(options.profileFolder, { agentId, runId: null, fromMs, untilMs, exportedAtMs, privateKey });
  if (!opened.ok) return opened;
  const isSigned = opened.value.isSigned && privateKey !== null;
  return ok({ ledger: opened.value, publicKey: isSigned ? publicKeyOf(privateKey) : '' });
}

function runningOf(
  { ledger, publicKey }: { readonly ledger: OpenLedger; readonly publicKey: string },
  of: Pick<Running, 'callerName' | 'fileName' | 'place'>,
): Running {
  return {
    ...of,
    fileName: of.place === '' ? of.fileName : path.basename(of.place),
    exportId: randomUUID(),
    ledger,
    publicKey,
    stop: new AbortController(),
    state: of.place === '' ? 'waiting' : 'writing',
    bytes: 0,
    problem: null,
    written: Promise.resolve(),
  };
}

async function write(running: Running, options: LedgerExportsOptions): Promise<void> {
  try {
    await writeLedgerFile(running.place, counted(running), { isReplacing: true, signal: running.stop.signal });
    ended(running, null, options);
  } catch (cause) {
    ended(running, cause, options);
  }
}

function* counted(running: Running): Generator<string> {
  for (const line of running.ledger.lines) {
    running.bytes += Buffer.byteLength(line);
    yield line;
  }
}

function ended(running: Running, cause: unknown, options: LedgerExportsOptions): void {
  if (isOver(running)) return;
  if (cause === null || cause === undefined) return end(running, 'done');
  // The browser closed the connection: a person stopped the download there, or closed the page.
  const isLeft = running.place === '' && running.state === 'writing' && isBrokenOff(cause);
  if (isLeft) return end(running, 'cancelled');
  const known = ledgerFileProblem(cause, running.place);
  if (known === null) options.failed(cause);
  running.problem = known ?? BROKEN;
  return end(running, 'failed');
}

function isBrokenOff(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}

function end(running: Running, state: 'done' | 'failed' | 'cancelled'): void {
  if (isOver(running)) return;
  running.state = state;
  running.ledger.close();
}

function isOver({ state }: Running): boolean {
  return state !== 'waiting' && state !== 'writing';
}

function viewOf(running: Running): ExportView {
  const { state, fileName, place, ledger, bytes, publicKey } = running;
  const { entries, total } = ledger.progress();
  return {
    state,
    fileName,
    place,
    entries,
    total,
    bytes,
    isSigned: publicKey !== '',
    deviceId: ledger.deviceId,
    publicKey,
    problem: running.problem,
  };
}

/** `fencepost-ledger-2026-10-12.jsonl`: a name that every file system takes. */
function fileNameOf(agentId: string | null, nowMs: number): string {
  const about = agentId === null ? '' : `-${agentId.replaceAll(/[^\w-]/gu, '_').slice(0, 60)}`;
  return `fencepost-ledger${about}-${new Date(nowMs).toISOString().slice(0, 10)}.jsonl`;
}
