import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/shared/contract/identifiers.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { ShiftedClock } from './device-bench.ts';
import type { Device } from './device-bench.ts';
import { Setting } from './setting.ts';
import { quietly, steadyMs, until } from './steady-time.ts';
import { agentText, sendStep } from './strategies.ts';

const TTL_MS = 3_000;
const MINUTE_MS = 60_000;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;
/** Far less than anybody would call hanging, ms. */
const AT_ONCE_MS = 1_000;

function asksFirst(origin: string, expiresAfterMs = 30 * MINUTE_MS): string {
  const states = {
    ask: `{ type: approve, question: Send it?, of: send, expiresAfterMs: ${expiresAfterMs}, onSuccess: send }`,
    send: sendStep({ url: `${origin}/asks/send`, next: 'finish' }),
  };
  return agentText({ agentId: 'asks', origin, states });
}

function questions(device: Device): string[] {
  return device
    .rows<{ state: string; stale_reason: string | null }>(
      'SELECT state, stale_reason FROM approvals ORDER BY approval_id',
    )
    .map(({ state, stale_reason: reason }) => (reason === null ? state : `${state}: ${reason}`));
}

async function asked(device: Device, runId: RunId): Promise<void> {
  await until('it asks', () => device.phase(runId) === 'needs-approval' && questions(device).at(-1) === 'open');
}

describe('a question', { concurrent: true }, () => {
  // microsofthackathons/MicroClaw#139: nobody answered, and that was taken for a yes.
  it.each(['while the host watches it', 'over a restart'] as const)(
    'that nobody answers is a yes after its time: %s',
    (how) =>
      Setting.with(async (setting) => {
        const { receiver, origin } = setting;
        const folder = temporaryFolder();
        const clock = new ShiftedClock();
        let device = setting.device({ folder, clock });
        const agentId = await device.agent(asksFirst(origin, MINUTE_MS));
        device.start();
        const runId = await device.run(agentId);
        await asked(device, runId);
        const [open] = device.rows<{ approval_id: string; input_digest: never }>('SELECT * FROM approvals');
        if (how === 'over a restart') await device.vanish();
        setting.pass(MINUTE_MS + 1_000, clock);
        if (how === 'over a restart') {
          device = setting.device({ folder, clock });
          device.start();
        }
        expect(await device.ended(runId)).toBe('failed-nothing-sent');
        expect(questions(device)).toEqual(['expired']);
        // And a yes that comes too late is told what became of it.
        const { approval_id: approvalId = '', input_digest: inputDigest } = open ?? {};
        const late = { approvalId, inputDigest: inputDigest as never, isAllowed: true, by: 'Test', reason: '' };
        expect(await device.control.decideApproval(late)).toMatchObject({
          ok: false,
          error: { code: 'already-decided', message: expect.stringContaining('not sent') as string },
        });
        await quietly(QUIET_MS);
        expect(receiver.received).toEqual([]);
      }),
  );

  // aaif-goose/goose#1971: asked again after a no.
  it('is asked again after a no, by a restart, a wake-up or the same request', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const folder = temporaryFolder();
      const clock = new ShiftedClock();
      const device = setting.device({ folder, clock });
      const agentId = await device.agent(asksFirst(origin));
      device.start();
      const runId = await device.run(agentId);
      await asked(device, runId);
      await device.refuse();
      expect(await device.ended(runId)).toBe('failed-nothing-sent');
      expect(await device.run(agentId)).toBe(runId);
      await device.vanish();
      setting.pass(TTL_MS, clock);
      const again = setting.device({ folder, clock });
      again.start();
      expect(await again.run(agentId)).toBe(runId);
      for (let wakes = 0; wakes < 10; wakes += 1) again.host.wake();
      await quietly(QUIET_MS);
      expect(questions(again)).toEqual(['not-allowed']);
      expect(receiver.received).toEqual([]);
    }));

  // letta-ai/letta-code#2578: an answer from before a reconnect hung for minutes.
  it('that was answered under an earlier right to act hangs, or lets it leave under the next one', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const folder = temporaryFolder();
      const clock = new ShiftedClock();
      const device = setting.device({ folder, clock });
      const agentId = await device.agent(asksFirst(origin));
      device.start();
      const runId = await device.run(agentId);
      await asked(device, runId);
      // The pause keeps it from leaving before the device is gone.
      await device.control.pauseRun(runId, 'Test');
      const answer = await device.allow();
      await device.vanish();
      setting.pass(TTL_MS, clock);
      const again = setting.device({ folder, clock });
      again.start();
      await again.control.resumeRun(runId, 'Test');
      await asked(again, runId);
      expect(questions(again)).toEqual(['stale: epoch-changed', 'open']);
      const startedMs = steadyMs();
      const stale = await again.control.decideApproval({ ...answer, isAllowed: true, by: 'Test', reason: '' });
      expect(stale).toMatchObject({ ok: false, error: { code: 'already-decided' } });
      expect(steadyMs() - startedMs).toBeLessThan(AT_ONCE_MS);
      await quietly(QUIET_MS);
      expect(receiver.received).toEqual([]);
      await again.allow();
      expect(await again.ended(runId)).toBe('done');
      expect(receiver.received.map(({ epoch }) => epoch)).toEqual(['2']);
    }));

  // langchain-ai/langgraph#7780 and #6792: a question in a loop replays what stands before it with every answer.
  it('in a loop is asked more than once for a round, or what stands before it is done again', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const folder = temporaryFolder();
      const clock = new ShiftedClock();
      const send = (name: string, next: string): string => sendStep({ url: `${origin}/loop/${name}`, next });
      const rounds = `{ when: 'has(steps.third)', to: finish }, { when: 'has(steps.second)', to: third }`;
      const states = {
        before: send('before', 'ask'),
        ask: '{ type: approve, question: Send it?, of: act, onSuccess: act }',
        act: send('act', 'round'),
        round: `{ type: choice, branches: [${rounds}], otherwise: second }`,
        second: send('second', 'before'),
        third: send('third', 'before'),
      };
      let device = setting.device({ folder, clock });
      const agentId = await device.agent(agentText({ agentId: 'loop', origin, states }));
      let runId: RunId | null = null;
      for (let round = 1; round <= 3; round += 1) {
        device.start();
        runId ??= await device.run(agentId);
        const [run, here] = [runId, device];
        await until(
          `round ${round} asks`,
          () => questions(here).length === round && here.phase(run) === 'needs-approval',
        );
        await device.vanish();
        setting.pass(TTL_MS, clock);
        device = setting.device({ folder, clock });
        await device.allow();
      }
      device.start();
      expect(await device.ended(runId as RunId)).toBe('done');
      const hits = ['before', 'act', 'second', 'third'].map((name) => receiver.hits(`/loop/${name}`));
      expect(hits).toEqual([3, 3, 1, 1]);
      expect(questions(device)).toEqual(['allowed', 'allowed', 'allowed']);
      expect(new Set(receiver.received.map(({ key }) => key)).size).toBe(8);
    }));
});
