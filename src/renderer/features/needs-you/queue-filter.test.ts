import { describe, expect, it } from 'vitest';
import type { NeedsYouItem, NeedsYouView } from '../../../shared/contract/decision-views.ts';
import { filterChoices, filteredQueue, NO_FILTER, standingFilter } from './queue-filter.ts';

function item(id: string, agentName: string, deviceName: string): NeedsYouItem {
  const run = { runId: 'r', runNumber: 1, runTitle: '' };
  return { kind: 'unclear', id, title: id, sentence: '', ...run, agentName, deviceName, sinceMs: 1, alike: null };
}

function queue(change: Partial<NeedsYouView>): NeedsYouView {
  return { sequence: 1, unclear: [], waiting: [], approvals: [], settled: [], finishedSinceYesterday: 0, ...change };
}

const report = item('u', 'Report', 'Mac');
const payer = item('a', 'Payer', 'Work-PC');
const waiting = item('w', 'Payer', 'Mac');
const view = queue({ unclear: [report], approvals: [{ ...payer, kind: 'approve' }], waiting: [waiting] });

describe('the filters of the queue', () => {
  it('are there where there is nothing to choose, or leave out who is waited for', () => {
    expect(filterChoices(view)).toEqual({ agentNames: ['Payer', 'Report'], deviceNames: ['Mac', 'Work-PC'] });
    expect(filterChoices(queue({ unclear: [report] }))).toEqual({ agentNames: [], deviceNames: [] });
    expect(filterChoices(queue({ unclear: [report], waiting: [waiting] }))).toEqual({
      agentNames: ['Payer', 'Report'],
      deviceNames: [],
    });
  });

  it('let one through that fits only one of them', () => {
    const { unclear, approvals, waiting: waits } = filteredQueue(view, { agentName: 'Payer', deviceName: 'Mac' });
    expect([unclear, approvals, waits]).toEqual([[], [], [waiting]]);
    expect(filteredQueue(view, NO_FILTER)).toEqual(view);
  });

  it('go on hiding what is left when all that fitted is answered', () => {
    const filter = { agentName: 'Payer', deviceName: 'Mac' };
    expect(standingFilter(view, filter)).toEqual(filter);
    expect(standingFilter(queue({ unclear: [report] }), filter)).toEqual(NO_FILTER);
    // It cannot be chosen any more, so it could not be taken back either.
    expect(standingFilter(queue({ unclear: [report], approvals: [payer] }), { ...filter, agentName: 'Gone' })).toEqual({
      agentName: null,
      deviceName: 'Mac',
    });
  });
});
