import { openFileCoordinator } from '../../../src/main/coordinators/sqlite/file-coordinator.ts';
import type { LeaseCoordinator, RegisterAnswer } from '../../../src/main/coordinators/lease-coordinator.ts';
import type { RegisterView } from '../../../src/shared/core/lease/lease.ts';
import type { HostClock } from '../../../src/main/host/clock.ts';
import { ok } from '../../../src/shared/lib/result.ts';
import type { OpenOptions } from '../register-client.ts';
import { machineMs } from '../history.ts';

/** How long a cached answer is given again, ms. */
const CACHED_MS = 40;

/** Each is a mistake that somebody could make in a driver of a register, and that looks right with one client. */
export const DEFECTS = [
  // nats-io/nats-server#4162
  'current-from-a-cache',
  'renew-without-reading',
  'announce-without-waiting',
  'expiry-by-the-calendar',
  'expiry-by-a-fast-clock',
  'retry-under-a-new-nonce',
] as const;
type Defect = (typeof DEFECTS)[number];

/** The register file behind a driver with one defect. */
export async function openCoordinator({ place, clock, variant }: OpenOptions): Promise<LeaseCoordinator> {
  const defect = DEFECTS.find((each) => each === variant);
  if (defect === undefined) throw new Error(`There is no defect ${variant}.`);
  const opened = openFileCoordinator({ file: place, clock: clockOf(defect, clock) });
  if (!opened.ok) throw new Error(opened.error.message);
  return { ...opened.value, ...membersOf(defect, opened.value) };
}

function clockOf(defect: Defect, clock: HostClock): HostClock {
  const instant = clock.instant.bind(clock);
  if (defect === 'expiry-by-the-calendar') {
    return { ...clock, instant: () => ({ bootId: instant().bootId, bootMs: Date.now() }) };
  }
  if (defect === 'expiry-by-a-fast-clock') {
    return { ...clock, instant: () => ({ bootId: instant().bootId, bootMs: instant().bootMs * 3 }) };
  }
  return clock;
}

function membersOf(defect: Defect, coordinator: LeaseCoordinator): Partial<LeaseCoordinator> {
  if (defect === 'current-from-a-cache') return cachedCurrent(coordinator);
  if (defect === 'renew-without-reading') return blindRenew(coordinator);
  if (defect === 'announce-without-waiting') return hastyAnnounce(coordinator);
  if (defect === 'retry-under-a-new-nonce') return newNonce(coordinator);
  return {};
}

function cachedCurrent(coordinator: LeaseCoordinator): Partial<LeaseCoordinator> {
  const cache = new Map<string, { readonly view: RegisterView; readonly ms: number }>();
  return {
    async current(agentId) {
      const cached = cache.get(agentId);
      if (cached !== undefined && machineMs() - cached.ms < CACHED_MS) return ok(cached.view);
      const asked = await coordinator.current(agentId);
      if (asked.ok) cache.set(agentId, { view: asked.value, ms: machineMs() });
      return asked;
    },
  };
}

/** Believes its last answer for as long as the lease should last. */
function blindRenew(coordinator: LeaseCoordinator): Partial<LeaseCoordinator> {
  const known = new Map<string, { readonly answer: RegisterAnswer; readonly ms: number }>();
  return {
    async ask(agentId, verb) {
      const last = known.get(agentId);
      if (verb.verb === 'renew' && last !== undefined && last.answer.view.lease?.nonce === verb.nonce) {
        const isFresh = machineMs() - last.ms < last.answer.view.remainingMs;
        if (isFresh) return ok({ ...last.answer, reply: { kind: 'renewed' as const, epoch: verb.epoch } });
      }
      const asked = await coordinator.ask(agentId, verb);
      if (asked.ok) known.set(agentId, { answer: asked.value, ms: machineMs() });
      return asked;
    },
  };
}

/** Answers an announce from what it last saw, and sends it afterwards. */
function hastyAnnounce(coordinator: LeaseCoordinator): Partial<LeaseCoordinator> {
  return {
    async ask(agentId, verb) {
      if (verb.verb !== 'announce') return coordinator.ask(agentId, verb);
      const before = await coordinator.current(agentId);
      if (!before.ok) return before;
      const { lease, tail } = before.value;
      const isFree = tail.every((entry) => entry.effect.effectKey !== verb.entry.effect.effectKey);
      const isMine = lease?.holder === verb.deviceId && lease.epoch === verb.epoch;
      if (!isMine || !isFree) return coordinator.ask(agentId, verb);
      setTimeout(() => void coordinator.ask(agentId, verb), 3);
      const { deviceId, epoch, entry } = verb;
      const open = { ...entry, deviceId, epoch, status: 'open' as const, opId: null, seq: null };
      const reply = { kind: 'announced' as const, isReplay: false };
      return ok({ reply, view: { ...before.value, tail: [...tail, open] } });
    },
  };
}

/** A lost answer makes it ask again, as if it had not asked before. */
function newNonce(coordinator: LeaseCoordinator): Partial<LeaseCoordinator> {
  let retries = 0;
  return {
    async ask(agentId, verb) {
      if (verb.verb !== 'acquire' || Math.random() < 0.7) return coordinator.ask(agentId, verb);
      await coordinator.ask(agentId, { ...verb, nonce: `${verb.nonce}-first` });
      retries += 1;
      return coordinator.ask(agentId, { ...verb, nonce: `${verb.nonce}-again-${retries}` });
    },
  };
}
