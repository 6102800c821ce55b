import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unreachableProblem } from '../../src/main/coordinators/register-problem.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { err } from '../../src/shared/lib/result.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { MovingDevice, registerAt, until } from './moving-bench.ts';
import { must } from './sqlite-benches.ts';

const TTL_MS = 3_000;
let receiver: Receiver;
let folder: string;
let made: MovingDevice[] = [];

beforeEach(async () => {
  receiver = await Receiver.start();
  folder = temporaryFolder();
  made = [];
});
afterEach(async () => {
  for (const each of made) await each.vanish();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const oldFile = (): string => join(folder, 'old.sqlite');
const newFile = (): string => join(folder, 'new.sqlite');

async function device(name: string): Promise<MovingDevice> {
  const started = new MovingDevice(join(folder, name), oldFile());
  made.push(started);
  await started.start();
  return started;
}

function oneSend(agentId: string, effect = 'kind: blind'): string {
  const url = `${receiver.origin}/${agentId}`;
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
scope: { hosts: ['${new URL(url).host}'] }
leaseTtlMs: ${TTL_MS}
start: send
states:
  send: { type: tool, call: { tool: http.request, method: POST, url: '${url}', timeoutMs: 500 }, effect: { ${effect} }, onSuccess: finish }
  finish: { type: done }
`;
}

async function look(file: string, agentId: AgentId): Promise<RegisterView> {
  const register = must(await registerAt(file).open());
  const view = must(await register.current(agentId));
  await register.close();
  return view;
}

/** Given back, or run out where the machine stood still for longer than the term. */
async function isFree(file: string, agentId: AgentId): Promise<boolean> {
  const { lease, remainingMs } = await look(file, agentId);
  return lease === null || remainingMs === 0;
}

async function ask(file: string, agentId: AgentId, verb: RegisterVerb): Promise<string> {
  const register = must(await registerAt(file).open());
  const { reply } = must(await register.ask(agentId, verb));
  await register.close();
  return reply.kind;
}

const acquire = { verb: 'acquire', deviceId: 'stranger', nonce: 'x', ttlMs: TTL_MS } as unknown as RegisterVerb;

describe('moving to another register', () => {
  it('starts the epochs over, forgets what was announced, or leaves somebody behind who is granted the agent there', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const done = await one.run(agentId, 'press-1');
    await until('it is done', () => one.ending(done) === 'done');
    receiver.behaviour = () => 'hang';
    const unclear = await one.run(agentId, 'press-2');
    await until('it is unclear', () => one.phase(unclear) === 'needs-recovery');
    const before = await look(oldFile(), agentId);
    one.move(newFile());
    expect(await one.moved()).toMatchObject({ state: 'done', agents: [{ agentId, state: 'moved' }] });
    const after = await look(newFile(), agentId);
    expect(after.epoch).toBeGreaterThan(before.epoch);
    expect(after.tail.map((entry) => entry.status)).toEqual(['committed', 'open']);
    expect(await ask(oldFile(), agentId, acquire)).toBe('moved');
    // And it goes on over there.
    receiver.behaviour = () => 'answer';
    const next = await one.run(agentId, 'press-3');
    await until('it is done over there', () => one.ending(next) === 'done');
    expect(receiver.hits('/mail')).toBe(3);
    expect(one.count('lease.went-back')).toBe(0);
  });

  it('lets two devices be the first to hold an agent that nobody has held yet, each at a register of its own', async () => {
    const one = await device('one');
    const two = await device('two');
    const agentId = await one.agent(oneSend('first'));
    await two.agent(oneSend('first'));
    one.move(newFile());
    expect(await one.moved()).toMatchObject({ state: 'done', agents: [{ agentId, state: 'moved' }] });
    expect(await ask(oldFile(), agentId, acquire)).toBe('moved');
    const here = await one.run(agentId, 'press-1');
    await until('it is done over there', () => one.ending(here) === 'done');
    await two.run(agentId, 'press-1');
    await until('the other one knows', () => two.host.state.leases.status(agentId).view?.movedTo !== undefined);
    expect(receiver.hits('/first')).toBe(1);
    two.move(newFile());
    expect(await two.moved()).toMatchObject({ state: 'done', agents: [{ agentId, state: 'moved' }] });
    await until('it hears that it was done', () => two.phase(here) !== 'ready');
    expect(receiver.hits('/first')).toBe(1);
  });

  it('is over with nothing moved where the record is not open at that moment', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const done = await one.run(agentId, 'press-1');
    await until('it is done', () => one.ending(done) === 'done');
    await until('it is given back', () => isFree(oldFile(), agentId));
    // Stands for the moment in which a record is opened again after an error of its disk.
    const isOpen = vi.spyOn(one.store, 'connection').mockReturnValue(null);
    one.move(newFile());
    await until('it waits for the record', () => one.mover.view()?.sentence.includes('record is not open') === true);
    isOpen.mockRestore();
    expect(await one.moved()).toMatchObject({ state: 'done', agents: [{ agentId, state: 'moved' }] });
    expect(await ask(oldFile(), agentId, acquire)).toBe('moved');
  });

  it('cuts off what is on its way', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('slow').replace(', timeoutMs: 500', ''));
    let answer = (): void => undefined;
    receiver.answerAfter = () => new Promise<void>((resolve) => (answer = resolve));
    const arrived = receiver.next(() => true);
    const runId = await one.run(agentId, 'press-1');
    await arrived;
    one.move(newFile());
    await until('it drains', () => one.mover.view()?.agents[0]?.state === 'drains');
    expect((await look(oldFile(), agentId)).movedTo).toBeUndefined();
    answer();
    expect((await one.moved()).state).toBe('done');
    await until('it is done', () => one.ending(runId) === 'done');
    expect(receiver.hits('/slow')).toBe(1);
  });

  it.each([
    { part: 'given up', verb: 'retire', fault: 'lose-answer' },
    { part: 'taken in', verb: 'adopt', fault: 'lose-answer' },
    { part: 'taken in', verb: 'adopt', fault: 'lose-question' },
  ] as const)('is torn when the host is gone before it knows that it was $part ($fault)', async ({ verb, fault }) => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const first = await one.run(agentId, 'press-1');
    await until('it is done', () => one.ending(first) === 'done');
    let met = (): void => undefined;
    const isMet = new Promise<void>((resolve) => (met = resolve));
    const answerOf = (asked: RegisterVerb) => {
      if (asked.verb !== verb) return null;
      met();
      return fault === 'lose-answer' ? ('lose-answer' as const) : err(unreachableProblem('Lost.'));
    };
    if (verb === 'retire') {
      const lossy = registerAt(oldFile(), answerOf);
      await one.current.change({ name: 'Old', identity: null, open: () => lossy.open() }, must(await lossy.open()));
      one.move(newFile());
    } else {
      one.move(newFile(), answerOf);
    }
    await isMet;
    await one.vanish();
    expect(await ask(oldFile(), agentId, acquire), 'nobody acts under the old one any more').toBe('moved');
    const again = await device('one');
    const waiting = await again.run(agentId, 'press-2');
    again.move(newFile());
    expect(await again.moved()).toMatchObject({ state: 'done', agents: [{ state: 'moved' }] });
    await until('it is done over there', () => again.ending(waiting) === 'done');
    expect((await look(newFile(), agentId)).tail).toHaveLength(2);
    expect(receiver.hits('/mail')).toBe(2);
  });

  it('takes an agent from another device that acts for it', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const runId = await one.run(agentId, 'press-1');
    await until('it is done', () => one.ending(runId) === 'done');
    await until('it is let go', () => isFree(oldFile(), agentId));
    const other = must(await registerAt(oldFile()).open());
    const held = must(await other.ask(agentId, { ...acquire, ttlMs: 60_000 } as RegisterVerb));
    one.move(newFile());
    await until('it waits', () => one.mover.view()?.agents[0]?.state === 'held-elsewhere');
    expect((await look(oldFile(), agentId)).lease?.holder).toBe('stranger');
    const { epoch } = held.view;
    const release = { verb: 'release', deviceId: 'stranger', epoch, pendingClaims: 0, isHoldOffOver: true };
    must(await other.ask(agentId, release as unknown as RegisterVerb));
    await other.close();
    expect((await one.moved()).state).toBe('done');
  });

  it('leaves another device to act under the old one, untold, or takes the agent from whoever followed first', async () => {
    const [one, two] = [await device('one'), await device('two')];
    const agentId = await one.agent(oneSend('mail'));
    await two.agent(oneSend('mail'));
    const first = await one.run(agentId, 'press-1');
    await until('it is done', () => one.ending(first) === 'done');
    await until('it is let go', () => isFree(oldFile(), agentId));
    const second = await two.run(agentId, 'press-2');
    await until('it is done there too', () => two.ending(second) === 'done');
    one.move(newFile());
    expect((await one.moved()).state).toBe('done');
    const stranded = await two.run(agentId, 'press-3');
    await until('it is told', () => two.count('lease.moved-away') === 1);
    expect(two.ending(stranded)).toBeNull();
    expect(two.rows(`SELECT reason FROM refusals WHERE word = 'lease'`)).toEqual([{ reason: 'moved-away' }]);
    const moved = await look(newFile(), agentId);
    two.move(newFile());
    expect((await two.moved()).state).toBe('done');
    await until('it goes on over there', () => two.ending(stranded) === 'done');
    expect(two.rows('SELECT max(epoch) AS epoch FROM high_water')).toEqual([{ epoch: moved.epoch + 1 }]);
    expect(receiver.hits('/mail')).toBe(3);
  });

  it('sends something while the new register cannot be reached, or cannot be left off', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const nowhere = unreachableProblem('It is not there.');
    const open = () => Promise.resolve(err(nowhere));
    must(one.mover.start({ name: 'New', identity: null, open, by: 'Test', keep: () => Promise.resolve(err(nowhere)) }));
    const waiting = await one.run(agentId, 'press-1');
    await until('it waits', () => one.mover.view()?.sentence.includes('It is not there') === true);
    expect(receiver.hits('/mail')).toBe(0);
    await one.mover.cancel();
    expect(one.mover.view()?.state).toBe('cancelled');
    await until('it goes on where it was', () => one.ending(waiting) === 'done');
  });
});

describe('a person and the right to act', () => {
  it('takes an agent over that changed hands since, lets it act at once, or cannot take it over', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const other = must(await registerAt(oldFile()).open());
    must(await other.ask(agentId, { ...acquire, ttlMs: 60_000 } as RegisterVerb));
    await other.close();
    const runId = await one.run(agentId, 'press-1');
    const press = { agentId, ttlMs: undefined, by: 'Test' };
    expect(await one.control.takeOver({ ...press, seenEpoch: 7 })).toMatchObject({ error: { code: 'changed' } });
    const taken = must(await one.control.takeOver({ ...press, seenEpoch: 1 }));
    expect(taken.waitsMs).toBe(3_500);
    expect(one.ending(runId)).toBeNull();
    await until('it is done', () => one.ending(runId) === 'done');
    expect(one.rows(`SELECT json_extract(payload, '$.by') AS by FROM ops WHERE kind = 'lease.acquired'`)).toEqual([
      { by: 'Test' },
    ]);
  });

  it('is not waited for although the agent is never taken over automatically', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    must(await one.control.setTakeover({ agentId, takeover: 'by-person', by: 'Test' }));
    const other = must(await registerAt(oldFile()).open());
    must(await other.ask(agentId, { ...acquire, ttlMs: 1 } as RegisterVerb));
    await other.close();
    const runId = await one.run(agentId, 'press-1');
    await until('the lease has run out', async () => (await look(oldFile(), agentId)).remainingMs === 0);
    await until('it is looked at', () => one.control.leaseStatus(agentId).view?.remainingMs === 0);
    expect(one.control.leaseStatus(agentId).held).toBeNull();
    must(await one.control.takeOver({ agentId, seenEpoch: 1, ttlMs: TTL_MS, by: 'Test' }));
    await until('it is done', () => one.ending(runId) === 'done');
  });

  it('cannot raise a register that went back, or raises one that did not', async () => {
    const one = await device('one');
    const agentId = await one.agent(oneSend('mail'));
    const first = await one.run(agentId, 'press-1');
    await until('it is done', () => one.ending(first) === 'done');
    expect(await one.control.bump(agentId, 'Test')).toMatchObject({ error: { code: 'not-offered' } });
    await until('it is let go', () => isFree(oldFile(), agentId));
    await one.store.write(({ journal }) =>
      journal.append('lease.observed', { agentId, epoch: 40, ...one.current.identity }),
    );
    const waiting = await one.run(agentId, 'press-2');
    await until('the alarm is raised', () => one.count('lease.went-back') === 1);
    expect(receiver.hits('/mail')).toBe(1);
    must(await one.control.bump(agentId, 'Test'));
    await until('it goes on', () => one.ending(waiting) === 'done');
    expect((await look(oldFile(), agentId)).epoch).toBeGreaterThan(40);
    expect(one.count('lease.bumped')).toBe(1);
  });
});
