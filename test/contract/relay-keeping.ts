import { describe, expect, it } from 'vitest';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { Frontier } from '../../src/shared/core/sync/sealed.ts';
import type { CurrentBench } from './relay-conformance.ts';
import { ANNA, BEN, codeOf, collectAll, must, pullAll, pushAll, sampleCheckpoint } from './relay-samples.ts';
import { sampleOperation, sampleOperations, stateOf } from './relay-samples.ts';

/** Two members who have pushed `count` operations each, know all of them, and have said so up to `acknowledged`. */
async function twoMembers(
  bench: CurrentBench,
  of: { readonly count: number; readonly acknowledged: Frontier },
): Promise<readonly [Relay, Relay]> {
  const anna = await bench().open(ANNA);
  const ben = await bench().open(BEN);
  await stateOf(anna);
  await stateOf(ben);
  await pushAll(anna, sampleOperations(ANNA, [1, of.count]));
  await pushAll(ben, sampleOperations(BEN, [1, of.count]));
  for (const relay of [anna, ben]) must(await relay.acknowledge(of.acknowledged));
  return [anna, ben];
}

/** What relays keep and drop: checkpoints and what lies below them. */
export function describeKeeping(bench: CurrentBench): void {
  describeCheckpoints(bench);
  describeCollecting(bench);
  describeRestart(bench);
}

function describeCheckpoints(bench: CurrentBench): void {
  describe('checkpoints', () => {
    it('gives back a checkpoint of several parts, long ones included, to every device', async () => {
      const anna = await bench().open(ANNA);
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 4, ben: 2 }, { parts: 5, characters: 600_000 });
      must(await anna.putCheckpoint(header, parts));
      const ben = await bench().open(BEN);
      expect((await stateOf(ben)).checkpoint).toEqual(header);
      for (const [index, part] of parts.entries()) {
        expect(must(await ben.checkpointPart(header.checkpointId, index)) === part).toBe(true);
      }
    });

    it('does not show a checkpoint that lacks a part or has one too many', async () => {
      const anna = await bench().open(ANNA);
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 4 }, { parts: 3 });
      expect(codeOf(await anna.putCheckpoint(header, parts.slice(1)))).not.toBeNull();
      expect(codeOf(await anna.putCheckpoint(header, [...parts, 'more']))).not.toBeNull();
      expect(codeOf(await anna.putCheckpoint({ ...header, partCount: 0 }, []))).not.toBeNull();
      expect((await stateOf(anna)).checkpoint).toBeNull();
    });

    it('passes over one that knows less in any part, and takes one that knows more', async () => {
      const anna = await bench().open(ANNA);
      const ben = await bench().open(BEN);
      const first = sampleCheckpoint(ANNA, { anna: 4, ben: 4 });
      must(await anna.putCheckpoint(first.header, first.parts));
      for (const frontier of [{ anna: 3, ben: 9 }, { anna: 9 }, {}] as Frontier[]) {
        const older = sampleCheckpoint(BEN, frontier);
        must(await ben.putCheckpoint(older.header, older.parts));
        expect((await stateOf(anna)).checkpoint).toEqual(first.header);
      }
      const second = sampleCheckpoint(BEN, { anna: 4, ben: 5 });
      must(await ben.putCheckpoint(second.header, second.parts));
      expect((await stateOf(anna)).checkpoint).toEqual(second.header);
      expect(must(await anna.checkpointPart(second.header.checkpointId, 1))).toBe(second.parts[1]);
      expect(codeOf(await anna.checkpointPart(first.header.checkpointId, 0))).toBe('relay-truncated');
    });

    it('takes the same checkpoint twice for one', async () => {
      const anna = await bench().open(ANNA);
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 2 });
      must(await anna.putCheckpoint(header, parts));
      must(await anna.putCheckpoint(header, parts));
      expect((await stateOf(anna)).checkpoint).toEqual(header);
      expect(must(await anna.checkpointPart(header.checkpointId, 1))).toBe(parts[1]);
    });

    it('has no part beyond the last, before the first, or of a checkpoint that nobody made', async () => {
      const anna = await bench().open(ANNA);
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 2 });
      must(await anna.putCheckpoint(header, parts));
      for (const index of [2, -1, 0.5]) {
        expect(codeOf(await anna.checkpointPart(header.checkpointId, index))).not.toBeNull();
      }
      expect(codeOf(await anna.checkpointPart('f'.repeat(64), 0))).toBe('relay-truncated');
    });

    it('counts what is below a checkpoint as held, so that a journal goes on after it', async () => {
      const anna = await bench().open(ANNA);
      const { header, parts } = sampleCheckpoint(BEN, { anna: 5 });
      must(await (await bench().open(BEN)).putCheckpoint(header, parts));
      expect((await stateOf(anna)).heads).toEqual({ anna: 5 });
      expect(codeOf(await anna.push([sampleOperation(ANNA, 7)]))).toBe('relay-gap');
      expect(must(await anna.push(sampleOperations(ANNA, [4, 7]))).head).toBe(7);
      expect((await pullAll(anna, { anna: 5 })).operations).toEqual(sampleOperations(ANNA, [6, 7]));
    });
  });
}

