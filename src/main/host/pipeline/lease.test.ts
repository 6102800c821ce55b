import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentId, DeviceId } from '../../../shared/contract/identifiers.ts';
import type { ClockReading } from '../../../shared/core/lease/clock.ts';
import type { RegisterReply, RegisterVerb } from '../../../shared/core/lease/register.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Store } from '../../store/store.ts';
import { openStore } from '../../store/testing/store-bench.ts';
import { useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import type { HostPorts } from '../ports.ts';
import { LeaseKeeper } from './lease.ts';

const newFolder = useTemporaryFolders();
const agentId = 'agent' as AgentId;
const REGISTER = { coordinatorId: 'register', incarnation: 'first' };
const TTL_MS = 15_000;

let store: Store;
beforeEach(() => {
  store = openStore(newFolder());
});
afterEach(() => store.close());

it('a lease that is known to be gone comes back with the answer to an earlier renewal', async () => {
  let nowMs = 1_000_000;
  const read = (): ClockReading => ({ wallMs: nowMs, monotonicMs: nowMs, bootMs: nowMs });
  const { promise: renewing, resolve: renew } = Promise.withResolvers<RegisterReply>();
  const ask = async (_: AgentId, { verb }: RegisterVerb) => {
    const granted: RegisterReply = { kind: 'granted', epoch: 1, holdOff: false, isReplay: false };
    const reply = verb === 'renew' ? await renewing : granted;
    const view = { lease: null, remainingMs: 0, epoch: 1, tail: [], frontier: {}, coordinator: REGISTER };
    return ok({ reply, view });
  };
  const keeper = new LeaseKeeper({
    store,
    coordinator: { identity: REGISTER, ask },
    clock: { read, instant: () => ({ bootId: 'boot', bootMs: nowMs }) },
    timers: { nowMs: () => nowMs },
    device: { deviceId: 'laptop' as DeviceId, name: 'laptop' },
    newId: () => 'nonce',
    passed: () => undefined,
  } as unknown as HostPorts);
  expect(await keeper.ensure(agentId, TTL_MS)).toBe(true);
  nowMs += TTL_MS / 2;
  const ensuring = keeper.ensure(agentId, TTL_MS);
  // Meanwhile an announce was refused: the register has gone back, or somebody else holds the agent.
  keeper.forget(agentId);
  renew({ kind: 'renewed' } as RegisterReply);
  expect(await ensuring).toBe(false);
  expect(keeper.held(agentId)).toBeNull();
});
