import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CRASH_POINTS } from '../../src/main/host/crash-points.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { Random } from '../harness/random.ts';
import { OutsideWorld } from './outside-world.ts';
import { Person } from './person.ts';
import { RUNS_PER_AGENT, SOAK_TTL_MS, STEPS, pathOf, writeAgent } from './soak-agent.ts';
import type { SoakAgent } from './soak-agent.ts';
import { SoakHost } from './soak-host.ts';

/** How many agents work at one time. */
const AGENTS = 9;
/** How long everything may take to come to rest once nobody is killed any more, ms. */
const REST_LIMIT_MS = 120_000;
/** How long one pair of profiles is used: a host that was killed checks its whole record when it starts. */
const PART_MINUTES = 30;
/** A journal is checked link by link after every so many lives. */
const VERIFY_EVERY = 10;

/** What a soak did and saw. */
interface SoakFigures {
  readonly kills: number;
  readonly freezes: number;
  /** Grants after a holder that had not released. */
  readonly takeovers: number;
  readonly runs: number;
  readonly effects: number;
  /** Unclear effects that a person met. */
  readonly 'needs you': number;
  readonly decisions: number;
  /** Acknowledged runs that are not in the record, and effects that were recorded as done and are not. */
  readonly lost: number;
  /** Effects done more often than once and once for each approval. */
  readonly doubled: number;
}

/** `failures` has a sentence for everything that must not be. */
interface SoakReport {
  readonly figures: SoakFigures;
  readonly failures: readonly string[];
}

interface RunRow {
  readonly run_id: string;
  readonly agent_id: string;
  readonly phase: string;
  readonly ending: string | null;
  readonly input: string;
}

const RUNS = 'SELECT run_id, agent_id, phase, ending, input FROM runs';
const TAKEOVERS = `SELECT count(*) AS count FROM ops WHERE kind = 'lease.acquired' AND json_extract(payload, '$.holdOffMs') > 0`;

/**
 * Two real hosts on one register, killed and frozen at random for some minutes, and their effects counted outside. A long
 * soak begins anew with fresh profiles now and then; it ends with the first part in which something is wrong.
 */
export async function soak(minutes: number, seed: number): Promise<SoakReport> {
  let report = await soakOnce(Math.min(minutes, PART_MINUTES), seed);
  for (let done = PART_MINUTES; done < minutes && report.failures.length === 0; done += PART_MINUTES) {
    const next = await soakOnce(Math.min(minutes - done, PART_MINUTES), seed + done);
    report = { figures: sumOf(report.figures, next.figures), failures: next.failures };
  }
  return report;
}

async function soakOnce(minutes: number, seed: number): Promise<SoakReport> {
  const world = await OutsideWorld.start(new Random(seed, 'world'));
  const all = new Soak(world, seed);
  try {
    return await all.run(minutes * 60_000);
  } finally {
    await all.close();
    await world.close();
  }
}

function sumOf(one: SoakFigures, other: SoakFigures): SoakFigures {
  return {
    kills: one.kills + other.kills,
    freezes: one.freezes + other.freezes,
    takeovers: one.takeovers + other.takeovers,
    runs: one.runs + other.runs,
    effects: one.effects + other.effects,
    'needs you': one['needs you'] + other['needs you'],
    decisions: one.decisions + other.decisions,
    lost: one.lost + other.lost,
    doubled: one.doubled + other.doubled,
  };
}

class Soak {
  readonly #world: OutsideWorld;
  readonly #seed: number;
  readonly #registerFolder = temporaryFolder();
  readonly #hosts: readonly SoakHost[];
  readonly #person: Person;
  readonly #failures: string[] = [];
  readonly #agents: SoakAgent[];
  #agentsMade = 0;
  #freezes = 0;
  #triggered = 0;
  #isOver = false;
  #isAtRest = false;

