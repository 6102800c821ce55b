import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import type { AgentId, AttemptToken, DeviceId, EffectKey, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import { must } from '../contract/sqlite-benches.ts';
import { registerFileOf } from './check-image.ts';
import type { Random } from '../harness/random.ts';
import type { SayMark } from './watch-store.ts';

const AGENTS = ['agent-1', 'agent-2', 'agent-3'] as AgentId[];
const DEVICES = ['anna', 'ben'] as DeviceId[];
const TTL_MS = 15_000;
/** How many verbs pass between two times that the log is brought into the file. */
const CHECKPOINT_VERBS = 23;

/** Two hosts that share a register on a file of its own, and ask it everything it can be asked. */
export async function liveAsRegister(of: { root: string; say: SayMark; random: Random; verbs: number }): Promise<void> {
  const { say, random } = of;
  const clock = createFakeClock();
  const file = registerFileOf(of.root);
  const hosts = DEVICES.map((deviceId) => ({ deviceId, register: must(openFileCoordinator({ file, clock })) }));
  say({ fact: 'device', deviceId: 'register' });
  const views = new Map<AgentId, RegisterView>();
  for (let asked = 0; asked < of.verbs; asked += 1) {
    const agentId = AGENTS[random.below(AGENTS.length)] ?? 'agent-1';
    const host = hosts[random.below(hosts.length)];
    if (host === undefined) continue;
    clock.pass(random.chance(0.05) ? TTL_MS + 1_000 : random.below(2_000));
    const verb = nextVerb(views.get(agentId as AgentId) ?? null, { deviceId: host.deviceId, asked, random });
    const answer = must(await host.register.ask(agentId as AgentId, verb));
    views.set(agentId as AgentId, answer.view);
    const { lease, epoch, remainingMs, frontier, tail } = answer.view;
    const expiresMs = remainingMs > 0 ? clock.instant().bootMs + remainingMs : 0;
    const row = { agentId, epoch, expiresMs, frontier, holder: lease?.holder ?? null, nonce: lease?.nonce ?? null };
    const entries = tail.map(({ effect, attemptToken, status, deviceId, seq }) => ({
      effect,
      attemptToken,
      status,
      deviceId,
      seq,
    }));
    say({ fact: 'register', row: { ...row, tail: entries } });
    if (asked % CHECKPOINT_VERBS === 0) checkpoint(file);
  }
  for (const { register } of hosts) await register.close();
}

/** What a host would sensibly ask next, and now and then something that must be refused. */
function nextVerb(
  view: RegisterView | null,
  of: { readonly deviceId: DeviceId; readonly asked: number; readonly random: Random },
): RegisterVerb {
  const { deviceId, asked, random } = of;
  const lease = view?.lease ?? null;
  const isMine = lease !== null && lease.holder === deviceId && (view?.remainingMs ?? 0) > 0;
  if (!isMine && random.chance(0.8)) return { verb: 'acquire', deviceId, nonce: `nonce-${asked}`, ttlMs: TTL_MS };
  const claim = { deviceId, epoch: view?.epoch ?? 1 };
  const open = view?.tail.filter((entry) => entry.status === 'open') ?? [];
  const settled = view?.tail.filter((entry) => entry.seq !== null && entry.deviceId === deviceId) ?? [];
  const kind = random.below(10);
  if (kind < 3) return { verb: 'renew', nonce: lease?.nonce ?? 'none', ...claim };
  if (kind === 3) return { verb: 'release', pendingClaims: 0, isHoldOffOver: random.chance(0.5), ...claim };
  const [entry] = open;
  if (kind < 7 && entry !== undefined) {
    const status = random.chance(0.7) ? 'committed' : 'failed';
    const { effect, attemptToken } = entry;
    return { verb: 'settle-tail', effect, attemptToken, status, opId: `op-${asked}`, seq: asked + 1, ...claim };
  }
  if (kind === 7 && settled.length > 3) return { verb: 'prune-tail', uptoSeq: settled[1]?.seq ?? 0, ...claim };
  const effect = {
    agentId: AGENTS[0] ?? ('agent-1' as AgentId),
    runId: 'run-1' as RunId,
    effectKey: `key-${asked}` as EffectKey,
  };
  const announced = { effect, attemptToken: `try-${asked}` as AttemptToken, digest: `digest-${asked}` };
  return { verb: 'announce', entry: announced, permit: null, ...claim };
}

/** With a connection of its own, as any process that comes and goes does it. */
function checkpoint(file: string): void {
  const db = openSqlite(file, { mustExist: true });
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
