import { CLOCK_DIVERGENCE_MS } from '../../src/shared/core/lease/clock.ts';
import type { ClockReading, LeaseInstant } from '../../src/shared/core/lease/clock.ts';
import type { HeldLease } from '../../src/shared/core/lease/held-lease.ts';
import { HOLD_OFF_MS, SEND_WINDOW_MS } from '../../src/shared/core/lease/lease.ts';
import { AGENT } from './names.ts';
import type { Rules } from './rules.ts';
import type { Age, Asking, Attempt, Device, Flight, Held, Register, Scenario, State } from './state.ts';

const BASE_MS = 1_000_000;
const BOOT = 'boot';

/** A scenario with its rules and with the numbers that follow from both. */
export interface Setting {
  readonly rules: Rules;
  readonly scenario: Scenario;
  readonly now: ClockReading;
  readonly nowInstant: LeaseInstant;
  /** Ticks after which no rule can tell an age from an older one. */
  readonly leaseAgeLimit: number;
  readonly holdOffAgeLimit: number;
  readonly fenceAgeLimit: number;
  readonly sleptLimit: number;
}

export function settingOf(scenario: Scenario, rules: Rules): Setting {
  const { tickMs, ttlMs } = scenario;
  return {
    rules,
    scenario,
    now: { wallMs: BASE_MS, monotonicMs: BASE_MS, bootMs: BASE_MS },
    nowInstant: { bootId: BOOT, bootMs: BASE_MS },
    leaseAgeLimit: Math.ceil(rules.localTermMs(ttlMs) / tickMs),
    // The hold-off ends by the slowest clock: the tick that a sleep can take from it counts as well.
    holdOffAgeLimit: Math.ceil(HOLD_OFF_MS / tickMs),
    fenceAgeLimit: Math.ceil(SEND_WINDOW_MS / tickMs),
    sleptLimit: Math.floor(CLOCK_DIVERGENCE_MS / tickMs) + 1,
  };
}

/** The three clocks as they stood then: calendar and boot time go on in a sleep, monotonic time does not. */
export function readingAt(setting: Setting, { ticks, slept }: Age): ClockReading {
  const { tickMs } = setting.scenario;
  const bootMs = BASE_MS - ticks * tickMs;
  return { wallMs: bootMs, monotonicMs: bootMs + slept * tickMs, bootMs };
}

export function instantIn(setting: Setting, left: number): LeaseInstant {
  return { bootId: BOOT, bootMs: BASE_MS + left * setting.scenario.tickMs };
}

export function ageOf(setting: Setting, reading: ClockReading): Age {
  const { tickMs } = setting.scenario;
  return {
    ticks: (BASE_MS - reading.bootMs) / tickMs,
    slept: (reading.monotonicMs - reading.bootMs) / tickMs,
  };
}

export function heldLease(setting: Setting, held: Held): HeldLease {
  return {
    agentId: AGENT,
    epoch: held.epoch,
    nonce: held.nonce,
    ttlMs: setting.scenario.ttlMs,
    sentAt: readingAt(setting, held.sent),
    holdOffFrom: held.holdOff === null ? null : readingAt(setting, held.holdOff),
    isDoubtful: held.isDoubtful,
  };
}

/** Ticks until the deadline of a claim made under this lease (the host's `claimUntil`). */
export function claimLeft(setting: Setting, held: Held): number {
  const { tickMs, ttlMs } = setting.scenario;
  return Math.max(0, Math.ceil(setting.rules.localTermMs(ttlMs) / tickMs) - held.sent.ticks);
}

function older(of: Age, limits: { ticks: number; slept: number }, isAsleep: boolean): Age {
  const ticks = Math.min(limits.ticks, of.ticks + 1);
  const slept = isAsleep ? Math.min(limits.slept, of.slept + 1) : of.slept;
  return ticks === of.ticks && slept === of.slept ? of : { ticks, slept };
}

/** One tick passes for one device. */
function ageDevice(setting: Setting, device: Device): Device {
  const { isAsleep } = device;
  const lease = { ticks: setting.leaseAgeLimit, slept: setting.sleptLimit };
  const ageHeld = (held: Held | null): Held | null => {
    if (held === null) return null;
    // A wait that is over stays over, whatever the machine does: only a tick in which a clock stood still is slower.
    const sent = older(held.sent, lease, isAsleep);
    const holdOff = held.holdOff === null ? null : ageHoldOff(setting, held.holdOff, isAsleep);
    return sent === held.sent && holdOff === held.holdOff ? held : { ...held, sent, holdOff };
  };
  const ageAsking = (asking: Asking): Asking => ({
    ...asking,
    age: older(asking.age, lease, isAsleep),
    held: ageHeld(asking.held),
  });
  const ageFlight = (flight: Flight): Flight => ({
    ...flight,
    left: Math.max(0, flight.left - 1),
    fence: older(flight.fence, { ticks: setting.fenceAgeLimit, slept: setting.sleptLimit }, isAsleep),
  });
  return {
    ...device,
    attempts: device.attempts.map(ageAttempt),
    held: ageHeld(device.held),
    nonce: device.nonce === null ? null : { ...device.nonce, age: older(device.nonce.age, lease, isAsleep) },
    asking: device.asking === null ? null : ageAsking(device.asking),
    flight: device.flight === null ? null : ageFlight(device.flight),
  };
}

/** The part of the wait that counts is the one in which every clock ran; more than the whole of it means nothing new. */
function ageHoldOff(setting: Setting, of: Age, isAsleep: boolean): Age {
  if (isAsleep || of.ticks >= setting.holdOffAgeLimit) return of;
  return { ticks: of.ticks + 1, slept: 0 };
}

function ageAttempt(attempt: Attempt): Attempt {
  return attempt.left === 0 ? attempt : { ...attempt, left: attempt.left - 1 };
}

function ageRegister(register: Register): Register {
  return register.left === 0 ? register : { ...register, left: register.left - 1 };
}

/** Time passes for everybody. */
export function pass(setting: Setting, state: State): State {
  return {
    ...state,
    devices: state.devices.map((device) => ageDevice(setting, device)),
    register: ageRegister(state.register),
  };
}
