import { describe, expect, it } from 'vitest';
import type { NeedsYouItem, NeedsYouView } from '../../../shared/contract/decision-views.ts';
import { idFromPath, itemPath, oldestSinceMs, queueOrder, stepTo } from './queue-rows.ts';

function item(kind: NeedsYouItem['kind'], id: string, sinceMs: number): NeedsYouItem {
  return { kind, id, sinceMs, title: id, sentence: '', runId: 'r', runNumber: 1, agentName: 'a', deviceName: 'd' };
}

const view: NeedsYouView = {
  sequence: 1,
  unclear: [item('unclear', 'u2', 50), item('unclear', 'u1', 40)],
  approvals: [item('approve', 'a1', 10)],
  settled: [],
  finishedSinceYesterday: 0,
};

describe('the queue', () => {
  it('puts the unclear ones above an approval that waits longer', () => {
    expect(queueOrder(view).map((row) => row.id)).toEqual(['u1', 'u2', 'a1']);
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
