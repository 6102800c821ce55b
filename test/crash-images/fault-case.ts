import { mkdirSync, rmSync } from 'node:fs';
import { startApplication } from '../../src/main/compose.ts';
import type { RunningHost } from '../../src/main/compose.ts';
import { readAll } from '../../src/main/store/connection.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import { must } from '../contract/sqlite-benches.ts';
import { Receiver } from '../harness/receiver.ts';
import { AcknowledgedFacts } from './acknowledged.ts';
import { checkProfile, checkRegister, registerFileOf } from './check-image.ts';
import type { Finding } from './check-image.ts';
import type { DiskFault, FaultLane } from './fault-lane.ts';

/** What came of it. */
export interface FaultOutcome {
  readonly fault: DiskFault;
  /** Operations of that kind that were seen, and how many of them failed. */
  readonly seen: number;
  readonly fired: number;
  /** Operations seen up to the settlement of the first effect; 0 if it was never settled. */
  readonly seenUntilSettled: number;
  readonly hits: number;
  /** Effects that happened more than once. */
  readonly twice: number;
  /** The host came up, or the run came to its end. */
  readonly isEnded: boolean;
  /** Every code that a caller was answered with. */
  readonly codes: readonly string[];
  readonly findings: readonly Finding[];
}

/** How long anything may take before it counts as hanging, ms. */
const HANG_MS = 10_000;
/** How long a run may take to end or to ask once the disk works again, ms; how long a host that cannot write is watched. */
const REST_LIMIT_MS = 30_000;
const VAIN_LIMIT_MS = 900;
const LOOK_MS = 15;
/** How much faster than the machine's the clocks of the host go: leases have to run out, and be renewed in time as well. */
const CLOCK_RATE = 6;
/** A machine that does something else for longer holds the clock up as well: it is no time that passed between two steps, ms. */
const LONGEST_LEAP_MS = 50;

/** One host with one fault, in a folder and a lane of its own. */
export class FaultCase {
  readonly facts = new AcknowledgedFacts();
  readonly #lane: FaultLane;
  readonly #fault: DiskFault;
  readonly #clock = createFakeClock();
  readonly #codes: string[] = [];
  readonly #findings: Finding[] = [];
  #seenUntilSettled = 0;

