import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { MovingDevice, until } from './moving-bench.ts';
import { must } from './sqlite-benches.ts';

let receiver: Receiver;
let folder: string;
let device: MovingDevice;
beforeEach(async () => {
  receiver = await Receiver.start();
  folder = temporaryFolder();
  device = new MovingDevice(join(folder, 'one'), join(folder, 'register.sqlite'));
  await device.start();
});
afterEach(async () => {
  await device.vanish();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

it('an alarm, or its end, that comes with the journal of another device is not heard of before the next start', async () => {
  const agentId = await device.agent(twoSteps('mail', receiver.origin));
  const first = await device.run(agentId, 'press-1');
  await until('it is done', () => device.ending(first) === 'done');
  const { leases, ports } = device.host.state;
  const epoch = leases.highWater.seen(agentId)?.epoch ?? 0;
  // The projection does the same with an entry of whichever device.
  const told = { agentId, expectedEpoch: epoch, answeredEpoch: epoch - 1 };
  expect(leases.standing(agentId).kind).toBe('live');
  must(await device.store.write(({ journal }) => journal.append('lease.went-back', told)));
  // What was held is no right to act from then on.
  expect(leases.held(agentId)).toBeNull();
  expect(leases.status(agentId).state).toBe('went-back');
  expect(leases.highWater.isAlarmed).toBe(true);
  const held = await device.run(agentId, 'press-2');
  const raised = { agentId, ...ports.coordinator.identity, epoch, by: 'Ada' };
  must(await device.store.write(({ journal }) => journal.append('lease.bumped', raised)));
  expect(receiver.received).toHaveLength(2);
  expect(leases.status(agentId).state).toBe('ready');
  expect(leases.highWater.isAlarmed).toBe(false);
  await until('it goes on', () => device.ending(held) === 'done');
  expect(receiver.received).toHaveLength(4);
});
