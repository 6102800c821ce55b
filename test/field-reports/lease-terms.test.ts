import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreachableProblem } from '../../src/main/coordinators/register-problem.ts';
import { useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { err } from '../../src/shared/lib/result.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import type { FakeClock } from '../contract/fake-clock.ts';
import { Random } from '../harness/random.ts';
import { Device, ShiftedClock } from './device-bench.ts';

const AGENT = 'agent' as AgentId;
const HOUR_MS = 3_600_000;
const newFolder = useTemporaryFolders();

/** Two devices whose lease keepers are asked by hand, on time that only the test moves. */
describe('two devices that want one agent', () => {
  let world: FakeClock;
  let registerClock: ShiftedClock;
  let clocks: [ShiftedClock, ShiftedClock];
  let anna: Device;
  let ben: Device;
  const made: Device[] = [];

  beforeEach(() => {
    world = createFakeClock();
    registerClock = new ShiftedClock(world);
    clocks = [new ShiftedClock(world), new ShiftedClock(world)];
    const registerFile = join(newFolder(), 'register.sqlite');
    const make = (clock: ShiftedClock): Device =>
      new Device({ folder: newFolder(), registerFile, clock, registerClock });
    [anna, ben] = [make(clocks[0]), make(clocks[1])];
    made.push(anna, ben);
  });
  afterEach(async () => {
    for (const device of made.splice(0)) await device.vanish();
  });

  /** One look of a device at its lease, as the loop of its host takes it. */
  async function look(device: Device, ttlMs: number): Promise<void> {
    device.leases.dropExpired();
    await device.leases.ensure(AGENT, ttlMs);
  }

  /** Who believes at this moment that it may act; a hold-off counts, since it ends by itself. */
  function believers(): Device[] {
    return [anna, ben].filter((device) => {
      const { kind } = device.leases.standing(AGENT);
      return kind === 'live' || kind === 'hold-off';
    });
  }

  // fabric8io/kubernetes-client#7258 and #7160, apache/unomi#855.
  it.each([
    { holderMs: 60_000, waiterMs: 3_000 },
    { holderMs: 3_000, waiterMs: 60_000 },
    { holderMs: 15_000, waiterMs: 3_000 },
  ])(
    'a waiter set to $waiterMs ms judges a lease of $holderMs ms by its own setting',
    async ({ holderMs, waiterMs }) => {
      await look(anna, holderMs);
      for (let passedMs = 1_000; passedMs < holderMs; passedMs += 1_000) {
        world.pass(1_000);
        await look(ben, waiterMs);
        expect(ben.leases.held(AGENT), `after ${passedMs} ms`).toBeNull();
      }
      world.pass(1_000);
      await look(ben, waiterMs);
      expect(ben.leases.held(AGENT)).toMatchObject({ epoch: 2, ttlMs: waiterMs });
      expect(believers()).toEqual([ben]);
    },
  );

  // kubernetes/kubernetes#44887 and flynn-archive/go-discoverd#28.
  it('a holder that was told of its loss renews the old epoch again instead of asking anew', async () => {
    const asked: RegisterVerb[] = [];
    anna.onTheWay = (verb, pass) => (asked.push(verb), pass());
    await look(anna, 3_000);
    world.pass(3_000);
    await look(ben, 3_000);
    // Her clock stood still meanwhile, so that she still believes in epoch 1 and has to be told.
    clocks[0].pass(-2_000);
    await look(anna, 3_000);
    for (let looks = 0; looks < 20; looks += 1) {
      world.pass(500);
      await look(anna, 3_000);
      if (looks < 6) await look(ben, 3_000);
    }
    const told = asked.findIndex((verb) => verb.verb === 'renew');
    expect(told, 'she was never told').toBe(1);
    const old = asked.slice(told + 1).filter((verb) => 'epoch' in verb && verb.epoch === 1);
    expect(old).toEqual([]);
    expect(anna.leases.held(AGENT), 'she gets it back when it is free, as epoch 3').toMatchObject({
      epoch: 3,
    });
    const nonces = asked.filter((verb) => verb.verb === 'acquire').map((verb) => verb.nonce);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  // electron/electron#4465, #5101 and #32974: timers that are throttled or napping.
  it.each([1_000, 2_500, 4_000, 8_000, 10_000, 20_000, 60_000])(
    'a loop that comes round every %i ms believes in a lease that somebody else has by now',
    async (everyMs) => {
      let takeovers = 0;
      let refused = 0;
      await look(anna, 15_000);
      for (let passedMs = 500; passedMs <= 121_000; passedMs += 500) {
        world.pass(500);
        if (passedMs % everyMs === 0) await look(anna, 15_000);
        if (passedMs % 1_000 === 0) await look(ben, 15_000);
        const [one, ...others] = believers();
        expect(others, `both at ${passedMs} ms`).toEqual([]);
        if (one === undefined) refused += 1;
        // He lets go at once: the point is the next time that she comes round.
        if (ben.leases.held(AGENT) !== null && (await ben.leases.release(AGENT, 0))) takeovers += 1;
      }
      // Within two thirds of the term she keeps it; above, she stops by herself before anybody else can begin.
      expect(takeovers > 0).toBe(everyMs >= 10_000);
      expect(refused > 0).toBe(everyMs >= 10_000);
    },
  );

  // juju/juju#6940, deventlab/d-engine#158, kubernetes/client-go#448, vesoft-inc/nebula#2723.
  it('a calendar that is set an hour on or back, on holder, waiter, both or the register, makes two holders', async () => {
    let takeovers = 0;
    let steps = 0;
    for (const everybody of [[clocks[0]], [clocks[1]], clocks, [registerClock], [...clocks, registerClock]]) {
      for (const byMs of [HOUR_MS, -HOUR_MS, 10_000, -10_000]) {
        const before = ben.leases.held(AGENT)?.epoch ?? anna.leases.held(AGENT)?.epoch ?? 0;
        for (let passedMs = 0; passedMs < 20_000; passedMs += 1_000) {
          world.pass(1_000);
          if (passedMs % 7_000 === 3_000) {
            for (const clock of everybody) clock.shift({ wallMs: byMs });
            steps += 1;
          }
          // She is slower than he is, and stops coming round in the middle, so that the lease goes to him.
          if (passedMs < 8_000 && passedMs % 2_000 === 0) await look(anna, 6_000);
          await look(ben, 3_000);
          expect(believers().length, `at ${passedMs} ms of ${byMs}`).toBeLessThan(2);
        }
        expect(ben.leases.held(AGENT)?.epoch ?? 0, 'the epoch went back').toBeGreaterThan(0);
        takeovers += (ben.leases.held(AGENT)?.epoch ?? 0) > before ? 1 : 0;
        await ben.leases.release(AGENT, 0);
      }
    }
    expect({ steps, takeovers }).toEqual({ steps: 60, takeovers: 20 });
  });

  // johanhaleby/occurrent#659, mlflow/mlflow#25199, Krzysztof318/MailFathom#1989, FoundationDB/fdb-kubernetes-operator#241.
  // johanhaleby/occurrent#662
  it.each([-3 * HOUR_MS, -60_000, 60_000, 3 * HOUR_MS])(
    'a device whose clocks are %i ms away from the holder’s judges the lease by them',
    async (awayMs) => {
      clocks[1].pass(awayMs);
      await look(anna, 15_000);
      for (let passedMs = 1_000; passedMs < 15_000; passedMs += 1_000) {
        world.pass(1_000);
        await look(ben, 15_000);
        expect(ben.leases.held(AGENT)).toBeNull();
      }
      world.pass(1_000);
      await look(ben, 15_000);
      expect(believers()).toEqual([ben]);
    },
  );

  // fabric8io/kubernetes-client#7258 and apache/unomi#855 once more: the setting changes while a reply is lost.
  it.each([
    { firstMs: 3_000, thenMs: 60_000 },
    { firstMs: 60_000, thenMs: 3_000 },
  ])(
    'a grant of $firstMs ms whose reply was lost is believed for the $thenMs ms that are asked for by now',
    async ({ firstMs, thenMs }) => {
      anna.onTheWay = async (_verb, pass) => {
        await pass();
        return err(unreachableProblem('The reply was lost.'));
      };
      await look(anna, firstMs);
      anna.onTheWay = (_verb, pass) => pass();
      world.pass(500);
      await look(anna, thenMs);
      for (let passedMs = 0; passedMs < 70_000; passedMs += 500) {
        world.pass(500);
        await look(ben, 3_000);
        expect(believers().length, `at ${passedMs} ms`).toBeLessThan(2);
      }
      expect(ben.leases.held(AGENT)?.epoch).toBe(2);
    },
  );

  // A property over random pauses and settings: who is slow, for how long and with which term is drawn.
  it('some mixture of slow loops, settings and steps of the calendar makes two holders', async () => {
    const random = new Random(7, 'terms');
    let awayUntil = 0;
    let away = 0;
    let changes = 0;
    let epoch = 0;
    for (let story = 0; story < 800; story += 1) {
      world.pass(Math.round(random.heavyTail(1_500)));
      if (story >= awayUntil) {
        away = random.below(2);
        awayUntil = story + random.below(40);
      }
      if (random.chance(0.05)) clocks[away]?.shift({ wallMs: random.pick([HOUR_MS, -HOUR_MS, 5_000, -5_000]) });
      // Whoever is away still comes round now and then: a zombie, not a corpse.
      const at = random.chance(0.1) ? away : 1 - away;
      await look([anna, ben][at] ?? anna, random.pick([3_000, 6_000, 15_000]));
      expect(believers().length, `in story ${story}`).toBeLessThan(2);
      const now = Math.max(anna.leases.held(AGENT)?.epoch ?? 0, ben.leases.held(AGENT)?.epoch ?? 0);
      if (now > epoch) changes += 1;
      epoch = Math.max(epoch, now);
    }
    expect(changes).toBeGreaterThan(20);
  });
});
