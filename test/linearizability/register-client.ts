// A client process: asks one register about some agents, as fast as it answers, and writes down what it saw.
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { HostClock } from '../../src/main/host/clock.ts';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { Random } from '../harness/random.ts';
import { answeredBy, machineMs } from './history.ts';
import type { Answered, Call } from './history.ts';
import { Moves } from './moves.ts';
import { Recorder } from './recording.ts';
import { createSteppedClock } from './stepped-clock.ts';
import type { Boot } from './stepped-clock.ts';

/** Where a client finds the register. The module that it loads exports `openCoordinator`. */
export interface OpenOptions {
  /** Whatever the register's own harness understands: a file, a folder, an address. */
  readonly place: string;
  readonly clock: HostClock;
  /** Which defect a defective driver shows; honest drivers have none. */
  readonly variant: string | null;
}

export type OpenCoordinator = (options: OpenOptions) => Promise<LeaseCoordinator>;

/** How a client is started. */
export interface ClientOptions {
  readonly module: string;
  readonly place: string;
  readonly variant: string | null;
  readonly recordings: string;
  readonly client: number;
  /** Counts the starts of this client. */
  readonly life: number;
  readonly lanes: number;
  readonly seed: number;
  readonly boot: Boot;
}

export type ClientOrder =
  | { readonly kind: 'round'; readonly round: number; readonly agents: readonly string[]; readonly endsAtMs: number }
  | { readonly kind: 'step'; readonly wallMs: number; readonly monotonicMs: number };

/** Told to the parent. */
export type ClientNotice = { readonly kind: 'ready' } | { readonly kind: 'done'; readonly round: number };

type AskCall = Exclude<Call, { verb: 'reboot' }>;

const options = JSON.parse(process.argv[2] ?? '{}') as ClientOptions;
const name = `${options.client}-${options.life}`;
const clock = createSteppedClock(options.boot);
const { openCoordinator } = (await import(options.module)) as { openCoordinator: OpenCoordinator };
const coordinator = await openCoordinator({ place: options.place, clock, variant: options.variant });
const recorder = new Recorder(options.recordings, name);

async function round({ agents, endsAtMs, round: number }: Extract<ClientOrder, { kind: 'round' }>): Promise<void> {
  await Promise.all(Array.from({ length: options.lanes }, (_, lane) => runLane(lane, agents, endsAtMs)));
  tell({ kind: 'done', round: number });
}

/** One caller: one question at a time, about one agent after another. */
async function runLane(lane: number, agents: readonly string[], endsAtMs: number): Promise<void> {
  const random = new Random(options.seed, `${name}.${lane}.${agents.join()}`);
  const moves = agents.map((agentId) => {
    const deviceId = `device-${options.client}-${lane}`;
    return { agentId, moves: new Moves({ agentId, deviceId, name: `${name}.${lane}`, random }) };
  });
  while (machineMs() < endsAtMs) {
    const { agentId, moves: mind } = random.pick(moves);
    const call = mind.next();
    const answer = await perform(random, { lane, agentId, call });
    if (answer !== null) mind.learn(call, answer);
    // A holder has work to do, the others look in now and then. Orders of the parent arrive only between turns.
    if (random.chance(mind.isHolder ? 0.7 : 0.3)) await setImmediate();
    else await setTimeout(random.between(0, mind.isHolder ? 6 : 45));
  }
}

interface Question {
  readonly lane: number;
  readonly agentId: string;
  readonly call: AskCall;
}

/** Now and then a question or an answer is lost or late on its way, as between machines. `null`: nobody knows. */
async function perform(random: Random, question: Question): Promise<Answered | null> {
  const invokeMs = machineMs();
  const number = recorder.asked({ ms: invokeMs, ...question });
  const fate = question.call.verb === 'current' ? 1 : random.next();
  if (fate < 0.01) return null;
  if (fate < 0.03) {
    void setTimeout(random.between(1, 150)).then(() => ask(question));
    return null;
  }
  const answer = await ask(question);
  const returnMs = machineMs();
  if (answer === null || fate < 0.05) return null;
  recorder.answered(number, returnMs, answer);
  return answer;
}

async function ask({ agentId, call }: Question): Promise<Answered | null> {
  const agent = agentId as AgentId;
  const asked = call.verb === 'current' ? await coordinator.current(agent) : await coordinator.ask(agent, call);
  return asked.ok ? answeredBy(asked.value) : null;
}

function tell(notice: ClientNotice): void {
  process.send?.(notice);
}

process.on('message', (message) => {
  const order = message as ClientOrder;
  if (order.kind === 'step') clock.step(order);
  else void round(order);
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'ready' });
