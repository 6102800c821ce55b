import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreachableProblem } from '../../src/main/coordinators/register-problem.ts';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { err } from '../../src/shared/lib/result.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { MovingDevice, registerAt, until } from './moving-bench.ts';
import type { Fault } from './moving-bench.ts';
import { must } from './sqlite-benches.ts';

describe('a question or an answer that gets lost on the way to a register, once', () => {
  let receiver: Receiver;
  let folder: string;
  let device: MovingDevice | null = null;
  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await device?.vanish();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function runWith(fault: Fault): Promise<void> {
    device = new MovingDevice(join(folder, 'one'), join(folder, 'register.sqlite'), fault);
    await device.start();
    const agentId = await device.agent(twoSteps('mail', receiver.origin));
    const runId = await device.run(agentId, 'press');
    await until('it has ended', () => device?.ending(runId) === 'done');
    expect(device.count('recovery.in-doubt')).toBe(0);
    expect(receiver.received).toHaveLength(2);
    const register = must(await registerAt(join(folder, 'register.sqlite')).open());
    await until('the register has heard of both', async () => {
      const { tail } = must(await register.current(agentId));
      return tail.filter(({ status }) => status === 'committed').length === 2;
    });
    const { tail } = must(await register.current(agentId));
    expect(tail.filter(({ status }) => status === 'open')).toEqual([]);
    await register.close();
  }

  const once = (verb: RegisterVerb['verb'], lost: ReturnType<Fault>): Fault => {
    let isDone = false;
    return (asked) => {
      if (isDone || asked.verb !== verb) return null;
      isDone = true;
      return lost;
    };
  };

  it('lets a person be asked about an attempt that never left: the answer to its announce', async () => {
    await runWith(once('announce', 'lose-answer'));
  });

  it('leaves what was done open for whoever comes next: how it ended', async () => {
    await runWith(once('settle-tail', err(unreachableProblem('Lost.'))));
  });
});
