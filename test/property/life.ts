import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../src/main/store/connection.ts';
import { readAll, readOne } from '../../src/main/store/connection.ts';
import type { AttemptRecord } from '../../src/main/store/rows.ts';
import type { LoadedStrategy } from '../../src/main/strategy/load-strategy.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { Random } from '../harness/random.ts';
import { effectIdOf } from '../sim/effect-id.ts';
import { EventQueue, NATURE } from '../sim/event-queue.ts';
import { FaultLog } from '../sim/fault-log.ts';
import { MachineClock } from '../sim/machine-clock.ts';
import { SimDevice } from '../sim/sim-device.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { drawSwarm } from '../sim/swarm.ts';
import { CountingWorld } from './counting-world.ts';
import type { CountedEffect } from './counting-world.ts';
import { AGENT_ID, writePlan } from './drawn-plan.ts';
import type { Edit, Plan } from './drawn-plan.ts';
import { judgeRecord, unseenRuns } from './judge-record.ts';

/** The host dies once it has passed so many crash points since its start; afterwards the file may be edited. */
export interface Death {
  readonly afterPasses: number;
  readonly downMs: number;
  readonly edit: Edit | null;
}

/** What a life came to. */
export interface Lived {
  readonly world: CountingWorld;
  readonly deaths: number;
  readonly runs: number;
  readonly branches: number;
  readonly waited: number;
}

/** Memory where the system offers a folder in it: nothing here is about the disk. */
const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** How long nothing may happen before all is taken to rest, and how often at most that is waited for, ms. */
const QUIET_MS = 30_000;
const QUIET_STEPS = 60;
const agentId = AGENT_ID as AgentId;

/** One plan on one device from the first press to the end, with a real host and record on simulated time. */
export class Life {
  readonly #queue = new EventQueue();
  readonly #folder = mkdtempSync(join(MEMORY_FOLDER, 'fencepost-property-'));
  readonly #world: CountingWorld;
  readonly #device: SimDevice;
  readonly #deaths: readonly Death[];
  readonly #saved: LoadedStrategy[];
  readonly #edits: ReadonlyMap<Edit, LoadedStrategy>;
  #passes = 0;
  #died = 0;
  #waited = 0;

