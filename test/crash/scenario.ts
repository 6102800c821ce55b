import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { HostProcess } from '../harness/host-process.ts';
import type { Receiver } from '../harness/receiver.ts';
import { temporaryFolder, writeStrategy } from '../harness/strategies.ts';
import type { TestedKind } from '../harness/strategies.ts';
import { join } from 'node:path';

/** Where the right to act is kept. */
export type RegisterPlace = 'embedded' | 'file';

/** What a crash left behind, as the outside and the journal saw it. */
export interface CrashOutcome {
  /** Requests with an effect that reached the receiver. */
  readonly hits: number;
  /** Distinct effects after the receiver's own check of keys. */
  readonly effects: number;
  readonly phase: string;
  readonly ending: string | null;
  /** Journal kinds of recovery, in order. */
  readonly recovery: readonly string[];
  readonly progress: readonly string[];
}

interface RunRow {
  readonly phase: string;
  readonly ending: string | null;
}

const RUN = 'SELECT phase, ending FROM runs';

/** True once nothing will change any more without a person. */
function isAtRest(rows: readonly RunRow[]): boolean {
  const [run] = rows;
  return run !== undefined && (run.ending !== null || run.phase.startsWith('needs-'));
}

/** One profile, one agent, one receiver, and as many starts as the story needs. */
export class CrashScenario {
  readonly profileFolder = temporaryFolder();
  readonly registerFile: string | null;
  readonly #receiver: Receiver;
  readonly #agentId: string;
  readonly #path: string;
  readonly #file: string;

  constructor(
    receiver: Receiver,
    of: { name: string; kind: TestedKind; register: RegisterPlace; asks?: boolean; timeoutMs?: number },
  ) {
    this.#receiver = receiver;
    this.#agentId = of.name;
    this.#path = `/${of.kind}/${of.name}`;
    this.registerFile = of.register === 'file' ? join(temporaryFolder(), 'register.sqlite') : null;
    const { asks, timeoutMs, kind } = of;
    this.#file = writeStrategy({
      agentId: of.name,
      kind,
      origin: receiver.origin,
      path: this.#path,
      ...(asks === undefined ? {} : { asks }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  get path(): string {
    return this.#path;
  }

  /** A second device on the same register, with a profile of its own; it may freeze at a point. */
  startOther(profileFolder: string, freezeAt?: CrashPoint): Promise<HostProcess> {
    return HostProcess.start({
      profileFolder,
      ...(this.registerFile === null ? {} : { registerFile: this.registerFile }),
      ...(freezeAt === undefined ? {} : { freezeAt }),
    });
  }

  /** Starts the host, to die at a point if one is named. One life follows the other, so each may have its own time. */
  start(crashAt?: CrashPoint): Promise<HostProcess> {
    return HostProcess.start({
      profileFolder: this.profileFolder,
      isSteady: true,
      ...(this.registerFile === null ? {} : { registerFile: this.registerFile }),
      ...(crashAt === undefined ? {} : { crashAt }),
    });
  }

  /** Saves, authorises and runs the agent; the host may die under it. */
  async run(host: HostProcess): Promise<void> {
    await host.save(this.#file);
    await host
      .control('startRun', { agentId: this.#agentId, requestId: 'request-one', input: {}, by: 'Test' })
      .catch(() => undefined);
  }

  /** The first life: runs until the host kills itself at the point. */
  async crashAt(point: CrashPoint): Promise<void> {
    const host = await this.start(point);
    await this.run(host);
    const { signal } = await host.exited;
    if (signal !== 'SIGKILL') throw new Error(`The host was to die at ${point}, but ended with ${String(signal)}.`);
  }

  /** Another life, until nothing changes any more; then killed again, so that the next one starts from the disk. */
  async surviveOnce(expected: 'at-rest' | 'ended' = 'at-rest'): Promise<CrashOutcome> {
    const host = await this.start();
    // A step that Fencepost settles by itself is unclear for a moment on its way to the end.
    await host.until<RunRow>(RUN, expected === 'ended' ? ([run]) => run?.ending !== null : isAtRest);
    const [run] = await host.rows<RunRow>(RUN);
    if (run?.ending === null && run.phase === 'needs-recovery') await host.hasActed(this.#agentId);
    const outcome = await this.look(host);
    host.kill();
    await host.exited;
    return outcome;
  }

  async look(host: HostProcess): Promise<CrashOutcome> {
    const [run] = await host.rows<RunRow>(RUN);
    const recovery = await host.rows<{ kind: string }>(
      `SELECT kind FROM ops WHERE kind LIKE 'recovery.%' ORDER BY seq`,
    );
    const attempts = await host.rows<{ progress: string }>('SELECT progress FROM attempts ORDER BY attempt_number');
    return {
      hits: this.#receiver.hits(this.#path),
      effects: this.#receiver.effects(this.#path),
      phase: run?.phase ?? '',
      ending: run?.ending ?? null,
      recovery: recovery.map((row) => row.kind),
      progress: attempts.map((row) => row.progress),
    };
  }
}
