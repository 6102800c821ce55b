import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HostBench } from '../../src/main/host/testing/host-bench.ts';
import { schedulesView } from '../../src/main/views/schedules.ts';
import { viewSource } from '../../src/main/views/view-source.ts';
import type { TriggerRow } from '../../src/shared/contract/schedule-views.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { quietly } from './steady-time.ts';
import { sendStep } from './strategies.ts';

const HOUR_MS = 3_600_000;
/** Longer than several looks of the triggers, ms. */
const QUIET_MS = 1_500;

/** A receiver, and devices with a calendar of the test's, all on one register. */
class Office {
  readonly receiver: Receiver;
  readonly #devices: HostBench[] = [];
  readonly #folders = [temporaryFolder()];

  private constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  static async with(play: (office: Office) => Promise<void>): Promise<void> {
    const office = new Office(await Receiver.start());
    try {
      await play(office);
    } finally {
      // What still hangs there ends first, so that no device has to wait for it.
      await office.receiver.close();
      for (const device of office.#devices) await device.close();
      for (const folder of office.#folders) rmSync(folder, { recursive: true, force: true });
    }
  }

  /** A device on which an agent is due, armed at a time before. */
  async device(at: string, text: string): Promise<HostBench> {
    const folder = temporaryFolder();
    this.#folders.push(folder);
    const registerFile = join(this.#folders[0] ?? '', 'register.sqlite');
    const device = await HostBench.start(folder, registerFile, { wallMs: Date.parse(at) });
    this.#devices.push(device);
    await device.agent(text);
    device.host.resume();
    await device.until('its schedule counts', () => device.count('trigger.armed') === 1);
    return device;
  }
}

/** An agent that sends once whenever it is due. */
function due(origin: string, of: { cron: string; timeZone?: string; missed?: string }): string {
  const { cron, timeZone = 'UTC', missed = 'once' } = of;
  return `fencepost: 1
id: due
name: Due
scope: { hosts: ['${new URL(origin).host}'] }
triggers: { schedules: [{ id: slot, cron: '${cron}', timeZone: ${timeZone}, missed: ${missed} }] }
start: send
states:
  send: ${sendStep({ url: `${origin}/due`, next: 'finish' })}
  finish: { type: done }
`;
}

const EVERY_NOON = '0 12 * * *';

/** It is that time, by every clock of a device that stayed awake; or by all but the one that stands still in a sleep. */
function timeIs(device: HostBench, at: string, of: { slept?: boolean } = {}): void {
  const ms = Date.parse(at) - device.clock.read().wallMs;
  device.clock.shift({ wallMs: ms, monotonicMs: of.slept === true ? 0 : ms, bootMs: ms });
  device.host.resume();
}

/** What the window shows of the one schedule, and of what it missed. */
function shown(device: HostBench) {
  const source = viewSource(device.host.control);
  if (source === null) throw new Error('The record is not open.');
  const { triggers, missed } = schedulesView(source, { origin: null, trouble: '' });
  const [trigger] = triggers;
  if (trigger === undefined) throw new Error('There is no schedule any more.');
  return { trigger, missed: missed.map(({ reason, state, slotCount }) => `${reason} ${slotCount}: ${state}`) };
}

function lastRun(device: HostBench): string {
  const { lastRun: run }: Pick<TriggerRow, 'lastRun'> = shown(device).trigger;
  return run === null ? 'never' : run.status;
}

function ended(device: HostBench): number {
  return device.rows('SELECT 1 FROM runs WHERE ending IS NOT NULL').length;
}

describe('a slot of a schedule', { concurrent: true }, () => {
  // anthropics/claude-code#94415 and #93626: one miss switches the schedule off for good, and nobody is told.
  it.each([
    { policy: 'skip', line: 'device-off 3: open', hits: 0 },
    { policy: 'once', line: 'device-off 3: ran', hits: 1 },
  ])('that passed behind a closed lid leaves no line, or is the last one: $policy', ({ policy, line, hits }) =>
    Office.with(async (office) => {
      const { receiver } = office;
      const text = due(receiver.origin, { cron: EVERY_NOON, missed: policy });
      const device = await office.device('2027-06-01T10:00Z', text);
      timeIs(device, '2027-06-03T18:00Z', { slept: true });
      await device.until('the slots leave a line', () => shown(device).missed[0] === line && ended(device) === hits);
      expect(shown(device).trigger).toMatchObject({ isOn: true, note: '', nextAtMs: Date.parse('2027-06-04T12:00Z') });
      expect(receiver.hits('/due')).toBe(hits);
      timeIs(device, '2027-06-04T12:00:01Z', { slept: true });
      await device.until('the next one runs', () => ended(device) === hits + 1);
      expect(receiver.hits('/due')).toBe(hits + 1);
      expect(shown(device).missed).toEqual([line]);
    }),
  );

  // anthropics/claude-code#76304, #74432, #73927 and #60144: it was dispatched, the machine slept, and it counted as run.
  it.each([
    { point: 'after-trigger', behaviour: 'answer', until: 'done' },
    { point: 'before-intent', behaviour: 'answer', until: 'done' },
    { point: 'after-in-flight', behaviour: 'answer', until: 'done' },
    { point: 'before-effect', behaviour: 'cut', until: 'needs-recovery' },
  ] as const)('that was taken up at $point of a sleep counts as run: $until', ({ point, behaviour, until }) =>
    Office.with(async (office) => {
      const { receiver } = office;
      receiver.behaviour = () => behaviour;
      const device = await office.device('2027-06-01T11:59Z', due(receiver.origin, { cron: EVERY_NOON }));
      const seen = new Set<string>();
      let slept = false;
      device.at(point, () => {
        device.clock.shift({ wallMs: HOUR_MS, bootMs: HOUR_MS });
        slept = true;
      });
      timeIs(device, '2027-06-01T12:00:01Z');
      await device.until('it comes to rest', () => {
        const word = lastRun(device);
        // Nobody may say that it ran before its outcome is written down.
        if (device.count('settle.recorded') === 0) seen.add(word);
        return slept && word === until;
      });
      await quietly(QUIET_MS);
      expect([...seen].filter((word) => word === 'done')).toEqual([]);
      expect(lastRun(device)).toBe(until);
      expect(receiver.hits('/due')).toBe(1);
      expect(device.count('trigger.fired')).toBe(1);
    }),
  );

  // use-agent-os/agent-os#2472, netresearch/go-cron#350, temporalio/temporal#8205: and two devices, of which each is awake
  // in one of the two hours that have the same name.
  it('comes twice on the day on which the clocks are set back, or on one device in each of the two hours', () =>
    Office.with(async (office) => {
      const { receiver } = office;
      const text = due(receiver.origin, { cron: '30 1 * * *', timeZone: 'America/New_York' });
      const early = await office.device('2026-11-01T05:00Z', text);
      const late = await office.device('2026-11-01T05:00Z', text);
      timeIs(early, '2026-11-01T05:30:01Z');
      await early.until('it runs at half past one', () => ended(early) === 1);
      // It is half past one once more: the first device is awake, and the other one wakes up.
      timeIs(early, '2026-11-01T06:30:01Z');
      timeIs(late, '2026-11-01T06:30:01Z', { slept: true });
      await late.until('it is the same run', () => ended(late) === 1);
      await quietly(QUIET_MS);
      expect(receiver.hits('/due')).toBe(1);
      const ids = [early, late].flatMap((each) => each.rows<{ run_id: string }>('SELECT run_id FROM runs'));
      expect(new Set(ids.map((row) => row.run_id)).size).toBe(1);
      timeIs(early, '2026-11-02T06:30:01Z');
      await early.until('it runs on the next day', () => ended(early) === 2);
      expect(receiver.hits('/due')).toBe(2);
    }));

  it('is left out on the day on which the clocks are set forward, or comes with the next one', () =>
    Office.with(async (office) => {
      const { receiver } = office;
      const text = due(receiver.origin, { cron: '30 2 * * *', timeZone: 'America/New_York' });
      const device = await office.device('2027-03-13T08:00Z', text);
      for (const [day, at] of ['2027-03-14T07:00:01Z', '2027-03-14T07:30:01Z', '2027-03-15T06:30:01Z'].entries()) {
        timeIs(device, at);
        await quietly(QUIET_MS);
        await device.until('the run ends', () => ended(device) === [1, 1, 2][day]);
        expect(receiver.hits('/due')).toBe([1, 1, 2][day]);
      }
      expect(device.rows('SELECT 1 FROM missed_slots')).toEqual([]);
    }));
});
