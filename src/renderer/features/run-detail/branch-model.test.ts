import { describe, expect, it } from 'vitest';
import type { BranchRow } from '../../../shared/contract/run-views.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { groupsOf, rowsOf } from './branch-model.ts';

function row(branch: string, status: RunStatus): BranchRow {
  return { runId: branch, number: 1, branch, status, summary: '', stepTitle: '', endedAtMs: null };
}

const rows = [row('a', 'done'), row('b', 'needs-approval'), row('c', 'failed-was-sent'), row('d', 'needs-recovery')];
const names = (groupId: string | null) => rowsOf(rows, groupId).map((each) => each.branch);

describe('the items of a workset', () => {
  it('bury the one that needs a person, or lose their order', () => {
    expect(names(null)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('show what was not asked for, or nothing for a filter that is not known', () => {
    expect(names('needs')).toEqual(['b', 'd']);
    expect(names('failed')).toEqual(['c']);
    expect(names('another')).toHaveLength(4);
  });

  it('offer a filter that lets nothing through, or count one item twice', () => {
    const groups = groupsOf({ 'needs-approval': 1, 'needs-recovery': 1, done: 3, 'failed-was-sent': 0 });
    expect(groups.map(({ id, count }) => `${id} ${count}`)).toEqual(['needs 2', 'done 3']);
  });
});
