import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wentBackProblem, unreachableProblem } from '../../src/main/coordinators/register-problem.ts';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { createHostClock } from '../../src/main/host/clock.ts';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import { problem } from '../../src/shared/contract/errors.ts';
import type { AgentId, DeviceId } from '../../src/shared/contract/identifiers.ts';
import { localTermMs } from '../../src/shared/core/lease/held-lease.ts';
import { LEASE_RENEW_SHARE, LEASE_TTL_MS, SEND_WINDOW_MS } from '../../src/shared/core/lease/lease.ts';
import { err } from '../../src/shared/lib/result.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { ShiftedClock } from './device-bench.ts';
import type { OnTheWay } from './device-bench.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { twoSends } from './strategies.ts';

const TTL_MS = 3_000;
/** Two thirds of it: when a holder has to stop by itself, ms. */
const DEADLINE_MS = 2_000;
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;
/** How long a busy host lets pass between two rounds, ms; what a slow machine adds to that. */
const ROUND_MS = 500;
const SLACK_MS = 400;

/** The ways in which a register can fail to answer, only one of which is called "unreachable". */
const ODD_ANSWERS: Readonly<Record<string, OnTheWay>> = {
  'says it cannot be reached': () => Promise.resolve(err(unreachableProblem('Nobody listens.'))),
  'says the quota is used up': () => Promise.resolve(err(problem('store-full', 'The quota is used up.'))),
  'says there is a conflict': () => Promise.resolve(err(problem('idempotency-conflict', 'Another version is newer.'))),
  'says something inside it broke': () => Promise.resolve(err(problem('internal', 'A bug.'))),
  'says it was put back': () => Promise.resolve(err(wentBackProblem())),
  throws: () => Promise.reject(new Error('429 Too Many Requests')),
  'never answers': () => new Promise(() => undefined),
  'does it, and the answer gets lost': async (_verb, pass) => {
    await pass();
    return err(unreachableProblem('The answer got lost.'));
  },
};

describe('a holder that cannot renew', { concurrent: true }, () => {
  // kubernetes/kubernetes#23731: whatever kind of error it is, and whether it is one at all, the deadline is the deadline.
  it.each(Object.keys(ODD_ANSWERS))('goes on sending after its deadline because the register %s', (kind) =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const clock = new ShiftedClock();
      const device = setting.device({ clock });
      const agentId = await device.agent(twoSends('odd', origin));
      device.at('after-settle', () => {
        const odd = ODD_ANSWERS[kind];
        // The question before an effect still gets through: only the deadline is left to say no.
        device.onTheWay = (verb, pass) => {
          if (verb.verb !== 'renew' && verb.verb !== 'acquire') return pass();
          return odd?.(verb, pass) ?? pass();
        };
        clock.pass(kind.startsWith('does it') ? TTL_MS : DEADLINE_MS);
      });
      device.start();
      const runId = await device.run(agentId);
      await until('the first effect is settled', () => device.count('settle.recorded') === 1);
      await quietly(QUIET_MS);
      expect(receiver.hits('/odd/first')).toBe(1);
      expect(receiver.hits('/odd/second')).toBe(0);
      expect(device.leases.standing(agentId).kind).not.toBe('live');
      expect(device.phase(runId)).toBe('ready');
    }),
  );

  // d2iq-archive/marathon#2509 and #5418: only the holder is cut off, and everybody else goes on.
  it('goes on beside the device that took over, because only its own line is cut', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      const clock = new ShiftedClock();
      const holder = setting.device({ clock });
      const other = setting.device();
      const text = twoSends('cut', origin);
      const [agentId] = await Promise.all([holder.agent(text), other.agent(text)]);
      holder.at('after-settle-tail', () => {
        holder.onTheWay = () => Promise.resolve(err(unreachableProblem('The line is cut.')));
        setting.pass(TTL_MS, clock);
      });
      holder.start();
      const runId = await holder.run(agentId);
      await until('the line is cut', () => holder.count('settle.recorded') === 1);
      other.start();
      expect(await other.ended(await other.run(agentId))).toBe('done');
      await quietly(QUIET_MS);
      expect(holder.count('effect.started')).toBe(1);
      holder.onTheWay = (_verb, pass) => pass();
      // Back on the line it finds in the tail that the other one did the rest.
      expect(await holder.ended(runId)).toBe('done');
      expect(receiver.hits('/cut/first')).toBe(1);
      expect(receiver.hits('/cut/second')).toBe(1);
    }));
});

describe('the longest wait for a register', () => {
  // noobaa/noobaa-core#9765: the time to renew, plus the longest wait for an answer, plus a pause were the whole lease.
  it('leaves no time for a renewal, or outlasts the send window', async () => {
    const registerFile = join(temporaryFolder(), 'register.sqlite');
    const coordinator = must(openFileCoordinator({ file: registerFile, clock: createHostClock() }));
    const busy = openSqlite(registerFile);
    busy.exec('BEGIN IMMEDIATE');
    const ask = async (): Promise<number> => {
      const from = performance.now();
      const claim = { deviceId: 'anna' as DeviceId, epoch: 1, nonce: 'nonce' };
      const answer = await coordinator.ask('agent' as AgentId, { verb: 'renew', ...claim });
      expect(answer.ok, 'the register was not busy').toBe(false);
      return performance.now() - from;
    };
    let longestCallMs = await ask();
    // What a busy machine adds to one of them it does not add to each.
    for (let again = 0; again < 3 && longestCallMs >= SEND_WINDOW_MS; again += 1)
      longestCallMs = Math.min(longestCallMs, await ask());
    busy.exec('ROLLBACK');
    busy.close();
    await coordinator.close();
    expect(longestCallMs).toBeGreaterThan(ROUND_MS);
    // The question before an effect has to be over within the send window, or it would never let one through.
    expect(longestCallMs).toBeLessThan(SEND_WINDOW_MS);
    const renewedMs = LEASE_TTL_MS * LEASE_RENEW_SHARE + ROUND_MS + longestCallMs + SLACK_MS;
    expect(renewedMs).toBeLessThan(localTermMs(LEASE_TTL_MS));
    // And what the device may believe ends a third of the term before the register lets anybody else in, whatever hangs.
    for (const ttlMs of [TTL_MS, LEASE_TTL_MS, 600_000]) expect(localTermMs(ttlMs) * 1.5).toBeLessThanOrEqual(ttlMs);
  });
});
