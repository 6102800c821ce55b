import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { HostProcess } from '../harness/host-process.ts';
import { temporaryFolder } from '../harness/strategies.ts';

/** Asks a record, be it that of a living host or what a dead one left. */
type Ask = <Row>(sql: string) => Promise<Row[]>;

/** One effect key of a run, with the progress of its attempts in order. */
interface KeyLook {
  readonly key: string;
  readonly progress: readonly string[];
  /** The keys that it went out under: one, however often it left. */
  readonly sentAs: readonly string[];
}

/** One run as the record has it. `branch` is empty for the run that was started. */
export interface RunLook {
  readonly branch: string;
  readonly phase: string;
  readonly ending: string | null;
  readonly effects: readonly KeyLook[];
  /** Journal kinds of recovery, in order, without their prefix; not that something had provably never left. */
  readonly recovery: readonly string[];
}

/** Everything a record says that a crash may bear on. */
export interface RecordLook {
  readonly runs: readonly RunLook[];
  /** Every way out that was released, in order, such as `each#1`; more than once is twice too often. */
  readonly released: readonly string[];
  /** Every step of several parts that was concluded, in order. */
  readonly concluded: readonly string[];
}

/** An attempt that waits for a person. */
interface Unclear {
  readonly attempt_token: string;
  readonly input_digest: string;
  readonly epoch: number;
  readonly branch: string;
}

const UNCLEAR = `SELECT attempt_token, input_digest, epoch, coalesce(branch, '') AS branch FROM attempts JOIN runs USING (run_id)
  WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL AND progress <> 'settled' ORDER BY attempts.rowid`;

const TOKENS = `SELECT json_extract(payload, '$.attemptToken') FROM ops WHERE kind`;

async function lookAt(ask: Ask): Promise<RecordLook> {
  const runs = await ask<{ run_id: string; branch: string; phase: string; ending: string | null }>(
    `SELECT run_id, coalesce(branch, '') AS branch, phase, ending FROM runs ORDER BY run_number`,
  );
  const attempts = await ask<{ run_id: string; effect_key: string; progress: string }>(
    // Those that may have left: a busy machine can be too late to send one, and says so.
    `SELECT run_id, effect_key, progress FROM attempts WHERE attempt_token IN (${TOKENS} = 'effect.started')
       AND attempt_token NOT IN (${TOKENS} = 'effect.withheld') ORDER BY rowid`,
  );
  const sent = await ask<{ run_id: string; effect_key: string; sent_as: string }>(
    `SELECT DISTINCT run_id, json_extract(payload, '$.effect.effectKey') AS effect_key,
       json_extract(payload, '$.idempotencyKey') AS sent_as FROM ops WHERE kind = 'effect.started'`,
  );
  const recovery = await ask<{ run_id: string; kind: string }>(
    `SELECT run_id, substr(kind, 10) AS kind FROM ops WHERE kind LIKE 'recovery.%' AND kind <> 'recovery.reclaimed' ORDER BY seq`,
  );
  const place = (kind: string, state: string): Promise<{ place: string }[]> =>
    ask(`SELECT coalesce(nullif(branch, '') || '/', '') || json_extract(payload, '$.${state}Id') || '#'
      || json_extract(payload, '$.${state}Visit') AS place FROM ops JOIN runs USING (run_id) WHERE kind = '${kind}' ORDER BY seq`);
  const released = await place('successor.released', 'fromState');
  const concluded = await place('run.concluded', 'state');
  return {
    runs: runs.map((run) => {
      const own = attempts.filter((attempt) => attempt.run_id === run.run_id);
      const keys = [...new Set(own.map((attempt) => attempt.effect_key))];
      return {
        branch: run.branch,
        phase: run.phase,
        ending: run.ending,
        effects: keys.map((key) => ({
          key,
          progress: own.filter((attempt) => attempt.effect_key === key).map(({ progress }) => progress),
          sentAs: sent
            .filter((each) => each.run_id === run.run_id && each.effect_key === key)
            .map((each) => each.sent_as),
        })),
        recovery: recovery.filter((event) => event.run_id === run.run_id).map(({ kind }) => kind),
      };
    }),
    released: released.map((each) => each.place),
    concluded: concluded.map((each) => each.place),
  };
}

/** One profile and one agent, in as many lives as the story needs. */
export class GraphScenario {
  readonly profileFolder = temporaryFolder();
  readonly #agentId: string;
  readonly #file: string;

  constructor(agentId: string, file: string) {
    this.#agentId = agentId;
    this.#file = file;
  }

  /** Starts the host, to die the n-th time that it passes a point if one is named. */
  start(crashAt?: CrashPoint, nth = 1): Promise<HostProcess> {
    const options = { profileFolder: this.profileFolder, isSteady: true };
    return HostProcess.start(crashAt === undefined ? options : { ...options, crashAt, crashOnNth: nth });
  }

