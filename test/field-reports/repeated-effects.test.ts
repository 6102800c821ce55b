import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/shared/contract/identifiers.ts';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { ShiftedClock } from './device-bench.ts';
import type { Device } from './device-bench.ts';
import { LateTarget } from './late-target.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { agentText, sendStep, twoSends } from './strategies.ts';

const HOUR_MS = 3_600_000;
const TTL_MS = 3_000;
/** So long that a hold-off which is let pass at once leaves something of it. */
const LONG_TTL_MS = 15_000;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;
/** A timeout of the tool: real time, and so long that the request has left before it on a busy machine too. */
const CALL_LIMIT = ', timeoutMs: 2500';
const DAY_KEY = `{ kind: idempotent-by-key, dedupeWindowMs: ${24 * HOUR_MS} }`;

interface Attempt {
  readonly progress: string;
  readonly outcome: string | null;
}

function attempts(device: Device): Attempt[] {
  return device.rows<Attempt>('SELECT progress, outcome FROM attempts ORDER BY run_id, attempt_number');
}

describe('an effect that somebody might do again', { concurrent: true }, () => {
  // TulipFarm/tulipfarm#181, open-mercato/open-mercato#1417: the request outlives the timeout of the tool.
  it('is called failed at the timeout of the tool, and done once more while the first try still runs', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      receiver.behaviour = () => 'hang';
      const folder = temporaryFolder();
      const device = setting.device({ folder });
      const step = sendStep({ url: `${origin}/slow/send`, next: 'finish', more: CALL_LIMIT });
      const agentId = await device.agent(
        agentText({ agentId: 'slow', origin, states: { send: step }, ttlMs: LONG_TTL_MS }),
      );
      device.start();
      const runId = await device.run(agentId);
      await until('a person is asked', () => device.phase(runId) === 'needs-recovery');
      expect(attempts(device)).toMatchObject([{ progress: 'in-flight', outcome: null }]);
      expect(device.count('settle.recorded')).toBe(0);
      // The model, or an impatient person, asks for the same thing again.
      expect(await device.run(agentId)).toBe(runId);
      for (let wakes = 0; wakes < 10; wakes += 1) device.host.wake();
      await quietly(QUIET_MS);
      await device.vanish();
      // And a restart, after the lease and everything else has run out.
      setting.registerClock.pass(HOUR_MS);
      const clock = new ShiftedClock();
      clock.pass(HOUR_MS);
      const again = setting.device({ folder, clock });
      again.at('after-acquire', () => clock.pass(HOLD_OFF_MS));
      again.start();
      await quietly(QUIET_MS);
      expect(again.phase(runId)).toBe('needs-recovery');
      expect(receiver.hits('/slow/send')).toBe(1);
    }));

  // The same, where a look is possible: what is not there at the timeout arrives after it.
  it('is not there yet when it is looked for after a timeout, and is done once more before it arrives', () =>
    Setting.with(async (setting) => {
      const target = await LateTarget.start();
      try {
        const device = setting.device();
        const probe = `{ tool: http.request, method: GET, url: '${target.url}' }`;
        const effect = `{ kind: verifiable, probe: ${probe} }`;
        const step = sendStep({ url: target.url, next: 'finish', effect, more: CALL_LIMIT });
        const agentId = await device.agent(
          agentText({ agentId: 'late', origin: target.url, states: { send: step }, ttlMs: LONG_TTL_MS }),
        );
        device.start();
        const runId = await device.run(agentId);
        await until('it was looked for', () => device.count('recovery.probed') > 0);
        await until('a person is asked', () => device.phase(runId) === 'needs-recovery');
        expect([target.asked, target.effects]).toEqual([1, 0]);
        target.arrive();
        await quietly(QUIET_MS);
        expect([target.asked, target.effects]).toEqual([1, 1]);
        // And then another look is evidence that it did.
        const [unclear] = device.rows<{ attempt_token: string }>('SELECT attempt_token FROM attempts');
        const look = await device.control.checkRecovery(unclear?.attempt_token ?? '', 'Test');
        expect(look).toMatchObject({ ok: true, value: { answer: 'happened' } });
        expect(device.count('settle.recorded')).toBe(0);
      } finally {
        await target.close();
      }
    }));

  // trigger.dev#4953, square/connect-api-examples#135: the provider forgets its keys while the device is away.
  // triggerdotdev/trigger.dev#4953
  it.each([
    { awayHours: 1, hits: 2, asks: false },
    { awayHours: 23, hits: 1, asks: true },
    { awayHours: 48, hits: 1, asks: true },
  ])('is done again under a key that the provider has forgotten after $awayHours h', ({ awayHours, hits, asks }) =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      receiver.behaviour = () => 'hang';
      const folder = temporaryFolder();
      const step = sendStep({ url: `${origin}/keyed/pay`, next: 'finish', effect: DAY_KEY });
      const first = setting.device({ folder });
      const agentId = await first.agent(
        agentText({ agentId: 'pay', origin, states: { pay: step }, ttlMs: LONG_TTL_MS }),
      );
      first.start();
      const arrived = receiver.next(() => true);
      const runId = await first.run(agentId);
      await arrived;
      await first.vanish();
      receiver.behaviour = () => 'answer';
      const clock = new ShiftedClock();
      setting.pass(awayHours * HOUR_MS, clock);
      const back = setting.device({ folder, clock });
      // Nothing is repeated during the hold-off, so that is over at once.
      back.at('after-acquire', () => clock.pass(HOLD_OFF_MS));
      back.start();
      if (asks) await until('a person is asked', () => back.phase(runId) === 'needs-recovery');
      else expect(await back.ended(runId)).toBe('done');
      await quietly(QUIET_MS);
      expect(receiver.hits('/keyed/pay')).toBe(hits);
      expect(receiver.effects('/keyed/pay')).toBe(1);
      expect(back.count('recovery.repeated')).toBe(asks ? 0 : 1);
    }),
  );

  // Adyen/adyen-commercetools#1305, caioniehues/herdmates#62, MervinPraison/PraisonAI#4621: the key moves on resume.
  it('gets another key on resume because something in its payload, or in the way to it, has changed', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const folder = temporaryFolder();
      const clock = new ShiftedClock();
      const first = setting.device({ folder });
      // The step before it reads what is different every time; the receiver tells the time in its headers.
      const states = {
        look: `{ type: tool, call: { tool: http.request, method: GET, url: '${origin}/time' }, onSuccess: pay }`,
        pay: sendStep({
          url: `${origin}/keyed/pay`,
          next: 'finish',
          effect: DAY_KEY,
          more: `, body: 'seen {{ steps.look.output.headers.date }} in {{ run.id }}'`,
        }),
      };
      const agentId = await first.agent(agentText({ agentId: 'volatile', origin, states }));
      receiver.behaviour = () => 'hang';
      first.start();
      const arrived = receiver.next((received) => received.method === 'POST');
      const runId = await first.run(agentId);
      await arrived;
      await first.vanish();
      receiver.behaviour = () => 'answer';
      setting.pass(HOUR_MS, clock);
      const back = setting.device({ folder, clock });
      back.start();
      expect(await back.ended(runId)).toBe('done');
      const sent = receiver.received.filter((received) => received.method === 'POST');
      expect(sent).toHaveLength(2);
      expect(new Set(sent.map((received) => received.key)).size, 'another key').toBe(1);
      expect(new Set(sent.map((received) => received.body)).size, 'another payload').toBe(1);
      const [before, after] = sent.map((received) => Number(received.epoch));
      // On a busy machine a first right to act can run out before the run begins: only the order is certain.
      expect(after, 'nothing was volatile').toBeGreaterThan(before ?? 0);
      // A second run that a person asks for is another effect, although everything it says may be the same.
      expect(await back.ended(await back.run(agentId, 'another press'))).toBe('done');
      expect(receiver.effects('/keyed/pay')).toBe(2);
    }));

  // vercel/workflow#3553: the step is woken while its body still runs.
  it('is begun a second time because the host was woken while it ran', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      receiver.behaviour = () => 'hang';
      const clock = new ShiftedClock();
      const device = setting.device({ clock });
      const agentId = await device.agent(twoSends('woken', origin));
      device.start();
      const arrived = receiver.next(() => true);
      await device.run(agentId);
      await arrived;
      for (let wakes = 0; wakes < 60; wakes += 1) {
        device.host.wake();
        await quietly(100);
      }
      // Two terms of its lease have passed: it was renewed, the claim moved with it, and nobody took it for abandoned.
      expect(device.count('claim.extended')).toBeGreaterThan(1);
      expect(device.count('recovery.in-doubt')).toBe(0);
      expect(device.count('intent.recorded')).toBe(1);
      expect(receiver.hits('/woken/first')).toBe(1);
    }));

  // apache/airflow#12396 and #13747: called a zombie after it had succeeded, or while it still ran.
  it('is judged again after it was settled, because its lease ran out', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const clock = new ShiftedClock();
      const device = setting.device({ clock });
      const agentId = await device.agent(twoSends('settled', origin));
      // The lease is long gone when the run goes on, and the sweep looks at everything it left.
      device.at('after-settle-tail', () => setting.pass(HOUR_MS, clock));
      device.start();
      const runId = await device.run(agentId);
      expect(await device.ended(runId)).toBe('done');
      expect(attempts(device)).toEqual([
        { progress: 'settled', outcome: '{"kind":"success"}' },
        { progress: 'settled', outcome: '{"kind":"success"}' },
      ]);
      expect(device.rows(`SELECT kind FROM ops WHERE kind LIKE 'recovery.%'`)).toEqual([]);
      expect(device.rows('SELECT epoch FROM high_water')).toEqual([{ epoch: 2 }]);
      expect(receiver.hits('/settled/first')).toBe(1);
      expect(receiver.hits('/settled/second')).toBe(1);
    }));

  // langchain-ai/langgraph#7780, #6792 and #8039: everything before a question runs again with every answer.
  it('is done again with every answer to a question that comes after it', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const folder = temporaryFolder();
      const url = (name: string): string => `${origin}/asked/${name}`;
      const names = ['one', 'two', 'three'];
      const states: Record<string, string> = { before: sendStep({ url: url('before'), next: 'ask-one' }) };
      for (const [index, name] of names.entries()) {
        const after = names[index + 1];
        states[`ask-${name}`] = `{ type: approve, question: Send it?, of: ${name}, onSuccess: ${name} }`;
        states[name] = sendStep({ url: url(name), next: after === undefined ? 'finish' : `ask-${after}` });
      }
      const clock = new ShiftedClock();
      let device = setting.device({ folder, clock });
      const agentId = await device.agent(agentText({ agentId: 'asked', origin, states }));
      let runId: RunId | null = null;
      for (const name of names) {
        device.start();
        runId ??= await device.run(agentId);
        const asked = runId;
        await until(`it asks about ${name}`, () => device.phase(asked) === 'needs-approval');
        // The process is gone between the question and the answer, and the answer is given after a restart.
        await device.vanish();
        setting.pass(TTL_MS, clock);
        device = setting.device({ folder, clock });
        await device.allow();
      }
      device.start();
      expect(await device.ended(runId as RunId)).toBe('done');
      for (const name of ['before', ...names]) expect(receiver.hits(`/asked/${name}`), name).toBe(1);
    }));
});