  constructor(world: OutsideWorld, seed: number) {
    this.#world = world;
    this.#seed = seed;
    this.#person = new Person(new Random(seed, 'person'), world);
    const registerFile = join(this.#registerFolder, 'register.sqlite');
    this.#hosts = ['anna', 'ben'].map((name) => new SoakHost(name, registerFile));
    this.#agents = Array.from({ length: AGENTS }, () => this.#nextAgent());
  }

  async run(forMs: number): Promise<SoakReport> {
    const attending = this.#hosts.map((host) => this.#person.attend(host, () => this.#isAtRest));
    const living = this.#hosts.map((host) => this.#live(host, new Random(this.#seed, host.name)));
    const triggering = this.#trigger(new Random(this.#seed, 'trigger'));
    await Promise.race([setTimeout(forMs), ...living]);
    this.#isOver = true;
    await Promise.all([...living, triggering]);
    await this.#comeToRest();
    this.#isAtRest = true;
    await Promise.all(attending);
    return this.#report();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#isAtRest = true;
    await Promise.all(this.#hosts.map((host) => host.kill()));
    // What something went wrong in is kept, to be looked at.
    if (this.#failures.length > 0) return;
    const folders = [this.#registerFolder, ...this.#hosts.map((host) => host.profileFolder)];
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }

  #nextAgent(): SoakAgent {
    this.#agentsMade += 1;
    return writeAgent(this.#agentsMade, this.#world.origin);
  }

  /** One host: lives of a few seconds, most of which end with a kill in the middle of its work. */
  async #live(host: SoakHost, random: Random): Promise<void> {
    for (let life = 1; !this.#isOver; life += 1) {
      const crashAt = random.chance(0.3) ? random.pick(CRASH_POINTS) : undefined;
      const freezeAt = crashAt === undefined && random.chance(0.3) ? random.pick(CRASH_POINTS) : undefined;
      const of = { ...(crashAt === undefined ? {} : { crashAt }), ...(freezeAt === undefined ? {} : { freezeAt }) };
      if (await host.start(of)) await this.#disturb(host, random);
      await host.kill();
      const wrong = life % VERIFY_EVERY === 0 ? host.verify() : null;
      if (wrong !== null) this.#failures.push(wrong);
    }
  }

  /** Some seconds of work, perhaps with a freeze for longer than its leases last; also the end of one that it began itself. */
  async #disturb(host: SoakHost, random: Random): Promise<void> {
    await this.#alive(host, random.between(1_500, 5_500));
    if (random.chance(0.3) && host.process !== null) {
      this.#freezes += 1;
      host.process.kill('SIGSTOP');
      await this.#alive(host, SOAK_TTL_MS + random.between(300, 2_500));
    }
    host.process?.kill('SIGCONT');
    await this.#alive(host, random.between(0, 2_000));
  }

  /** Waits, but not for a host that is gone. */
  async #alive(host: SoakHost, ms: number): Promise<void> {
    const gone = host.process?.exited ?? Promise.resolve();
    await Promise.race([setTimeout(ms), gone]);
  }

  /** The same occurrences on both hosts, and some on one of them alone. */
  async #trigger(random: Random): Promise<void> {
    while (!this.#isOver) {
      await setTimeout(random.between(100, 700));
      const index = random.below(this.#agents.length);
      const agent = this.#agents[index];
      if (agent === undefined) continue;
      this.#triggered += 1;
      const requestId = `occurrence-${this.#triggered}`;
      const hosts = random.chance(0.6) ? this.#hosts : [random.pick(this.#hosts)];
      for (const host of hosts) void host.trigger(agent, requestId);
      agent.runs += 1;
      if (agent.runs >= RUNS_PER_AGENT) this.#agents[index] = this.#nextAgent();
    }
  }

  /**
   * Nothing is killed any more, and the person decides whatever is left. Then every run has to end. A host keeps the right to
   * act while one of its effects waits for a person, so with one left undecided the other host's runs would wait as well.
   */
  async #comeToRest(): Promise<void> {
    this.#person.answersAll = true;
    for (const host of this.#hosts) await host.start();
    const until = performance.now() + REST_LIMIT_MS;
    for (;;) {
      const runs = (await Promise.all(this.#hosts.map((host) => host.rows<RunRow>(RUNS)))).flat();
      const open = runs.filter((run) => run.ending === null);
      if (open.length === 0) return;
      if (performance.now() > until) {
        const shown = open.slice(0, 5).map(({ run_id, agent_id, phase }) => `${agent_id} ${run_id} ${phase}`);
        const folders = this.#hosts.map((host) => host.profileFolder);
        this.#failures.push(`${open.length} runs do not end: ${shown.join('; ')} (in ${folders.join(', ')})`);
        return;
      }
      await setTimeout(500);
    }
  }

  async #report(): Promise<SoakReport> {
    let lost = 0;
    let takeovers = 0;
    const runIds = new Set<string>();
    for (const host of this.#hosts) {
      const runs = await host.rows<RunRow>(RUNS);
      lost += this.#missing(host, runs) + this.#undone(host, runs);
      takeovers += (await host.rows<{ count: number }>(TAKEOVERS))[0]?.count ?? 0;
      for (const { run_id } of runs) runIds.add(run_id);
      const wrong = await host.end();
      if (wrong !== null) this.#failures.push(wrong);
    }
    const { doubled } = this.#world;
    this.#failures.push(...doubled.map((each) => `Done too often: ${JSON.stringify(each)}`));
    return {
      figures: {
        kills: this.#hosts.reduce((sum, host) => sum + host.kills, 0),
        freezes: this.#freezes,
        takeovers,
        runs: runIds.size,
        effects: this.#world.effects,
        'needs you': this.#person.needsYou,
        decisions: this.#person.decisions,
        lost,
        doubled: doubled.length,
      },
      failures: this.#failures,
    };
  }

  /** Runs that a host had acknowledged and does not know any more. */
  #missing(host: SoakHost, runs: readonly RunRow[]): number {
    const known = new Set(runs.map((run) => run.run_id));
    const missing = [...host.acknowledged].filter((runId) => !known.has(runId));
    this.#failures.push(...missing.map((runId) => `${host.name} has lost the run ${runId}.`));
    return missing.length;
  }

  /** Effects of runs that ended well and that nobody received. */
  #undone(host: SoakHost, runs: readonly RunRow[]): number {
    const paths = runs.flatMap(({ ending, agent_id, input }) => {
      const { occurrence } = JSON.parse(input) as { occurrence: string };
      return ending === 'done' ? STEPS.map((step) => pathOf(agent_id, occurrence, step)) : [];
    });
    const undone = paths.filter((path) => this.#world.look(path).done === 0);
    this.#failures.push(...undone.map((path) => `${host.name} says that ${path} was done, and it was not.`));
    return undone.length;
  }
}
