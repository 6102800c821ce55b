import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Relay, RelayState } from '../../src/main/relays/relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { coversFrontier, joinFrontiers, knownUpTo, stableFrontier } from '../../src/shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier } from '../../src/shared/core/sync/sealed.ts';
import type { CurrentBench } from './relay-conformance.ts';
import { ANNA, BEN, CLEO, codeOf, inOrder, must, sampleCheckpoint, sampleOperations } from './relay-samples.ts';
import { collectAll, stateOf } from './relay-samples.ts';

const DEVICES = [ANNA, BEN, CLEO] as const;
/** Worlds and calls in each: enough that every pair of calls comes in both orders. */
const WORLDS = 6;
const CALLS = 60;

/** The port's meaning, without any storage. */
class RelayModel {
  readonly #heads = new Map<string, number>();
  readonly #dropped = new Map<string, number>();
  readonly #members = new Map<string, { acknowledged: Frontier; isLetGo: boolean }>();
  checkpoint: CheckpointHeader | null = null;

  head(device: string): number {
    return Math.max(this.#heads.get(device) ?? 0, knownUpTo(this.checkpoint?.frontier ?? {}, device));
  }

  contact(device: string): void {
    this.#members.set(device, { acknowledged: this.#members.get(device)?.acknowledged ?? {}, isLetGo: false });
  }

  push(device: string, last: number): void {
    this.#heads.set(device, Math.max(this.head(device), last));
  }

  acknowledge(device: string, have: Frontier): void {
    const before = this.#members.get(device)?.acknowledged ?? {};
    this.#members.set(device, { acknowledged: joinFrontiers(before, have), isLetGo: false });
  }

  put(header: CheckpointHeader): void {
    if (this.checkpoint === null || coversFrontier(header.frontier, this.checkpoint.frontier)) this.checkpoint = header;
  }

  letGo(device: string): void {
    const member = this.#members.get(device);
    if (member !== undefined) this.#members.set(device, { ...member, isLetGo: true });
  }

  /** Answers how many operations go. */
  collect(): number {
    const asked = [...this.#members.values()].filter((member) => !member.isLetGo).map((member) => member.acknowledged);
    const stable = stableFrontier([...asked, this.checkpoint?.frontier ?? {}]);
    let gone = 0;
    for (const [device, seq] of Object.entries(stable)) {
      const before = this.#dropped.get(device) ?? 0;
      gone += Math.max(0, seq - before);
      this.#dropped.set(device, Math.max(before, seq));
    }
    return gone;
  }

  /** Up to where each device is served to one that has `have`, or `null` where some of what it lacks was dropped. */
  lacks(have: Frontier): Frontier | null {
    const isLost = DEVICES.some((device) => knownUpTo(have, device) < (this.#dropped.get(device) ?? 0));
    return isLost ? null : Object.fromEntries(DEVICES.map((device) => [device, this.head(device)]));
  }

  state(): { heads: Frontier; members: { deviceId: DeviceId; acknowledged: Frontier; isLetGo: boolean }[] } {
    const heads = DEVICES.map((device) => [device, this.head(device)] as const).filter(([, seq]) => seq > 0);
    const members = DEVICES.flatMap((device) => {
      const member = this.#members.get(device);
      return member === undefined ? [] : [{ deviceId: device, ...member }];
    });
    return { heads: Object.fromEntries(heads), members };
  }
}

const call = fc.record({
  device: fc.constantFrom(...DEVICES),
  kind: fc.constantFrom('push', 'push', 'push', 'pull', 'pull', 'acknowledge', 'checkpoint', 'collect', 'letGo'),
  one: fc.nat({ max: 9 }),
  other: fc.nat({ max: 9 }),
  third: fc.nat({ max: 9 }),
});

type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

interface World {
  readonly model: RelayModel;
  readonly relays: ReadonlyMap<DeviceId, Relay>;
}

/** Random calls against the port's meaning, for what none of the other tests thought of. */
export function describeRelayAgainstTheModel(bench: CurrentBench): void {
  const worlds = fc.sample(fc.array(call, { minLength: CALLS, maxLength: CALLS }), { numRuns: WORLDS, seed: 20 });
  it.each(worlds.map((calls, seed) => ({ seed, calls })))(
    'means the same by any order and repetition of calls, world $seed',
    async ({ calls }) => {
      const relays = new Map<DeviceId, Relay>();
      for (const device of DEVICES) relays.set(device, await bench().open(device));
      const world: World = { model: new RelayModel(), relays };
      expect(calls).toHaveLength(CALLS);
      for (const [index, each] of calls.entries()) {
        const where = `call ${index}: ${JSON.stringify(each)}`;
        const relay = relayOf(world, each.device);
        must(await relay.contact());
        world.model.contact(each.device);
        await play(world, { each, where });
        compareState(await stateOf(relay), { model: world.model, where });
      }
    },
  );
}

function relayOf(world: World, device: DeviceId): Relay {
  const relay = world.relays.get(device);
  if (relay === undefined) throw new Error(`${device} is not there.`);
  return relay;
}

function compareState(state: RelayState, of: { readonly model: RelayModel; readonly where: string }): void {
  const expected = of.model.state();
  expect(state.heads, of.where).toEqual(expected.heads);
  expect(state.checkpoint, of.where).toEqual(of.model.checkpoint);
  const seen = DEVICES.flatMap((device) => state.members.filter((member) => member.deviceId === device));
  expect(seen.length, of.where).toBe(state.members.length);
  expect(
    seen.map(({ deviceId, acknowledged, isLetGo }) => ({ deviceId, acknowledged, isLetGo })),
    of.where,
  ).toEqual(expected.members);
}

/** One call on both sides. */
async function play(world: World, of: { readonly each: Call; readonly where: string }): Promise<void> {
  const { model } = world;
  const { device, kind } = of.each;
  const relay = relayOf(world, device);
  if (kind === 'push') await playPush(world, of);
  else if (kind === 'pull') await playPull(world, of);
  else if (kind === 'acknowledge') {
    const have = someFrontier(model, of.each);
    must(await relay.acknowledge(have));
    model.acknowledge(device, have);
  } else if (kind === 'checkpoint') {
    const { header, parts } = sampleCheckpoint(device, someFrontier(model, of.each));
    must(await relay.putCheckpoint(header, parts));
    model.put(header);
  } else if (kind === 'collect') {
    const dropped = await collectAll([...world.relays.values()]);
    expect(dropped, of.where).toBe(model.collect());
  } else {
    const other = DEVICES[(DEVICES.indexOf(device) + 1) % DEVICES.length] ?? ANNA;
    must(await relay.letGo(other));
    model.letGo(other);
  }
}

/** Something at or below what is held of each device, so that what was dropped is exact. */
function someFrontier(model: RelayModel, { one, other, third }: Call): Frontier {
  const backs = [one, other, third];
  const known = DEVICES.map((device, index) => [device, model.head(device) - (backs[index] ?? 0)] as const);
  return Object.fromEntries(known.filter(([, seq]) => seq > 0));
}

async function playPush(world: World, { each, where }: { readonly each: Call; readonly where: string }): Promise<void> {
  const relay = relayOf(world, each.device);
  const head = world.model.head(each.device);
  const first = each.third === 9 ? head + 2 : Math.max(1, head + 1 - each.one);
  const last = first + each.other;
  const pushed = await relay.push(sampleOperations(each.device, [first, last]));
  if (first > head + 1) {
    expect(codeOf(pushed), where).toBe('relay-gap');
    return;
  }
  world.model.push(each.device, last);
  expect(must(pushed).head, where).toBe(world.model.head(each.device));
}

async function playPull(world: World, { each, where }: { readonly each: Call; readonly where: string }): Promise<void> {
  const have = someFrontier(world.model, each);
  const pulled = await relayOf(world, each.device).pull(have);
  const lacks = world.model.lacks(have);
  if (lacks === null) {
    expect(codeOf(pulled), where).toBe('relay-truncated');
    return;
  }
  const { operations, isMore } = must(pulled);
  const expected = DEVICES.flatMap((device) =>
    sampleOperations(device, [knownUpTo(have, device) + 1, lacks[device] ?? 0]),
  );
  expect(inOrder(operations), where).toEqual(inOrder(expected));
  expect(isMore, where).toBe(false);
}
