import { afterEach, beforeEach, expect, it } from 'vitest';
import { problem } from '../../shared/contract/errors.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { err } from '../../shared/lib/result.ts';
import { readAll } from '../store/connection.ts';
import type { Store } from '../store/store.ts';
import { connectionOf, openStore } from '../store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { HighWater } from './high-water.ts';
import type { HostPorts } from './ports.ts';

const newFolder = useTemporaryFolders();
const agentId = 'agent' as AgentId;
const REGISTER = { coordinatorId: 'register', incarnation: 'first' };

let store: Store;
beforeEach(() => {
  store = openStore(newFolder());
});
afterEach(() => store.close());

it('a register that went back is told to nobody, because the disk was busy just then', async () => {
  const acquired = { agentId, epoch: 8, ...REGISTER, holdOffMs: 0, previousHolder: null };
  must(await store.write(({ journal }) => journal.append('lease.acquired', acquired)));
  let isBusy = true;
  const ports = {
    store: {
      connection: () => store.connection(),
      write: (job: Parameters<Store['write']>[0]) =>
        isBusy ? Promise.resolve(err(problem('store-busy', 'The disk is busy.'))) : store.write(job),
    },
    coordinator: { identity: REGISTER },
  } as unknown as HostPorts;
  const highWater = new HighWater(ports);
  const told = () => readAll(connectionOf(store).db, "SELECT 1 FROM refusals WHERE reason = 'went-back'").length;
  expect(await highWater.accepts(agentId, { epoch: 7, isReplay: false }, highWater.seen(agentId))).toBe(false);
  expect({ bars: await highWater.bars(agentId), told: told() }).toEqual({ bars: true, told: 0 });
  isBusy = false;
  for (let look = 0; look < 2; look += 1) expect(await highWater.bars(agentId)).toBe(true);
  expect(told()).toBe(1);
});

it('a grant whose answer was late, and which others went on after, is an alarm or a right to act', async () => {
  const highWater = new HighWater({ store, coordinator: { identity: REGISTER } } as unknown as HostPorts);
  const before = highWater.seen(agentId);
  must(await store.write(({ journal }) => journal.append('lease.observed', { agentId, epoch: 6, ...REGISTER })));
  expect(await highWater.accepts(agentId, { epoch: 1, isReplay: false }, before)).toBe(false);
  expect(highWater.wentBack(agentId)).toBe(false);
  // Asked again, the register has to know of it.
  expect(await highWater.accepts(agentId, { epoch: 2, isReplay: false }, highWater.seen(agentId))).toBe(false);
  expect(highWater.wentBack(agentId)).toBe(true);
});
