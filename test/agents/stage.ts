import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { HostBench } from '../../src/main/host/testing/host-bench.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import type { Digest, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RecoveryChoice } from '../../src/shared/core/recovery/recovery-options.ts';
import { Receiver } from '../harness/receiver.ts';

const require = createRequire(import.meta.url);
const TAP = path.join(import.meta.dirname, 'tapped-server.mjs');
/** The official tool servers, as programs. */
export const FILESYSTEM_SERVER = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
export const EVERYTHING_SERVER = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
/** How long something may take, ms: servers are programs of their own, and the machine may be busy. */
const WAIT_LIMIT_MS = 50_000;

/** A strategy as text; a state `finish`, in which runs are done, is added to its states. */
export function strategyText(
  id: string,
  of: { readonly scope: object; readonly start: string; readonly states: object; readonly input?: object },
): string {
  const states = { ...of.states, finish: { type: 'done' } };
  return JSON.stringify({ fencepost: 1, id, name: `Test ${id}`, ...of, states });
}

/** An attempt as the record has it. */
interface AttemptLook {
  readonly effect_key: string;
  readonly attempt_number: number;
  readonly attempt_token: string;
  readonly input_digest: Digest;
  readonly epoch: number;
  readonly settled_by: string | null;
  /** JSON. */
  readonly outcome: string | null;
}

/** One host on a profile of its own, a folder that agents may use, tool servers that count, and a receiver of requests. */
export class Stage {
  readonly receiver: Receiver;
  readonly #root: string;
  readonly #secrets: Readonly<Record<string, string>>;
  #bench: HostBench;

  private constructor(root: string, receiver: Receiver, of: { bench: HostBench; secrets: Record<string, string> }) {
    this.#root = root;
    this.receiver = receiver;
    this.#bench = of.bench;
    this.#secrets = of.secrets;
  }

