import type { RegisterVerb } from '../src/shared/core/lease/register.ts';
import type { AgentId, AttemptToken, DeviceId, EffectKey, RunId } from '../src/shared/contract/identifiers.ts';
import { openHubCoordinator } from '../src/main/coordinators/hub/hub-coordinator.ts';
import { pairWithHub, readHubSecrets } from '../src/main/coordinators/hub/pair-with-hub.ts';
import type { LeaseCoordinator } from '../src/main/coordinators/lease-coordinator.ts';
import type { Problem } from '../src/shared/contract/errors.ts';
import { ok } from '../src/shared/lib/result.ts';
import type { Result } from '../src/shared/lib/result.ts';
import { HubProcess } from '../test/harness/hub-in-terminal.ts';
import type { Measured } from './coordinators.ts';
import { figure } from './measure.ts';
import type { Samples } from './measure.ts';

const IN_FLIGHT = 64;
/** Announces in a round, so many for each agent: the tail of an agent at work is short. */
const COUNT = 12_800;
export const ANNOUNCES_PER_AGENT = 10;
const DEVICE = 'bench-device' as DeviceId;

/** The value, or the end of the benchmark. */
export function must<Value>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** Acquires an agent that nobody had before. */
async function take(coordinator: LeaseCoordinator, agentId: AgentId): Promise<number> {
  const verb: RegisterVerb = { verb: 'acquire', deviceId: DEVICE, nonce: agentId, ttlMs: 600_000 };
  const { reply } = must(await coordinator.ask(agentId, verb));
  if (reply.kind !== 'granted') throw new Error(`Not granted: ${JSON.stringify(reply)}`);
  return reply.epoch;
}

/** The announce of the n-th effect of an agent. */
function announceOf(agentId: AgentId, epoch: number, n: number): RegisterVerb {
  const effect = { agentId, runId: `run-${n}` as RunId, effectKey: 'send#1' as EffectKey };
  const entry = { effect, attemptToken: `attempt-${n}` as AttemptToken, digest: 'd'.repeat(64) };
  return { verb: 'announce', deviceId: DEVICE, epoch, entry, permit: null };
}

/** Announces one after the other, with a new agent after every few; `agentId` is the one at work. */
export function announcing(coordinator: LeaseCoordinator): {
  readonly announce: () => Promise<void>;
  readonly agentId: () => AgentId;
} {
  let agents = 0;
  let agentId = 'none' as AgentId;
  let epoch = 0;
  let done = 0;
  return {
    agentId: () => agentId,
    async announce() {
      if (done % ANNOUNCES_PER_AGENT === 0) {
        agentId = `bench-${(agents += 1)}` as AgentId;
        epoch = await take(coordinator, agentId);
      }
      done += 1;
      must(await coordinator.ask(agentId, announceOf(agentId, epoch, done)));
    },
  };
}

/** A hub in a process of its own, and this process as one device with 64 announces on their way at any time. */
export async function measureHub(folder: string): Promise<Measured> {
  const hub = await HubProcess.start(folder);
  const kept = new Map<string, string>();
  const secrets = {
    read: (name: string) => Promise.resolve(kept.get(name) ?? null),
    write: (name: string, value: string) => {
      kept.set(name, value);
      return Promise.resolve(ok(null));
    },
  };
  const paired = must(
    await pairWithHub({
      link: await hub.invite(),
      deviceId: DEVICE,
      name: 'Bench',
      secrets,
      onWords: (words) => void hub.letIn(words),
    }),
  );
  const own = await readHubSecrets(secrets);
  if (own === null) throw new Error('Not paired.');
  const coordinator = must(await openHubCoordinator({ ...paired, ...own, deviceId: DEVICE }));
  let round = 0;
  return {
    steps: [{ name: 'hub', run: () => announceMany(coordinator, (round += 1)) }],
    lines: (of) => {
      const { p50, p99, perSecond } = of('hub');
      return [
        `hub, ${IN_FLIGHT} in flight: ${figure(perSecond)} announces a second, p50 ${figure(p50)} ms, p99 ${figure(p99)} ms; ${figure(perSecond / of('flush').perSecond)} announces for each flush of the disk`,
      ];
    },
    figures: (of) => ({ hubAnnouncesPerSecond: of('hub').perSecond, hubP99Ms: of('hub').p99 }),
    async end() {
      await coordinator.close();
      await hub.stop();
    },
  };
}

async function announceMany(coordinator: LeaseCoordinator, round: number): Promise<Samples> {
  const agents = Array.from(
    { length: COUNT / ANNOUNCES_PER_AGENT },
    (_, index) => `bench-${round}-${index}` as AgentId,
  );
  const epochs = new Map<AgentId, number>();
  for (let at = 0; at < agents.length; at += IN_FLIGHT) {
    const some = agents.slice(at, at + IN_FLIGHT);
    await Promise.all(some.map(async (agentId) => epochs.set(agentId, await take(coordinator, agentId))));
  }
  const times: number[] = [];
  const startedAt = performance.now();
  const lane = async (first: number): Promise<void> => {
    for (let at = first; at < agents.length; at += IN_FLIGHT) {
      const agentId = agents[at];
      if (agentId === undefined) return;
      for (let n = 0; n < ANNOUNCES_PER_AGENT; n += 1) {
        const before = performance.now();
        const { reply } = must(await coordinator.ask(agentId, announceOf(agentId, epochs.get(agentId) ?? 0, n)));
        times.push(performance.now() - before);
        if (reply.kind !== 'announced') throw new Error(`Not announced: ${JSON.stringify(reply)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, first) => lane(first)));
  return { name: 'hub', times, perSecond: (times.length / (performance.now() - startedAt)) * 1_000 };
}