  /** Saves, authorises and runs the agent; the host may die under it. */
  async run(host: HostProcess): Promise<void> {
    const request = { agentId: this.#agentId, requestId: 'request-one', input: {}, by: 'Test' };
    await host.save(this.#file);
    await host.control('startRun', request).catch(() => undefined);
  }

  /** The first life: runs until the host kills itself. Answers what its record says then. */
  async crashAt(crashAt: CrashPoint, nth = 1): Promise<RecordLook> {
    const host = await this.start(crashAt, nth);
    await this.run(host);
    return this.dies(host);
  }

  /** The first life, killed from outside once something has come about. Answers what its record says then. */
  async crashOnce(comesAbout: () => Promise<unknown>): Promise<RecordLook> {
    const host = await this.start();
    await this.run(host);
    await comesAbout();
    host.kill();
    return this.dies(host);
  }

  /** Waits until a host that kills itself has done so. Answers what its record says then. */
  async dies(host: HostProcess): Promise<RecordLook> {
    const { signal, code } = await host.exited;
    if (signal !== 'SIGKILL') throw new Error(`The host was to be killed, but ended with ${String(signal ?? code)}.`);
    return this.lookAtRest();
  }

  lookAtRest(): Promise<RecordLook> {
    return this.readAtRest(lookAt);
  }

  /** What a dead host left, read from a copy: looking must not repair anything. */
  async readAtRest<Answer>(read: (ask: Ask) => Promise<Answer>): Promise<Answer> {
    const copy = temporaryFolder();
    const files = readdirSync(this.profileFolder).filter((name) => name.startsWith('fencepost.sqlite'));
    for (const name of files) copyFileSync(join(this.profileFolder, name), join(copy, name));
    const db = new BetterSqlite(join(copy, 'fencepost.sqlite'));
    try {
      return await read(<Row>(sql: string) => Promise.resolve(db.prepare(sql).all() as Row[]));
    } finally {
      db.close();
    }
  }

  /**
   * Another life, until the runs of these branches wait for a person and all others have ended; then killed, so that the
   * next one starts from the disk.
   */
  async survive(asking: readonly string[]): Promise<RecordLook> {
    const host = await this.start();
    await this.rests(host, asking);
    if (asking.length > 0) await host.hasActed(this.#agentId);
    const look = await this.look(host);
    host.kill();
    await host.exited;
    return look;
  }

  /** Waits until the runs of these branches wait for a person and all others have ended, but those that wait for them. */
  async rests(host: HostProcess, asking: readonly string[]): Promise<void> {
    await host.until<Pick<RunLook, 'branch' | 'phase' | 'ending'>>(
      `SELECT coalesce(branch, '') AS branch, phase, ending FROM runs`,
      (runs) =>
        runs.length > 0 &&
        runs.every((run) => {
          if (asking.includes(run.branch)) return run.phase === 'needs-recovery';
          return run.ending !== null || (run.phase === 'branching' && asking.length > 0);
        }),
    );
  }

  look(host: HostProcess): Promise<RecordLook> {
    return lookAt((sql) => host.rows(sql));
  }

  /** A person answers everything that is unclear, each by its branch. */
  async answer(host: HostProcess, choiceOf: (branch: string) => 'it-happened' | 'send-again'): Promise<void> {
    for (const unclear of await host.rows<Unclear>(UNCLEAR)) {
      const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
      const request = {
        attemptToken,
        inputDigest,
        epoch,
        choice: choiceOf(unclear.branch),
        by: 'Test',
        reason: 'seen',
      };
      for (;;) {
        const answer = (await host.control('resolveRecovery', request)) as { ok: boolean; error?: { code: string } };
        if (answer.ok) break;
        if (answer.error?.code !== 'not-holder') throw new Error(`The answer was refused: ${JSON.stringify(answer)}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

/** How often a story is begun anew because the machine was too busy for it. */
const BEGINNINGS = 5;

/**
 * Begins a story and lets its first host be killed. On a busy machine the right to act can run out before something leaves:
 * it is then held back, tried again, and the n-th time that a point is passed is another one. That is no story of a crash,
 * and it is begun anew.
 */
export async function begin<Scenario extends GraphScenario>(
  create: (beginning: number) => Scenario | Promise<Scenario>,
  kill: (scenario: Scenario) => Promise<RecordLook>,
): Promise<{ scenario: Scenario; death: RecordLook }> {
  for (let beginning = 1; ; beginning += 1) {
    const scenario = await create(beginning);
    const death = await kill(scenario);
    const [held] = await scenario.readAtRest((ask) =>
      ask<{ count: number }>(
        `SELECT (SELECT count(*) FROM ops WHERE kind = 'effect.withheld') + (SELECT count(*) FROM refusals) AS count`,
      ),
    );
    if (held?.count === 0 || beginning === BEGINNINGS) return { scenario, death };
  }
}