  /** Starts it, with secrets by name; `close` has to follow. */
  static async start(secrets: Record<string, string> = {}): Promise<Stage> {
    const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'fencepost-agents-')));
    mkdirSync(path.join(root, 'files'));
    const receiver = await Receiver.start();
    return new Stage(root, receiver, { bench: await startBench(root, secrets), secrets });
  }

  get bench(): HostBench {
    return this.#bench;
  }

  /** What agents may read and write. */
  get folder(): string {
    return path.join(this.#root, 'files');
  }

  /** The receiver, as it stands in a scope. */
  get hosts(): string[] {
    return [new URL(this.receiver.origin).host];
  }

  /** Starts another host on the same profile, after this one was closed. */
  async restart(): Promise<void> {
    await this.#bench.close();
    this.#bench = await startBench(this.#root, this.#secrets);
  }

  async close(): Promise<void> {
    // What still hangs there ends first, so that the host need not wait for it.
    await this.receiver.close();
    await this.#bench.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** A server for a scope, behind something that counts its calls. */
  tapped(name: string, command: readonly string[], effects: object = {}): object {
    return { command: [process.execPath, TAP, this.#logOf(name), process.execPath, ...command], effects };
  }

  /** The tools that were called at a tapped server, in order. */
  callsAt(name: string): string[] {
    const file = this.#logOf(name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }

  /** The next call at a tapped server is the last thing that it does. */
  makeDeadly(name: string): void {
    writeFileSync(`${this.#logOf(name)}.deadly`, '');
  }

  #logOf(name: string): string {
    return path.join(this.#root, `${name}.calls`);
  }

  /** Saves, grants and starts an agent. */
  async start(text: string, input: Readonly<Record<string, string>> = {}): Promise<RunId> {
    const agentId = await this.#bench.agent(text);
    return must(await this.#bench.host.control.startRun({ agentId, requestId: 'press', input, by: 'Test' })).runId;
  }

  /** Why the newest event of a run says that it ended as it did. */
  lastEvent(runId: RunId): string {
    return (
      this.#bench.rows<{ last_event: string }>('SELECT last_event FROM runs WHERE run_id = ?', runId)[0]?.last_event ??
      ''
    );
  }

  attempts(): AttemptLook[] {
    return this.#bench.rows<AttemptLook>('SELECT * FROM attempts ORDER BY rowid');
  }

  /** The kinds and codes of all outcomes, in the order in which the attempts were made. */
  outcomes(): string[] {
    return this.attempts().map(({ outcome }) => {
      const { kind, code } = JSON.parse(outcome ?? '{"kind":"none"}') as { kind: string; code?: string };
      return code === undefined ? kind : `${kind}: ${code}`;
    });
  }

  /** What later steps see of a state. */
  outputOf(runId: RunId, stateId: string): unknown {
    const [row] = this.#bench.rows<{ output: string }>(
      `SELECT coalesce(output, (SELECT body FROM blobs WHERE digest = output_digest)) AS output FROM visits
         WHERE run_id = ? AND state_id = ? ORDER BY visit DESC LIMIT 1`,
      runId,
      stateId,
    );
    return JSON.parse(row?.output ?? 'null') as unknown;
  }

  /** Waits until a run needs a person about an unclear effect, and gives the person's answer. */
  async answerUnclear(runId: RunId, choice: RecoveryChoice): Promise<void> {
    await this.#bench.reaches(runId, 'needs-recovery');
    const unclear = this.attempts().at(-1);
    if (unclear === undefined) throw new Error('Nothing was attempted.');
    const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
    const answer = { attemptToken, inputDigest, epoch, choice, by: 'Test', reason: '' };
    must(await this.#bench.host.control.resolveRecovery(answer));
  }

  /** Waits until a person is asked, and answers with yes. */
  async allow(): Promise<void> {
    const open = () =>
      this.#bench.rows<{ approval_id: string; input_digest: Digest }>(
        `SELECT * FROM approvals WHERE state = 'open'`,
      )[0];
    await this.#bench.until('a person is asked', () => open() !== undefined);
    const question = open();
    if (question === undefined) throw new Error('It was asked, and is not any more.');
    const { approval_id: approvalId, input_digest: inputDigest } = question;
    const yes = { approvalId, inputDigest, isAllowed: true, by: 'Test', reason: '' };
    must(await this.#bench.host.control.decideApproval(yes));
  }

  /** Why attempts became unclear, in order. */
  doubts(): string[] {
    const sql = `SELECT json_extract(payload, '$.code') AS code FROM ops WHERE kind = 'recovery.in-doubt' ORDER BY seq`;
    return this.#bench.rows<{ code: string }>(sql).map(({ code }) => code);
  }

  /** How all questions stand, and why an answer does not count any more, in the order in which they were asked. */
  questions(): string[] {
    return this.#bench
      .rows<{ state: string; stale_reason: string | null }>('SELECT * FROM approvals ORDER BY asked_at_ms, approval_id')
      .map(({ state, stale_reason: reason }) => (reason === null ? state : `${state}: ${reason}`));
  }

  /** Every byte that the host keeps: database, journal of SQLite, log, everything else in the profile, and all exports. */
  async everythingKept(): Promise<string> {
    const { handlers } = this.#bench.host;
    const runs = this.#bench.rows<{ run_id: RunId }>('SELECT run_id FROM runs');
    const caller = { surface: 'browser', name: 'Test' } as const;
    const exports = await Promise.all(
      runs.map(async ({ run_id: runId }) => must(await handlers['runs.export']({ runId }, caller)).text),
    );
    const profile = profileOf(this.#root);
    const files = readdirSync(profile, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return [
      ...files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1')),
      ...exports,
    ].join('\n');
  }
}

function profileOf(root: string): string {
  return path.join(root, 'profile');
}

async function startBench(root: string, secrets: Readonly<Record<string, string>>): Promise<HostBench> {
  return await HostBench.start(profileOf(root), undefined, { secrets, waitLimitMs: WAIT_LIMIT_MS });
}
