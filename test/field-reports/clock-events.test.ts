import { describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { ShiftedClock } from './device-bench.ts';
import type { Device } from './device-bench.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { twoSends } from './strategies.ts';

const HOUR_MS = 3_600_000;

/** What an operating system was seen to do with the news of a sleep. Each is given a device and the sleep itself. */
const NEWS: Readonly<Record<string, (device: Device, sleep: () => void) => void>> = {
  // electron/electron#42050, #24499 and #8560: it never comes.
  'never comes': (_device, sleep) => sleep(),
  // electron/electron#16297 and #47739: it comes at wake, or later.
  'comes late': (device, sleep) => {
    sleep();
    void quietly(700).then(() => device.host.noteSuspend());
  },
  'comes at wake, twice': (device, sleep) => {
    sleep();
    device.host.noteSuspend();
    device.host.noteSuspend();
  },
  'comes in time, with the resume at once': (device, sleep) => {
    device.host.noteSuspend();
    sleep();
    device.host.noteSuspend();
  },
  // electron/electron#44971: a game that exits.
  'comes although nothing slept': (device) => device.host.noteSuspend(),
  'comes again and again although nothing slept': (device) => {
    for (let time = 0; time < 10; time += 1) void quietly(time * 40).then(() => device.host.noteSuspend());
  },
};

const POINTS: readonly CrashPoint[] = ['before-intent', 'after-in-flight', 'before-effect', 'after-effect'];

describe('the news of a sleep', { concurrent: true }, () => {
  // nodejs/node#47724, nextlyhq/nextly#777, ever-works/ever-works#2364: the clock of the process stands still meanwhile.
  it.each(Object.keys(NEWS).flatMap((news) => POINTS.map((point) => ({ news, point }))))(
    '$news, $point: an effect is sent under a lease that ran out in it, or twice, or never',
    ({ news, point }) =>
      Setting.with(async (setting) => {
        const { receiver, origin } = setting;
        const clock = new ShiftedClock();
        const device = setting.device({ clock });
        const agentId = await device.agent(twoSends('sleeper', origin));
        let slept = false;
        device.at(point, () =>
          NEWS[news]?.(device, () => {
            slept = true;
            setting.registerClock.pass(HOUR_MS);
            clock.shift({ wallMs: HOUR_MS, bootMs: HOUR_MS });
          }),
        );
        device.start();
        const runId = await device.run(agentId);
        const look = (): string => device.ending(runId) ?? device.phase(runId);
        await until('it comes to rest', () => ['done', 'needs-recovery'].includes(look()));
        const hits = ['first', 'second'].map((name) => receiver.hits(`/sleeper/${name}`));
        // The news may cut off what has left, and then a person is asked; what it cuts off before that is tried again.
        if (look() === 'done') expect(hits).toEqual([1, 1]);
        else expect(hits).toContain(1);
        expect(Math.max(...hits)).toBeLessThan(2);
        // Nothing that was not on its way yet is sent under the lease that ran out in the sleep.
        const isOnItsWay = point === 'before-effect' || point === 'after-effect';
        const epochs = receiver.received.map((received) => received.epoch);
        if (isOnItsWay && epochs[0] === '1') epochs.shift();
        expect(epochs.filter((epoch) => epoch !== (slept ? '2' : '1'))).toEqual([]);
        if (slept && !isOnItsWay) expect(look(), 'it never got over it').toBe('done');
      }),
  );
});
