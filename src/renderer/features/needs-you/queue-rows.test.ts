import { describe, expect, it } from 'vitest';
import type { NeedsYouItem, NeedsYouView } from '../../../shared/contract/decision-views.ts';
import { BATCH_MAX } from '../../../shared/core/recovery/alike-doubts.ts';
import { batchesOf, idFromPath, itemPath, oldestSinceMs, queueOrder, rowOrder, stepTo } from './queue-rows.ts';

function item(kind: NeedsYouItem['kind'], id: string, sinceMs: number): NeedsYouItem {
  return {
    kind,
    id,
    sinceMs,
    title: id,
    sentence: '',
    runId: 'r',
    runNumber: 1,
    runTitle: '',
    agentName: 'a',
    deviceName: 'd',
    alike: null,
  };
}

const view: NeedsYouView = {
  sequence: 1,
  unclear: [item('unclear', 'u2', 50), item('unclear', 'u1', 40)],
  waiting: [],
  approvals: [item('approve', 'a1', 10)],
  settled: [],
  finishedSinceYesterday: 0,
};

describe('questions that are answered together', () => {
  const alike = (id: string, key: string | null, sinceMs = 1): NeedsYouItem => ({
    ...item('approve', id, sinceMs),
    alike: key,
  });

  it('takes in one that is not like the others, one that is alone, or one of the other kind', () => {
    const unclear = { ...item('unclear', 'u', 1), alike: 'k' };
    const approvals = [alike('b', 'k', 9), alike('a', 'k', 3), alike('x', 'other'), alike('y', null), alike('z', null)];
    expect(batchesOf({ ...view, unclear: [unclear], approvals }, 'unclear')).toEqual([]);
    const batches = batchesOf({ ...view, unclear: [unclear, { ...unclear, id: 'w' }], approvals }, 'approve');
    expect(batches.map(({ items, left }) => [items.map((each) => each.id), left])).toEqual([[['a', 'b'], 0]]);
  });

  it('lists more than anybody reads before they answer', () => {
    const approvals = Array.from({ length: BATCH_MAX + 3 }, (_, index) => alike(`a${index}`, 'k', index));
    const [batch] = batchesOf({ ...view, approvals }, 'approve');
    expect(batch?.items).toHaveLength(BATCH_MAX);
    expect(batch?.items[0]?.id).toBe('a0');
    expect(batch?.left).toBe(3);
  });
});

describe('the queue', () => {
  it('puts the unclear ones above an approval that waits longer', () => {
    expect(queueOrder(view).map((row) => row.id)).toEqual(['u1', 'u2', 'a1']);
  });

  it('puts what waits for another device above what needs a person, or counts it', () => {
    const later = { ...item('unclear', 'w2', 3), deviceName: 'Work-PC' };
    const with3 = { ...view, waiting: [item('unclear', 'w3', 9), later, item('unclear', 'w1', 1)] };
    expect(rowOrder(with3).map((row) => row.id)).toEqual(['u1', 'u2', 'a1', 'w1', 'w3', 'w2']);
    expect(queueOrder(with3)).toHaveLength(3);
    expect(oldestSinceMs(with3)).toBe(10);
  });

  it('knows the oldest of both kinds', () => {
    expect(oldestSinceMs(view)).toBe(10);
    expect(oldestSinceMs({ ...view, unclear: [], approvals: [] })).toBeNull();
  });

  it('stops at both ends instead of wrapping round to another decision', () => {
    const rows = queueOrder(view);
    expect(stepTo(rows, { kind: 'approve', id: 'a1' }, 1)?.id).toBe('a1');
    expect(stepTo(rows, { kind: 'unclear', id: 'u1' }, -1)?.id).toBe('u1');
    expect(stepTo(rows, { kind: 'unclear', id: 'u1' }, 1)?.id).toBe('u2');
  });

  it('starts at the top when the item was settled elsewhere meanwhile', () => {
    expect(stepTo(queueOrder(view), { kind: 'unclear', id: 'gone' }, 1)?.id).toBe('u1');
    expect(stepTo([], null, 1)).toBeNull();
  });

  it('keeps an id with a slash in one piece of the address', () => {
    expect(itemPath({ kind: 'unclear', id: 'run/1#2' })).toBe('/needs/unclear/run%2F1%232');
    expect(idFromPath(decodeURI('run%2F1%232'))).toBe('run/1#2');
    expect(idFromPath('100%')).toBe('100%');
  });
});
