import type { AgentId, RunId } from '../../../shared/contract/identifiers.ts';
import type { ClockReading, LeaseInstant } from '../../../shared/core/lease/clock.ts';
import { startApplication } from '../../compose.ts';
import type { RunningHost } from '../../compose.ts';
import type { SecretCipher } from '../../secrets/secret-cipher.ts';
import { readAll } from '../../store/connection.ts';
import { must } from '../../store/testing/temporary-folder.ts';
import type { HostClock } from '../clock.ts';
import type { CrashPoint } from '../crash-points.ts';
import type { CondensingTerms } from '../sync/condensing.ts';
import { steadyClock } from './steady-clock.ts';

/** How long something may take to come about before a test gives up unless it says otherwise, ms; and how often it is looked for. */
const WAIT_LIMIT_MS = 20_000;
const LOOK_MS = 10;

/** Steady clocks with a shift on each: a sleep or a step of the calendar is injected, nothing else is pretended. */
class ShiftedClock implements HostClock {
  #shift: ClockReading = { wallMs: 0, monotonicMs: 0, bootMs: 0 };

  /** Moves the clocks on by so many ms, or back. A clock that is not named stays as it is. */
  shift(by: Partial<ClockReading>): void {
    this.#shift = plus(this.#shift, { wallMs: 0, monotonicMs: 0, bootMs: 0, ...by });
  }

  read(): ClockReading {
    return plus(steadyClock.read(), this.#shift);
  }

  instant(): LeaseInstant {
    const { bootId, bootMs } = steadyClock.instant();
    return { bootId, bootMs: bootMs + this.#shift.bootMs };
  }
}

function plus(one: ClockReading, other: ClockReading): ClockReading {
  return {
    wallMs: one.wallMs + other.wallMs,
    monotonicMs: one.monotonicMs + other.monotonicMs,
    bootMs: one.bootMs + other.bootMs,
  };
}

/** What a run has come to. */
export interface RunLook {
  readonly phase: string;
  readonly ending: string | null;
  readonly state_id: string;
}

/** How a bench differs from an ordinary one. */
interface BenchOptions {
  readonly wallMs?: number;
  /** By name, as they would come with the environment. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly keychain?: SecretCipher;
  readonly waitLimitMs?: number;
  readonly machineId?: string | null;
  readonly condensing?: CondensingTerms;
}

/** A whole host in this process, on a folder of the test's, with injected clocks and ears at its crash points. */
export class HostBench {
  readonly clock = new ShiftedClock();
  readonly #listeners: ((point: CrashPoint) => void)[] = [];
  readonly #waitLimitMs: number;
  #host: RunningHost | null = null;

  private constructor(waitLimitMs: number) {
    this.#waitLimitMs = waitLimitMs;
  }

  /** Starts it, at another time of the calendar or with secrets if a test says so; `close` has to follow. */
  static async start(profileFolder: string, registerFile?: string, of: BenchOptions = {}): Promise<HostBench> {
    const { wallMs, secrets = {}, waitLimitMs = WAIT_LIMIT_MS, machineId = 'machine of the tests' } = of;
    const { keychain, condensing } = of;
    const bench = new HostBench(waitLimitMs);
    if (wallMs !== undefined) bench.clock.shift({ wallMs: wallMs - bench.clock.read().wallMs });
    const { clock } = bench;
    const passed = (point: CrashPoint): void => {
      for (const listener of bench.#listeners) listener(point);
    };
    const options = {
      profileFolder,
      surface: 'browser',
      version: '0.0.0-test',
      electronVersion: null,
      passed,
      clock,
      machineId,
      ...(condensing === undefined ? {} : { condensing }),
      secretSources: {
        fromEnvironment: new Map(Object.entries(secrets)),
        ...(keychain === undefined ? {} : { openKeychain: () => Promise.resolve(keychain) }),
      },
    } as const;
    bench.#host = must(await startApplication(registerFile === undefined ? options : { ...options, registerFile }));
    return bench;
  }

  get host(): RunningHost {
    if (this.#host === null) throw new Error('The host was closed.');
    return this.#host;
  }

  /** Does something the n-th time (from 1) that a crash point is passed. */
  at(point: CrashPoint, act: () => void, nth = 1): void {
    let seen = 0;
    this.#listeners.push((passed) => {
      if (passed !== point) return;
      seen += 1;
      if (seen === nth) act();
    });
  }

  /** Saves a strategy, as YAML text, and gives it the permission to act. */
  async agent(text: string): Promise<AgentId> {
    const saved = must(await this.host.control.saveAgent('strategy.yaml', text));
    if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
    await this.authorise(saved.agentId);
    return saved.agentId;
  }

  async authorise(agentId: AgentId): Promise<void> {
    const { control } = this.host;
    must(await control.authorise(agentId, must(control.previewGrant(agentId)).previewDigest, 'Test'));
  }

  async run(agentId: AgentId, requestId = 'press'): Promise<RunId> {
    return must(await this.host.control.startRun({ agentId, requestId, input: {}, by: 'Test' })).runId;
  }

  rows<Row>(sql: string, ...parameters: readonly unknown[]): Row[] {
    const connection = this.host.control.connection();
    return connection === null ? [] : readAll<Row>(connection.db, sql, ...parameters);
  }

  /** Waits until something is so. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    const limitMs = steadyClock.read().monotonicMs + this.#waitLimitMs;
    while (!isSo()) {
      if (steadyClock.read().monotonicMs > limitMs)
        throw new Error(
          `Not within ${this.#waitLimitMs} ms: ${what}. ${JSON.stringify(this.rows('SELECT phase, ending, state_id, last_event FROM runs'))}`,
        );
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  look(runId: RunId): RunLook | undefined {
    return this.rows<RunLook>('SELECT phase, ending, state_id FROM runs WHERE run_id = ?', runId)[0];
  }

  async ended(runId: RunId): Promise<string | null> {
    await this.until('the run ends', () => (this.look(runId)?.ending ?? null) !== null);
    return this.look(runId)?.ending ?? null;
  }

  async reaches(runId: RunId, phase: string): Promise<void> {
    await this.until(`the run reaches ${phase}`, () => this.look(runId)?.phase === phase);
  }

  /** How often a kind of event is in the journal. */
  count(kind: string): number {
    return this.rows('SELECT 1 FROM ops WHERE kind = ?', kind).length;
  }

  /** Why nothing was sent, in order. */
  refusals(): string[] {
    return this.rows<{ word: string; reason: string }>('SELECT word, reason FROM refusals ORDER BY seq').map(
      ({ word, reason }) => `${word}: ${reason}`,
    );
  }

  async close(): Promise<void> {
    const host = this.#host;
    this.#host = null;
    // What is still on its way would write its last line into a folder that is gone.
    await host?.drain(5_000);
    await host?.close();
  }
}

/** Two effects at a receiver, one after the other, then done. */
export function twoSteps(agentId: string, origin: string): string {
  const step = (name: string, next: string): string =>
    `  ${name}: { type: tool, call: { tool: http.request, method: POST, url: '${origin}/${agentId}/${name}' }, effect: { kind: blind }, onSuccess: ${next} }`;
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
scope: { hosts: ['${new URL(origin).host}'] }
start: first
states:
${step('first', 'second')}
${step('second', 'finish')}
  finish: { type: done }
`;
}