  constructor(lane: FaultLane, fault: DiskFault) {
    this.#lane = lane;
    this.#fault = fault;
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder);
  }

  get folder(): string {
    return this.#lane.folder;
  }

  async run(): Promise<FaultOutcome> {
    const receiver = await Receiver.start();
    receiver.behaviour = ({ key }) => {
      if (key !== null) this.facts.note({ fact: 'hit', effectId: key });
      return 'answer';
    };
    try {
      const isEnded = this.#fault.during === 'start' ? await this.#start() : await this.#act(receiver);
      const { seen, fired } = this.#lane.report();
      this.#lane.disarm();
      await this.#checkAfterwards();
      const { fault, facts, ...rest } = { fault: this.#fault, facts: this.facts, isEnded, seen, fired };
      const hits = [...facts.hits.values()].reduce((sum, each) => sum + each, 0);
      const twice = [...facts.hits.values()].filter((each) => each > 1).length;
      const seenUntilSettled = this.#seenUntilSettled;
      return { fault, hits, twice, seenUntilSettled, codes: this.#codes, findings: this.#findings, ...rest };
    } finally {
      await receiver.close();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  #open(): ReturnType<typeof startApplication> {
    const register = this.#fault.kind === 'host' ? {} : { registerFile: registerFileOf(this.folder) };
    const options = { surface: 'browser', version: '0.0.0-test', electronVersion: null, clock: this.#clock } as const;
    return startApplication({ profileFolder: this.folder, ...options, ...register });
  }

  /** Starting: an answer, whatever happens. */
  async #start(): Promise<boolean> {
    this.#lane.arm(this.#fault);
    const started = await this.#inTime('start', this.#open());
    if (started === null) return false;
    if (!started.ok) {
      this.#codes.push(started.error.code);
      return false;
    }
    await this.#inTime('close', started.value.close());
    return true;
  }

  /** One run of two effects. The person who would answer is not there: the run ends, or it asks and waits. */
  async #act(receiver: Receiver): Promise<boolean> {
    const host = must(await this.#open());
    const { control } = host;
    this.facts.note({ fact: 'device', deviceId: control.device.deviceId });
    const saved = must(await control.saveAgent('agent.yaml', twoEffects(receiver.origin)));
    if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
    const agentId = saved.agentId;
    must(await control.authorise(agentId, must(control.previewGrant(agentId)).previewDigest, 'Test'));
    this.#lane.arm(this.#fault);
    await this.#press(host, agentId);
    const isEnded = await this.#watch(host, agentId);
    await this.#askOnceMore(host);
    await this.#inTime('close', host.close());
    return isEnded;
  }

  async #watch(host: RunningHost, agentId: AgentId): Promise<boolean> {
    let last = performance.now();
    let waitedMs = 0;
    let firedAt: number | null = null;
    while (waitedMs < REST_LIMIT_MS) {
      const now = performance.now();
      const passedMs = Math.min(now - last, LONGEST_LEAP_MS);
      this.#clock.pass(Math.round(passedMs * CLOCK_RATE));
      waitedMs += passedMs;
      last = now;
      const [run] = readRun(host, agentId);
      if (this.#seenUntilSettled === 0 && this.#hasSettled()) this.#seenUntilSettled = this.#lane.report().seen;
      if (run !== undefined && run.ending !== null) return true;
      if (run?.phase === 'needs-recovery') return false;
      if (firedAt === null && this.#lane.report().fired > 0) firedAt = now;
      if (this.#fault.isForEver && firedAt !== null && now - firedAt > VAIN_LIMIT_MS) return false;
      // The person sees that it was not written, and presses the same button once more.
      if (host.control.connection() !== null && run === undefined) await this.#press(host, agentId);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    this.#findings.push({ kind: 'refused', text: 'the run neither ended nor asked, although the disk works again' });
    return false;
  }

  async #press(host: RunningHost, agentId: AgentId): Promise<void> {
    const press = host.control.startRun({ agentId, requestId: 'press', input: {}, by: 'Test' });
    const pressed = await this.#inTime('startRun', press);
    if (pressed !== null && !pressed.ok) this.#codes.push(pressed.error.code);
  }

  #hasSettled(): boolean {
    return [...this.facts.operations.values()].some((operation) => operation.kind === 'settle.recorded');
  }

  /** The store answers, with a code while it cannot write. */
  async #askOnceMore(host: RunningHost): Promise<void> {
    const asked = await this.#inTime('write', host.control.setDeviceName('1'));
    if (asked === null) return;
    if (asked.ok) this.facts.note({ fact: 'setting', key: 'device-name', value: '1' });
    else this.#codes.push(asked.error.code);
    if (asked.ok && this.#fault.isForEver && this.#lane.report().fired > 0) {
      this.#findings.push({ kind: 'lost', text: 'a write was acknowledged although every one of them fails' });
    }
  }

  /** The fault is gone: what was acknowledged is there, and nothing has happened twice. */
  async #checkAfterwards(): Promise<void> {
    const isEmbedded = this.#fault.kind === 'host';
    const isRestarted = this.#fault.at % 2 === 0;
    if (!isEmbedded) this.#findings.push(...(await checkRegister(registerFileOf(this.folder), this.facts)));
    this.#findings.push(...checkProfile(this.folder, this.facts, { isRestarted, isEmbedded }));
    for (const [effectId, hits] of this.facts.hits) {
      if (hits > 1) this.#findings.push({ kind: 'verdict', text: `the effect ${effectId} happened ${hits} times` });
    }
  }

  async #inTime<Value>(what: string, work: Promise<Value>): Promise<Value | null> {
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      limit = setTimeout(() => {
        this.#findings.push({ kind: 'refused', text: `${what} gave no answer within ${HANG_MS} ms` });
        resolve(null);
      }, HANG_MS);
    });
    try {
      return await Promise.race([work, late]);
    } catch (cause) {
      this.#findings.push({ kind: 'refused', text: `${what} threw instead of answering: ${String(cause)}` });
      return null;
    } finally {
      clearTimeout(limit);
    }
  }
}

function readRun(host: RunningHost, agentId: AgentId): { phase: string; ending: string | null }[] {
  const connection = host.control.connection();
  if (connection === null) return [];
  try {
    return readAll(connection.db, 'SELECT phase, ending FROM runs WHERE agent_id = ?', agentId);
  } catch {
    // Reading fails together with the disk.
    return [];
  }
}

function twoEffects(origin: string): string {
  const step = (name: string, next: string): string =>
    `  ${name}: { type: tool, call: { tool: http.request, method: POST, url: '${origin}/blind/${name}' }, effect: { kind: blind }, onSuccess: ${next} }`;
  return `fencepost: 1
id: faulty
name: Test
scope: { hosts: ['${new URL(origin).host}'] }
start: first
states:
${step('first', 'second')}
${step('second', 'finish')}
  finish: { type: done }
`;
}