  /** `edit`: how the file was written down from the beginning; the edits of its deaths come later. */
  constructor(of: { seed: number; plan: Plan; edit: Edit | null; deaths: readonly Death[] }) {
    const { seed, plan, deaths } = of;
    this.#deaths = deaths;
    this.#saved = [writePlan(plan, of.edit)];
    this.#edits = new Map(
      deaths.flatMap(({ edit }) => (edit === null ? [] : [[edit, writePlan(plan, edit)] as const])),
    );
    const queue = this.#queue;
    this.#world = new CountingWorld(seed, queue, (effect) => this.#judgeLeaving(effect));
    const random = new Random(seed, 'device');
    const faults = new FaultLog();
    faults.isOver = true;
    const trueMs = (): number => queue.nowMs;
    const rates = { wall: 1, monotonic: 1, boot: 1 };
    const clock = new MachineClock('device', { trueMs, rates, countsSleep: false, wallOffsetMs: 0 });
    const disk = new SimDisk({ trueMs, random, faults, swarm: drawSwarm(1), crash: () => undefined });
    const folder = join(this.#folder, 'device');
    mkdirSync(folder);
    this.#device = new SimDevice({
      name: 'device',
      folder,
      queue,
      random,
      clock,
      disk,
      strategies: [...this.#saved, ...this.#edits.values()],
      coordinator: () => null,
      tools: (owner) => this.#world.toolsOf(owner),
      timerStretch: () => 1,
      passed: () => this.#passed(),
      committed: () => undefined,
      opened: () => undefined,
      forgot: () => undefined,
      sharing: null,
    });
  }

  /** Lives it. Throws what was found wrong. */
  async live(): Promise<Lived> {
    try {
      this.#device.start();
      await this.#pass(1_000);
      this.#press('first');
      await this.#pass(QUIET_MS);
      await this.#comeToRest();
      const { db } = this.#device.connection();
      judgeRecord(db, this.#world);
      const count = (sql: string): number =>
        readOne<{ count: number }>(db, `SELECT count(*) AS count FROM ${sql}`)?.count ?? 0;
      return {
        world: this.#world,
        deaths: this.#died,
        runs: count('runs WHERE parent_run_id IS NULL'),
        branches: count('runs WHERE parent_run_id IS NOT NULL'),
        waited: this.#waited,
      };
    } finally {
      this.#device.crash();
      this.#device.disk.lose();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  #pass(ms: number): Promise<void> {
    return this.#queue.run(this.#queue.nowMs + ms, () => undefined);
  }

  #press(requestId: string): void {
    void this.#device.control?.startRun({ agentId, requestId, input: { press: requestId }, by: 'Person' });
  }

  /** SIGKILL: nothing is drained, nothing is given up, and the same folder is opened again. */
  #passed(): void {
    this.#passes += 1;
    const death = this.#deaths[this.#died];
    if (death === undefined || this.#passes < death.afterPasses) return;
    this.#died += 1;
    this.#device.crash();
    this.#queue.after(death.downMs, NATURE, () => {
      this.#passes = 0;
      this.#device.start();
      if (death.edit !== null) this.#queue.after(500, NATURE, () => void this.#edit(death.edit));
    });
  }

  async #edit(edit: Edit | null): Promise<void> {
    const edited = edit === null ? undefined : this.#edits.get(edit);
    if (edited === undefined) return;
    if (!this.#saved.includes(edited)) this.#saved.push(edited);
    await this.#save(edited);
    this.#press('first');
    this.#press(`edited-${edited.digest.slice(0, 8)}`);
  }

  /** Saved and authorised again, exactly as a person would. */
  async #save({ source }: LoadedStrategy): Promise<void> {
    const { control } = this.#device;
    await control?.saveAgent('strategy.json', source);
    const preview = this.#device.openConnection() === null ? undefined : control?.previewGrant(agentId);
    if (preview?.ok === true) await control?.authorise(agentId, preview.value.previewDigest, 'Person');
  }

  /**
   * Until nothing happens any more, every run that is open has to show why. Then a person does something about it: answers
   * truthfully what is unclear, or gives the permission to the next of the revisions.
   */
  async #comeToRest(): Promise<void> {
    for (let step = 0; step < QUIET_STEPS; step += 1) {
      await this.#quiet();
      const { db } = this.#device.connection();
      const unseen = unseenRuns(db);
      if (unseen.length > 0) throw new Error(`Runs wait, and nobody is told why: ${JSON.stringify(unseen)}`);
      if (readOne(db, 'SELECT 1 FROM runs WHERE ending IS NULL') === null) return;
      this.#waited += 1;
      if (await this.#answer(this.#device.connection())) continue;
      const next = this.#saved[step % this.#saved.length];
      // Both to their ends: two who move time at once would each take the other's events for done.
      if (next !== undefined) await Promise.all([Promise.race([this.#save(next), this.#never()]), this.#pass(5_000)]);
    }
    const open = readAll(this.#device.connection().db, 'SELECT * FROM runs WHERE ending IS NULL');
    throw new Error(`It never came to rest: ${JSON.stringify(open)}`);
  }

  async #quiet(): Promise<void> {
    for (let step = 0; step < QUIET_STEPS; step += 1) {
      const before = this.#events();
      await this.#pass(QUIET_MS);
      if (before !== null && before === this.#events()) return;
    }
    throw new Error('It never becomes quiet.');
  }

  /** Everything in the journal but the coming and going of the right to act; `null` while the host is down. */
  #events(): number | null {
    const db = this.#device.openConnection()?.db;
    if (db === undefined) return null;
    return (
      readOne<{ count: number }>(db, `SELECT count(*) AS count FROM ops WHERE kind NOT LIKE 'lease.%'`)?.count ?? 0
    );
  }

  async #answer({ db }: Connection): Promise<boolean> {
    const unclear = readAll<AttemptRecord>(
      db,
      `SELECT attempts.* FROM attempts JOIN runs USING (run_id) WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL
         AND progress <> 'settled' AND ending IS NULL`,
    );
    const answers = unclear.map(async (attempt) => {
      const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = attempt;
      const choice = this.#hasHappened(attempt) ? 'it-happened' : 'send-again';
      const made = { attemptToken, inputDigest, epoch, choice, by: 'Person', reason: '' } as const;
      return (await this.#device.control?.resolveRecovery(made))?.ok === true;
    });
    const [given] = await Promise.all([Promise.race([Promise.all(answers), this.#never()]), this.#pass(5_000)]);
    return given.some((isGiven) => isGiven);
  }

  /** A dead host answers nobody. */
  #never(): Promise<readonly boolean[]> {
    return new Promise((resolve) => void this.#queue.after(4_000, NATURE, () => resolve([])));
  }

  #hasHappened(attempt: AttemptRecord): boolean {
    const { agent_id: agent, run_id: runId, effect_key: effectKey } = attempt;
    const effectId = effectIdOf({ agentId: agent, runId, effectKey });
    return (this.#world.effects.get(effectId)?.happened ?? 0) > 0;
  }

  /** At the moment in which something leaves, the record must say so, and must not say that it was done. */
  #judgeLeaving({ effectId, target }: CountedEffect): void {
    const { db } = this.#device.connection();
    const own = readAll<AttemptRecord>(db, 'SELECT * FROM attempts').filter(
      ({ agent_id: agent, run_id: runId, effect_key: effectKey }) =>
        effectIdOf({ agentId: agent, runId, effectKey }) === effectId,
    );
    if (!own.some((attempt) => attempt.progress === 'in-flight' && attempt.decision === null))
      throw new Error(`${target} left without a record of it.`);
    if (own.some((attempt) => attempt.outcome !== null && attempt.outcome.includes('"success"')))
      throw new Error(`${target} left although it was recorded as done.`);
  }
}
