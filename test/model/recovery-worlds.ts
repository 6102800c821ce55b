import { scaled } from '../harness/figures.ts';
import type { Scenario } from './state.ts';
import { WORLD } from './worlds.ts';

const DIRECT: Scenario = { ...WORLD, devices: 2, network: 'direct' };

const THREE = { devices: 3, effects: 2, epochs: 4 } as const;

/** Worlds around what did not finish, and what a person says about it. */
export const RECOVERY_WORLDS: readonly Scenario[] = [
  {
    ...WORLD,
    name: 'a register inside the store, crashes and decisions',
    effects: 2,
    attempts: 3,
    epochs: 4,
    isEmbedded: true,
    budget: { crash: 2, decision: 3, unclear: 1, stop: 1, twice: 1, release: 1 },
    limit: scaled(200_000, 5_000_000),
  },
  {
    ...DIRECT,
    name: 'decisions about one attempt on two devices',
    effects: 2,
    budget: { unclear: 1, decision: 2 },
  },
  {
    ...DIRECT,
    name: 'a crash, a lost answer and a decision',
    budget: { crash: 1, loss: 1, decision: 1 },
    limit: scaled(300_000, 5_000_000),
  },
  { ...DIRECT, name: 'journals are folded and the tail is pruned', effects: 2, budget: { crash: 1, sync: 2 } },
  {
    ...DIRECT,
    name: 'three devices, two steps, a crash and a decision',
    ...THREE,
    budget: { crash: 1, decision: 1, unclear: 1 },
    limit: scaled(250_000, 5_000_000),
  },
  {
    ...DIRECT,
    ...THREE,
    name: 'three devices, two steps, lost answers and a device that sleeps',
    budget: { loss: 2, sleep: 1, unclear: 1 },
    limit: scaled(100_000, 5_000_000),
  },
  {
    ...DIRECT,
    ...THREE,
    name: 'three devices, two steps, an old register is put back',
    budget: { backup: 1, restore: 1, crash: 1, loss: 1, sleep: 1 },
    limit: scaled(100_000, 5_000_000),
  },
  {
    ...WORLD,
    name: 'a later start reports for its predecessor, and twice',
    budget: { crash: 1, stranger: 1, twice: 1, unclear: 1 },
  },
  {
    ...DIRECT,
    name: 'a kind that may be repeated by itself',
    effectKind: 'idempotent-by-key',
    budget: { unclear: 1, crash: 1 },
    limit: scaled(150_000, 5_000_000),
  },
  { ...DIRECT, name: 'a person stops the run on two devices', budget: { stop: 2, unclear: 1, decision: 1 } },
];
