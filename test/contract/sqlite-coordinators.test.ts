import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { AGENT, deviceId, release } from './coordinator-bench.ts';
import { describeCoordinator, describeReboot } from './coordinator-conformance.ts';
import type { RaceOrder } from './register-contender.ts';
import { makeEmbeddedBench, makeFileBench } from './sqlite-benches.ts';
import type { SqliteBench } from './sqlite-benches.ts';

describeCoordinator('the embedded register', makeEmbeddedBench);
describeCoordinator('the register file', makeFileBench);
describeReboot('the embedded register', makeEmbeddedBench);
describeReboot('the register file', makeFileBench);

const PROCESSES = 4;
const CONTENDERS = 12;
const RACES = 200;

describe('the register file, between processes', () => {
  let bench: SqliteBench;
  let children: ChildProcess[] = [];

  beforeEach(async () => {
    bench = await makeFileBench();
    children = Array.from({ length: PROCESSES }, (_, index) => startContenders(bench.file, index));
    await Promise.all(children.map((child) => messageOf(child)));
  });

  afterEach(async () => {
    const living = children.filter((child) => child.exitCode === null && child.signalCode === null);
    await Promise.all(living.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
    await bench.close();
  });

  // kubernetes/kubernetes#67651
  it('has one winner among 12 contenders in 4 processes, in each of 200 races', async () => {
    const winners = new Set<number>();
    for (let race = 1; race <= RACES; race++) {
      const order: RaceOrder = { agent: AGENT, nonce: `race-${race}` };
      const answers = await Promise.all(children.map((child) => askAll(child, order)));
      const replies = answers.flat().map((answer) => (answer.ok ? answer.value.reply : answer.error));
      const granted = replies.filter((reply) => 'kind' in reply && reply.kind === 'granted');
      expect(granted, JSON.stringify(replies)).toEqual([
        { kind: 'granted', epoch: race, holdOff: false, isReplay: false },
      ]);
      const winner = replies.findIndex((reply) => 'kind' in reply && reply.kind === 'granted');
      winners.add(Math.floor(winner / (CONTENDERS / PROCESSES)));
      const held = { kind: 'held', holder: `device-${winner}`, epoch: race };
      expect(replies.filter((_, index) => index !== winner)).toEqual(
        Array.from({ length: CONTENDERS - 1 }, () => held),
      );
      const holder = { deviceId: deviceId(`device-${winner}`), epoch: race };
      expect(await release(bench, holder)).toEqual({ kind: 'released', epoch: race });
    }
    expect(winners.size, 'a race that one process always wins is no race').toBeGreaterThan(1);
  });

  it('is made once by 4 processes that start at the same moment', async () => {
    const fresh = Array.from({ length: PROCESSES }, (_, index) =>
      startContenders(join(bench.folder, 'fresh.sqlite'), index),
    );
    children.push(...fresh);
    await Promise.all(fresh.map((child) => messageOf(child)));
    const answers = await Promise.all(fresh.map((child) => askAll(child, { agent: AGENT, nonce: 'first' })));
    const names = answers.flat().map((answer) => (answer.ok ? answer.value.view.coordinator.coordinatorId : 'none'));
    expect(names).toHaveLength(CONTENDERS);
    expect(new Set(names).size, JSON.stringify(answers)).toBe(1);
    expect(names[0]).not.toBe('none');
  });

  it('goes on for the others when one process is killed in the middle of its work', async () => {
    const [victim, ...others] = children;
    if (victim === undefined) throw new Error('There are no processes.');
    for (let race = 1; race <= 5; race++) victim.send({ agent: AGENT, nonce: `flood-${race}` } satisfies RaceOrder);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    bench.clock.pass(15_000);
    const order: RaceOrder = { agent: AGENT, nonce: 'after' };
    const answers = (await Promise.all(others.map((child) => askAll(child, order)))).flat();
    expect(
      answers.every((answer) => answer.ok),
      JSON.stringify(answers),
    ).toBe(true);
  });
});

function startContenders(file: string, index: number): ChildProcess {
  const each = CONTENDERS / PROCESSES;
  const program = fileURLToPath(new URL('register-contender.ts', import.meta.url));
  return fork(program, [file, String(index * each), String(each)], { execArgv: [] });
}

/** The child's next message; fails if it ends first. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => {
    throw new Error(`A contender ended with ${String(code ?? killedBy)}.`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as unknown[];
    return message;
  } finally {
    ended.catch(() => undefined);
    waiting.abort();
  }
}

async function askAll(child: ChildProcess, order: RaceOrder): Promise<Result<RegisterAnswer, Problem>[]> {
  const answered = messageOf(child);
  child.send(order);
  return (await answered) as Result<RegisterAnswer, Problem>[];
}
