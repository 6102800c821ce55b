import { describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import type { RunId } from '../../src/shared/contract/identifiers.ts';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { ShiftedClock } from './device-bench.ts';
import type { Device } from './device-bench.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { agentText, sendStep, twoSends } from './strategies.ts';

const TTL_MS = 3_000;
/** So long that a hold-off which is let pass at once leaves something of it. */
const LONG_TTL_MS = 15_000;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;

interface Stopped {
  readonly ending: string | null;
  readonly by: string | null;
}

function howItEnded(device: Device, runId: RunId): Stopped | undefined {
  return device.rows<Stopped>(
    `SELECT runs.ending, json_extract(ops.payload, '$.by') AS by FROM runs
     LEFT JOIN ops ON ops.run_id = runs.run_id AND ops.kind = 'run.stop-requested' WHERE runs.run_id = ?`,
    runId,
  )[0];
}

describe('a person stops a run', { concurrent: true }, () => {
  // agent-of-empires/agent-of-empires#1727, deepnote/deepnote#445: what is on its way goes on, and so does what follows.
  it.each<{ point: CrashPoint; first: number; quietMs?: number }>([
    { point: 'before-intent', first: 0 },
    { point: 'after-claim', first: 0, quietMs: HOLD_OFF_MS + QUIET_MS },
    { point: 'before-effect', first: 1 },
    { point: 'after-effect', first: 1 },
  ])('and its effects go on although it was stopped at $point', ({ point, first, quietMs = QUIET_MS }) =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const device = setting.device();
      const text = twoSends('stop', origin);
      const agentId = await device.agent(text);
      if (point === 'after-claim') {
        // A claim waits only behind a holder that never said goodbye.
        const gone = setting.device();
        await gone.leases.ensure(await gone.agent(text), TTL_MS);
        setting.registerClock.pass(TTL_MS);
      }
      let runId: RunId | null = null;
      device.at(point, () => void device.control.stopRun(runId as RunId, 'Anna'));
      runId = await device.run(agentId);
      device.start();
      expect(await device.ended(runId)).toBe('stopped');
      await quietly(quietMs);
      expect(receiver.hits('/stop/first')).toBe(first);
      expect(receiver.hits('/stop/second')).toBe(0);
      // mitre/mcp#40: stopped is not failed, and by whom is written down.
      expect(howItEnded(device, runId)).toEqual({ ending: 'stopped', by: 'Anna' });
      const kept = device.rows<{ outcome: string }>(`SELECT outcome FROM attempts WHERE outcome LIKE '%success%'`);
      expect(kept).toHaveLength(first);
    }),
  );

  // mitre/mcp#40: whatever the effect that was on its way comes to.
  it.each(['refuse', 'cut'] as const)('and it is called failed because what was on its way came to: %s', (behaviour) =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      receiver.behaviour = () => behaviour;
      const folder = temporaryFolder();
      const device = setting.device({ folder });
      const agentId = await device.agent(twoSends('stop', origin));
      let runId: RunId | null = null;
      device.at('before-effect', () => void device.control.stopRun(runId as RunId, 'Anna'));
      runId = await device.run(agentId);
      const stopped = runId;
      device.start();
      // An answer that says no ends the run; one that never came is a question first, and stays one.
      if (behaviour === 'refuse') expect(await device.ended(stopped)).toBe('stopped');
      else await until('a person is asked', () => device.phase(stopped) === 'needs-recovery');
      const before = howItEnded(device, stopped);
      expect(before).toEqual({ ending: behaviour === 'refuse' ? 'stopped' : null, by: 'Anna' });
      await device.vanish();
      const again = setting.device({ folder });
      again.start();
      await quietly(QUIET_MS);
      expect(howItEnded(again, stopped)).toEqual(before);
      expect(receiver.received).toHaveLength(1);
    }),
  );
});