function describeCollecting(bench: CurrentBench): void {
  describe('collecting', () => {
    it('drops nothing without a checkpoint, and nothing above what every member has acknowledged', async () => {
      const [anna, ben] = await twoMembers(bench, { count: 6, acknowledged: { anna: 3, ben: 2 } });
      expect(await collectAll([anna, ben])).toBe(0);
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 5, ben: 6 });
      must(await anna.putCheckpoint(header, parts));
      expect(await collectAll([anna, ben])).toBe(5);
      expect(await collectAll([anna, ben])).toBe(0);
      const { operations } = await pullAll(ben, { anna: 3, ben: 2 });
      expect(operations).toHaveLength(7);
    });

    it('drops nothing above the checkpoint, whatever was acknowledged', async () => {
      const [anna, ben] = await twoMembers(bench, { count: 6, acknowledged: { anna: 6, ben: 6 } });
      const { header, parts } = sampleCheckpoint(BEN, { anna: 2, ben: 1 });
      must(await ben.putCheckpoint(header, parts));
      expect(await collectAll([anna, ben])).toBe(3);
      expect((await pullAll(anna, { anna: 2, ben: 1 })).operations).toHaveLength(9);
    });

    it('sends whoever lacks something that was dropped to the checkpoint, and nobody else', async () => {
      const [anna, ben] = await twoMembers(bench, { count: 4, acknowledged: { anna: 4, ben: 4 } });
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 2, ben: 0 });
      must(await anna.putCheckpoint(header, parts));
      expect(await collectAll([anna, ben])).toBe(2);
      expect(codeOf(await ben.pull({}))).toBe('relay-truncated');
      expect(codeOf(await ben.pull({ anna: 1, ben: 4 }))).toBe('relay-truncated');
      expect((await pullAll(ben, { anna: 2, ben: 4 })).operations).toEqual(sampleOperations(ANNA, [3, 4]));
      expect((await stateOf(ben)).heads).toEqual({ anna: 4, ben: 4 });
    });

    it('passes over a push of what was dropped, and goes on after it', async () => {
      const [anna, ben] = await twoMembers(bench, { count: 4, acknowledged: { anna: 4, ben: 4 } });
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 4, ben: 4 });
      must(await anna.putCheckpoint(header, parts));
      expect(await collectAll([anna, ben])).toBe(8);
      expect(must(await anna.push(sampleOperations(ANNA, [1, 4]))).head).toBe(4);
      expect(must(await anna.push(sampleOperations(ANNA, [5, 5]))).head).toBe(5);
      expect((await pullAll(ben, { anna: 4, ben: 4 })).operations).toEqual(sampleOperations(ANNA, [5, 5]));
    });

    it('drops what a batch holds on one side of the limit and keeps the other side', async () => {
      const [anna, ben] = await twoMembers(bench, { count: 1_000, acknowledged: { anna: 1_000, ben: 1_000 } });
      const { header, parts } = sampleCheckpoint(ANNA, { anna: 500, ben: 1 });
      must(await anna.putCheckpoint(header, parts));
      expect(await collectAll([anna, ben])).toBe(501);
      expect((await pullAll(ben, { anna: 500, ben: 1 })).operations).toHaveLength(1_499);
      expect(codeOf(await ben.pull({ anna: 499, ben: 1 }))).toBe('relay-truncated');
    });
  });
}

function describeRestart(bench: CurrentBench): void {
  it('keeps operations, checkpoints, members and what they acknowledged over a restart', async () => {
    const [anna] = await twoMembers(bench, { count: 5, acknowledged: { anna: 3, ben: 5 } });
    const { header, parts } = sampleCheckpoint(ANNA, { anna: 2 });
    must(await anna.putCheckpoint(header, parts));
    must(await anna.collect());
    await bench().restart?.();
    const again = await bench().open(ANNA);
    const state = await stateOf(again);
    expect(state.heads).toEqual({ anna: 5, ben: 5 });
    expect(state.checkpoint).toEqual(header);
    expect(state.members.map((member) => member.acknowledged)).toEqual([
      { anna: 3, ben: 5 },
      { anna: 3, ben: 5 },
    ]);
    expect(must(await again.checkpointPart(header.checkpointId, 0))).toBe(parts[0]);
    expect((await pullAll(again, { anna: 2, ben: 3 })).operations).toHaveLength(5);
    expect(await pushAll(again, sampleOperations(ANNA, [4, 7]))).toBe(7);
  });
}
