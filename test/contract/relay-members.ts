import { describe, expect, it } from 'vitest';
import type { Relay, RelayMember } from '../../src/main/relays/relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { CurrentBench } from './relay-conformance.ts';
import { ANNA, BEN, CLEO, codeOf, collectAll, must, pullAll, pushAll, sampleCheckpoint } from './relay-samples.ts';
import { sampleOperations, stateOf } from './relay-samples.ts';

async function memberOf(relay: Relay, device: DeviceId): Promise<RelayMember | undefined> {
  const found = (await stateOf(relay)).members.filter((member) => member.deviceId === device);
  expect(found.length, 'a device is listed twice').toBeLessThanOrEqual(1);
  return found[0];
}

/** Who takes part, what they have said, and who was let go. */
export function describeRelayMembers(bench: CurrentBench): void {
  describePresence(bench);
  describeLettingGo(bench);
}

function describePresence(bench: CurrentBench): void {
  describe('members', () => {
    it('lists who has been here, once each, over repeated contacts and openings', async () => {
      const anna = await bench().open(ANNA);
      const ben = await bench().open(BEN);
      for (const relay of [anna, ben, anna, await bench().open(BEN)]) await stateOf(relay);
      const { members } = await stateOf(anna);
      expect(members.map((member) => member.deviceId).toSorted()).toEqual([ANNA, BEN]);
      for (const member of members) {
        expect(member).toMatchObject({ acknowledged: {}, isLetGo: false });
        expect(Number.isSafeInteger(member.lastSeenAtMs)).toBe(true);
      }
    });

    it('tells when a device was here last, and does not take the asker for everybody', async () => {
      const anna = await bench().open(ANNA);
      const ben = await bench().open(BEN);
      await stateOf(ben);
      await stateOf(anna);
      const first = [await memberOf(anna, ANNA), await memberOf(anna, BEN)].map((member) => member?.lastSeenAtMs ?? 0);
      await bench().pass?.(86_400_000);
      const later = [await memberOf(anna, ANNA), await memberOf(anna, BEN)].map((member) => member?.lastSeenAtMs ?? 0);
      expect(later[1]).toBe(first[1]);
      const passedMs = (later[0] ?? 0) - (first[0] ?? 0);
      expect(passedMs).toBeGreaterThanOrEqual(bench().pass === undefined ? 0 : 86_400_000);
    });

    it('never takes back what a device has acknowledged', async () => {
      const anna = await bench().open(ANNA);
      await stateOf(anna);
      must(await anna.acknowledge({ anna: 5, ben: 2 }));
      must(await anna.acknowledge({ anna: 3, cleo: 1 }));
      must(await anna.acknowledge({}));
      expect((await memberOf(anna, ANNA))?.acknowledged).toEqual({ anna: 5, ben: 2, cleo: 1 });
      const again = await bench().open(ANNA);
      must(await again.acknowledge({ ben: 1 }));
      expect((await memberOf(anna, ANNA))?.acknowledged).toEqual({ anna: 5, ben: 2, cleo: 1 });
    });
  });
}

function describeLettingGo(bench: CurrentBench): void {
  describe('letting go', () => {
    it('keeps everything for a member that has said nothing, and no more once it was let go', async () => {
      const [anna, ben, cleo] = [await bench().open(ANNA), await bench().open(BEN), await bench().open(CLEO)];
      for (const relay of [anna, ben, cleo]) await stateOf(relay);
      await pushAll(anna, sampleOperations(ANNA, [1, 5]));
      for (const relay of [anna, ben]) must(await relay.acknowledge({ anna: 5 }));
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 5 });
      must(await anna.putCheckpoint(header, parts));
      expect(await collectAll([anna, ben])).toBe(0);
      must(await ben.letGo(CLEO));
      must(await ben.letGo(CLEO));
      expect(await memberOf(anna, CLEO)).toMatchObject({ isLetGo: true });
      expect(await collectAll([anna, ben])).toBe(5);
    });

    it('takes a device back that was let go, from the checkpoint on, and keeps what it needs from then on', async () => {
      const [anna, cleo] = [await bench().open(ANNA), await bench().open(CLEO)];
      for (const relay of [anna, cleo]) await stateOf(relay);
      await pushAll(anna, sampleOperations(ANNA, [1, 5]));
      must(await anna.acknowledge({ anna: 5 }));
      must(await anna.letGo(CLEO));
      const first = sampleCheckpoint(ANNA, { anna: 3 });
      must(await anna.putCheckpoint(first.header, first.parts));
      expect(await collectAll([anna])).toBe(3);

      const returned = await bench().open(CLEO);
      expect((await stateOf(returned)).checkpoint).toEqual(first.header);
      expect(await memberOf(anna, CLEO)).toMatchObject({ isLetGo: false });
      expect(codeOf(await returned.pull({}))).toBe('relay-truncated');
      expect((await pullAll(returned, { anna: 3 })).operations).toEqual(sampleOperations(ANNA, [4, 5]));
      must(await returned.acknowledge({ anna: 4 }));
      const second = sampleCheckpoint(ANNA, { anna: 5 });
      must(await anna.putCheckpoint(second.header, second.parts));
      expect(await collectAll([anna, returned])).toBe(1);
      expect((await pullAll(returned, { anna: 4 })).operations).toEqual(sampleOperations(ANNA, [5, 5]));
    });

    it('lets a device go that is not there, without inventing a member', async () => {
      const anna = await bench().open(ANNA);
      await stateOf(anna);
      must(await anna.letGo(BEN));
      expect((await stateOf(anna)).members.map((member) => member.deviceId)).toEqual([ANNA]);
      await stateOf(await bench().open(BEN));
      expect(await memberOf(anna, BEN)).toMatchObject({ isLetGo: false });
    });

    it('keeps a device that was let go apart from others over a restart', async () => {
      const [anna, ben] = [await bench().open(ANNA), await bench().open(BEN)];
      for (const relay of [anna, ben]) await stateOf(relay);
      must(await anna.letGo(BEN));
      await bench().restart?.();
      const again = await bench().open(ANNA);
      expect(await memberOf(again, BEN)).toMatchObject({ isLetGo: true });
      expect(await memberOf(again, ANNA)).toMatchObject({ isLetGo: false });
    });
  });
}
