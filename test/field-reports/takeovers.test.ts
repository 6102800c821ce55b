import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unreachableProblem } from '../../src/main/coordinators/register-problem.ts';
import type { Digest } from '../../src/shared/contract/identifiers.ts';
import { err } from '../../src/shared/lib/result.ts';
import { HostProcess } from '../harness/host-process.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { ShiftedClock } from './device-bench.ts';
import type { Device } from './device-bench.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { agentText, sendStep, twoSends } from './strategies.ts';

const TTL_MS = 3_000;
/** So long that nothing but the register says no. */
const LONG_TTL_MS = 60_000;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;

/** A person's *send again* about the one unclear effect of a device. */
async function sendAgain(device: Device): Promise<void> {
  const [unclear] = device.rows<{ attempt_token: string; input_digest: Digest; epoch: number }>(
    `SELECT attempt_token, input_digest, epoch FROM attempts WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL`,
  );
  if (unclear === undefined) throw new Error('Nothing is unclear.');
  const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
  const request = { attemptToken, inputDigest, epoch, choice: 'send-again', by: 'Test', reason: '' } as const;
  const answer = await device.control.resolveRecovery(request);
  expect(answer).toMatchObject({ ok: true });
}

describe('two who think that it is theirs', { concurrent: true }, () => {
  // dbos-inc/dbos-transact-py#742: acting on what was read before the other one was done with it.
  it('act on what the tail said before the other device was done with it', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const clock = new ShiftedClock();
      const [first, second] = [setting.device({ clock }), setting.device()];
      const text = twoSends('stale', origin);
      const [agentId] = await Promise.all([first.agent(text), second.agent(text)]);
      // The first device sends, and falls silent before it can say how it ended.
      let tellHowItEnded = (): void => undefined;
      first.onTheWay = async (verb, pass) => {
        if (verb.verb === 'settle-tail') await new Promise<void>((resolve) => (tellHowItEnded = resolve));
        return pass();
      };
      first.start();
      await first.run(agentId);
      await until('it has sent', () => first.count('settle.recorded') === 1);
      setting.registerClock.pass(TTL_MS);
      second.start();
      const runId = await second.run(agentId);
      await until('the second device asks', () => second.phase(runId) === 'needs-recovery');
      // Its person lets it send again; before that reaches the register, the first device's word does.
      second.onTheWay = async (verb, pass) => {
        if (verb.verb !== 'announce') return pass();
        second.onTheWay = (_verb, go) => go();
        tellHowItEnded();
        await quietly(200);
        return pass();
      };
      await sendAgain(second);
      expect(await second.ended(runId)).toBe('done');
      expect(second.refusals()).toContain('fence: already-committed');
      expect(receiver.hits('/stale/first')).toBe(1);
      expect(receiver.hits('/stale/second')).toBe(1);
    }));

  // dbos-inc/dbos-transact-py#804, agentscope-ai/QwenPaw#7476: two processes with one device's name.
  it('are one device twice: a copied profile acts beside the one it was copied from', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const [folder, copied] = [temporaryFolder(), temporaryFolder()];
      const before = setting.device({ folder });
      const agentId = await before.agent(twoSends('copied', origin, LONG_TTL_MS));
      await before.vanish();
      cpSync(folder, copied, { recursive: true });
      const clock = new ShiftedClock();
      const [old, young] = [setting.device({ folder, clock }), setting.device({ folder: copied })];
      expect(young.deviceId).toBe(old.deviceId);
      // The old one is held up just before its second effect, for longer than its lease; then it asks under its old epoch.
      let goOn = (): void => undefined;
      const heldUp = new Promise<void>((resolve) => (goOn = resolve));
      old.at('after-settle-tail', () => {
        setting.registerClock.pass(LONG_TTL_MS);
        old.onTheWay = async (verb, pass) => {
          if (verb.verb === 'renew') return err(unreachableProblem('It is held up.'));
          if (verb.verb === 'announce') await heldUp;
          return pass();
        };
      });
      old.start();
      const runId = await old.run(agentId);
      await until('the old one is held up', () => old.count('settle.recorded') === 1);
      young.start();
      expect(await young.ended(await young.run(agentId))).toBe('done');
      expect(young.rows('SELECT epoch FROM high_water')).toEqual([{ epoch: 2 }]);
      await young.host.drain(1_000);
      goOn();
      await until('the old one was told', () => old.refusals().length > 0);
      expect(old.refusals()[0]).toBe('fence: not-held');
      expect(await old.ended(runId), 'and then it finds that all was done').toBe('done');
      expect(receiver.hits('/copied/first')).toBe(1);
      expect(receiver.hits('/copied/second')).toBe(1);
    }));

  // dbos-inc/dbos-transact-py#804: the app is started again before its last process is gone.
  it('are an app and its relaunch on one profile', () =>
    Setting.with(async (setting) => {
      const profileFolder = temporaryFolder();
      const { registerFile } = setting;
      const old = await HostProcess.start({ profileFolder, registerFile });
      await expect(HostProcess.start({ profileFolder, registerFile })).rejects.toThrow(/Another copy of Fencepost/u);
      old.kill();
      await old.exited;
      const young = await HostProcess.start({ profileFolder, registerFile });
      young.kill();
      await young.exited;
    }));

  // n8n-io/n8n#7045, anthropics/claude-code#81241, block/buzz#3832: due on both in the same moment.
  it('are due on two devices in the same moment, and nobody sees who did it', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const devices = [setting.device(), setting.device()];
      const text = twoSends('due', origin);
      const [agentId] = await Promise.all(devices.map((device) => device.agent(text)));
      if (agentId === undefined) throw new Error('There is no agent.');
      for (const device of devices) device.start();
      const runIds = await Promise.all(devices.map((device) => device.run(agentId, 'occurrence')));
      expect(new Set(runIds).size, 'one occurrence, one run').toBe(1);
      const [runId] = runIds;
      if (runId === undefined) throw new Error('There is no run.');
      await until('one of them has done it', () => devices.some((device) => device.phase(runId) === 'ended'));
      const [winner] = devices.filter((device) => device.count('effect.started') > 0);
      const loser = devices.find((device) => device !== winner);
      expect(loser?.count('effect.started')).toBe(0);
      expect(loser?.leases.status(agentId).view?.lease?.holder, 'whose it is can be seen').toBe(winner?.deviceId);
      await loser?.ended(runId);
      for (const name of ['first', 'second']) expect(receiver.hits(`/due/${name}`), name).toBe(1);
      expect(loser?.refusals(), 'and why this device did nothing').toContain('fence: already-committed');
    }));

  // kyverno/kyverno#14984: work that was begun under one term must not be carried out under the next.
  it('are one device under two epochs: what waited under the first is sent under the second', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const clock = new ShiftedClock();
      const device = setting.device({ clock });
      const gone = setting.device();
      const text = agentText({
        agentId: 'waits',
        origin,
        states: { send: sendStep({ url: `${origin}/waits/send`, next: 'finish' }) },
      });
      const [agentId] = await Promise.all([device.agent(text), gone.agent(text)]);
      await gone.leases.ensure(agentId, TTL_MS);
      setting.registerClock.pass(TTL_MS);
      // It waits out the hold-off of epoch 2; meanwhile that lease runs out and is granted anew.
      device.at('after-claim', () => {
        setting.pass(TTL_MS, clock);
        device.host.wake();
      });
      device.start();
      const runId = await device.run(agentId);
      expect(await device.ended(runId)).toBe('done');
      await quietly(QUIET_MS);
      const claimed = device.rows<{ epoch: number; hasStarted: number }>(
        `SELECT DISTINCT json_extract(payload, '$.owner.epoch') AS epoch, json_extract(payload, '$.attemptToken') IN
           (SELECT json_extract(payload, '$.attemptToken') FROM ops WHERE kind = 'effect.started') AS hasStarted
         FROM ops WHERE kind = 'claim.decided' ORDER BY 1`,
      );
      expect(claimed).toEqual([
        { epoch: 2, hasStarted: 0 },
        { epoch: 3, hasStarted: 1 },
      ]);
      expect(
        receiver.received.map(({ epoch }) => epoch),
        'sent under the wrong epoch, or twice',
      ).toEqual(['3']);
    }));
});