describe('a person quits or starts again', { concurrent: true }, () => {
  // temporalio/sdk-java#2903, dust-tt/dust#29171: the heartbeat ends with the first word of the shutdown.
  it('and the right to act is given away while an effect is still on its way', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      receiver.behaviour = () => 'hang';
      const device = setting.device();
      const other = setting.device();
      const text = agentText({
        agentId: 'quit',
        origin,
        states: { send: sendStep({ url: `${origin}/quit/send`, next: 'finish', more: ', timeoutMs: 50000' }) },
      });
      const [agentId] = await Promise.all([device.agent(text), other.agent(text)]);
      device.start();
      const arrived = receiver.next(() => true);
      const runId = await device.run(agentId);
      await arrived;
      const drained = device.host.drain(40_000);
      // The effect takes longer than the lease: somebody has to go on renewing it.
      for (let passedMs = 0; passedMs < TTL_MS + 1_000; passedMs += 200) {
        await quietly(200);
        await other.leases.ensure(agentId, TTL_MS);
        expect(other.leases.held(agentId), `after ${passedMs} ms`).toBeNull();
      }
      receiver.cutAll();
      expect(await drained).toEqual({ leftUnclear: [] });
      expect(device.phase(runId), 'the outcome was not waited for').toBe('needs-recovery');
      await other.leases.ensure(agentId, TTL_MS);
      expect(other.leases.held(agentId), 'and then it is given up cleanly').toMatchObject({ holdOffFrom: null });
      expect(receiver.hits('/quit/send')).toBe(1);
    }));

  it('and an effect that outlasts the quitting is left behind without a word', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      receiver.behaviour = () => 'hang';
      const folder = temporaryFolder();
      const device = setting.device({ folder });
      const other = setting.device();
      const text = twoSends('left', origin, LONG_TTL_MS);
      const [agentId] = await Promise.all([device.agent(text), other.agent(text)]);
      device.start();
      const arrived = receiver.next(() => true);
      const runId = await device.run(agentId);
      await arrived;
      const { leftUnclear } = await device.host.drain(300);
      expect(leftUnclear).toEqual([expect.stringContaining('POST')]);
      await other.leases.ensure(agentId, LONG_TTL_MS);
      expect(other.leases.held(agentId), 'it was given up with an effect on its way').toBeNull();
      await device.vanish();
      const clock = new ShiftedClock();
      setting.pass(LONG_TTL_MS, clock);
      const again = setting.device({ folder, clock });
      again.at('after-acquire', () => clock.pass(HOLD_OFF_MS));
      again.start();
      await until('a person is asked', () => again.phase(runId) === 'needs-recovery');
      await quietly(QUIET_MS);
      expect(receiver.hits('/left/first')).toBe(1);
    }));
});

describe('a person allows an effect', { concurrent: true }, () => {
  // microsoft/agent-framework#7458 and #8575: the answer is used up, the effect done, and then the run fails.
  it.each<CrashPoint>(['after-settle', 'after-settle-tail'])(
    'and the run breaks off at %s: the answer or the outcome is lost, or it is asked or done again',
    (point) =>
      Setting.with(async (setting) => {
        const { receiver, origin } = setting;
        const folder = temporaryFolder();
        const url = (name: string): string => `${origin}/allowed/${name}`;
        const broken = `{ type: tool, call: { tool: http.request, method: POST, url: 'http://127.0.0.1:1/' }, onSuccess: finish }`;
        const states = {
          ask: '{ type: approve, question: Send it?, of: send, onSuccess: send }',
          send: sendStep({ url: url('send'), next: 'broken' }),
          broken,
        };
        const device = setting.device({ folder });
        const agentId = await device.agent(agentText({ agentId: 'allowed', origin, states }));
        const gone = new Promise<void>((resolve) => device.at(point, () => void device.vanish().then(resolve)));
        device.start();
        const runId = await device.run(agentId);
        await until('it asks', () => device.phase(runId) === 'needs-approval');
        const answer = await device.allow();
        await gone;
        const clock = new ShiftedClock();
        setting.pass(TTL_MS, clock);
        const again = setting.device({ folder, clock });
        again.start();
        // The step after it cannot even be prepared: outside the scope. The run fails, after something was sent.
        expect(await again.ended(runId)).toBe('failed-was-sent');
        expect(again.rows('SELECT state, decided_by FROM approvals')).toEqual([
          { state: 'allowed', decided_by: 'Test' },
        ]);
        const [attempt] = again.rows<{ outcome: string }>(`SELECT outcome FROM attempts WHERE state_id = 'send'`);
        expect(attempt?.outcome).toBe('{"kind":"success"}');
        // To try it once more is answered with what is known, not with a second effect.
        const twice = await again.control.decideApproval({ ...answer, isAllowed: true, by: 'Test', reason: '' });
        expect(twice).toMatchObject({ ok: false, error: { code: 'already-decided' } });
        expect(await again.run(agentId)).toBe(runId);
        await quietly(QUIET_MS);
        expect(receiver.hits('/allowed/send')).toBe(1);
      }),
  );
});
