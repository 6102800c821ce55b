import { scaled } from '../harness/figures.ts';
import type { Scenario } from './state.ts';

/**
 * The plainest world. Ticks are as long as they can be with every limit on its own tick: with 3 s, the send window ends
 * after one, the hold-off and the local term after two, the lease at the register after three.
 */
export const WORLD: Scenario = {
  name: 'one device, one step',
  devices: 1,
  effects: 1,
  epochs: 2,
  attempts: 2,
  tickMs: 3_000,
  ttlMs: 9_000,
  isEmbedded: false,
  network: 'slow',
  effectKind: 'blind',
  restoreKeepsName: false,
  budget: {},
  without: [],
  limit: Number.POSITIVE_INFINITY,
};

/** Two devices and a network that may take any time. */
const SLOW: Scenario = { ...WORLD, devices: 2, attempts: 1 };
/** Two devices and a register that answers at once or not at all. */
const DIRECT: Scenario = { ...SLOW, network: 'direct' };
/** What no register of the product does by itself, and a copied file or a restored machine does. */
const OLD_COPY = { restoreKeepsName: true, budget: { backup: 1, restore: 1 } } as const;
const SECONDS = { tickMs: 1_000, ttlMs: 7_500 } as const;

/** Worlds around the register and the lease. */
export const LEASE_WORLDS: readonly Scenario[] = [
  { ...WORLD, name: 'one device, every limit on its own tick of 1 s', attempts: 1, ...SECONDS },
  { ...SLOW, name: 'two devices, questions and answers take any time' },
  {
    ...DIRECT,
    name: 'three devices, a holder crashes and others take over',
    devices: 3,
    epochs: 3,
    budget: { crash: 1 },
  },
  { ...DIRECT, name: 'the register ends a lease early, ticks of 1 s', budget: { 'early-end': 1 }, ...SECONDS },
  { ...DIRECT, name: 'a question or its answer is lost, and a holder crashes', budget: { crash: 1, loss: 2 } },
  {
    ...DIRECT,
    name: 'a device sleeps with its monotonic clock, and the register ends a lease early',
    budget: { sleep: 1, 'early-end': 1 },
  },
  { ...DIRECT, name: 'a lease is given up and taken again', epochs: 4, budget: { release: 2 } },
  {
    ...DIRECT,
    name: 'an old register is put back',
    epochs: 3,
    budget: { backup: 1, restore: 1, crash: 2 },
    limit: scaled(250_000, 5_000_000),
  },
  { ...WORLD, ...OLD_COPY, name: 'an old register is put back under its name', attempts: 1 },
  { ...DIRECT, ...OLD_COPY, name: 'an old register is put back under its name, two devices' },
  {
    ...DIRECT,
    ...OLD_COPY,
    name: 'an old register is put back under its name, three devices',
    devices: 3,
    epochs: 3,
    limit: scaled(100_000, 5_000_000),
  },
  {
    ...SLOW,
    name: 'a release arrives late',
    budget: { loss: 1, release: 1 },
    limit: scaled(300_000, 5_000_000),
  },
  {
    ...SLOW,
    name: 'questions arrive twice, at any later time',
    budget: { duplicate: 2 },
    limit: scaled(200_000, 5_000_000),
  },
];
