import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HostBench } from '../../src/main/host/testing/host-bench.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { quietly } from './steady-time.ts';
import { twoSends } from './strategies.ts';

/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;
const PARTS = ['', '-wal', '-shm'];

/** A backup of the register as somebody would take it: all of its files, as they are. */
function copyRegister(from: string, to: string): void {
  for (const part of PARTS) {
    rmSync(`${to}${part}`, { force: true });
    if (existsSync(`${from}${part}`)) copyFileSync(`${from}${part}`, `${to}${part}.new`);
    if (existsSync(`${to}${part}.new`)) renameSync(`${to}${part}.new`, `${to}${part}`);
  }
}

// etcd-io/etcd#16028, kubernetes/kubernetes#118501 and #38341, sorintlab/stolon#514.
describe('an older register that is put back in the middle of a run', () => {
  it('is believed: its next grant is an epoch that was used before, and what was done is done again', async () => {
    const receiver = await Receiver.start();
    const [profileFolder, registerFolder] = [temporaryFolder(), temporaryFolder()];
    const registerFile = join(registerFolder, 'register.sqlite');
    const backup = join(registerFolder, 'backup');
    const text = twoSends('restored', receiver.origin);
    const first = await HostBench.start(profileFolder, registerFile);
    const agentId = await first.agent(text);
    copyRegister(registerFile, backup);
    expect(await first.ended(await first.run(agentId, 'before'))).toBe('done');
    first.at('after-settle', () => copyRegister(backup, registerFile));
    const runId = await first.run(agentId, 'during');
    await first.until('one more is settled', () => first.count('settle.recorded') === 3);
    // The one that is in use is noticed to be gone; the one in its place answers from before all of that, and is not believed.
    await first.until('the alarm is raised', () => first.count('lease.went-back') === 1);
    expect(receiver.hits('/restored/second')).toBe(1);
    expect(first.host.control.coordinatorState().state).toBe('went-back');
    await first.close();
    const second = await HostBench.start(profileFolder, registerFile);
    // The alarm outlasts a restart, until a person has looked.
    expect(second.host.control.coordinatorState().state).toBe('went-back');
    await quietly(QUIET_MS);
    expect(second.look(runId)).toMatchObject({ ending: null, state_id: 'second' });
    expect(receiver.received).toHaveLength(3);
    await second.close();
    await receiver.close();
  });
});
