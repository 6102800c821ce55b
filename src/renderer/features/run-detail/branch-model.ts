import type { BranchRow } from '../../../shared/contract/run-views.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';

/** Branches that stand alike, as a filter. */
export interface BranchGroup {
  readonly id: string;
  readonly label: string;
  readonly count: number;
}

const GROUPS: readonly { readonly id: string; readonly label: string; readonly statuses: readonly RunStatus[] }[] = [
  { id: 'needs', label: 'Needs you', statuses: ['needs-recovery', 'needs-approval'] },
  { id: 'running', label: 'Running', statuses: ['running-here', 'running-elsewhere'] },
  { id: 'waiting', label: 'Waiting', statuses: ['waiting', 'missed'] },
  { id: 'refused', label: 'Refused', statuses: ['refused'] },
  { id: 'failed', label: 'Failed', statuses: ['failed-nothing-sent', 'failed-was-sent'] },
  { id: 'stopped', label: 'Stopped', statuses: ['stopped'] },
  { id: 'done', label: 'Done', statuses: ['done'] },
];

/** How many branches stand how; what no branch is in is left out. */
export function groupsOf(counts: Readonly<Partial<Record<RunStatus, number>>>): BranchGroup[] {
  return GROUPS.map(({ id, label, statuses }) => ({
    id,
    label,
    count: statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0),
  })).filter((group) => group.count > 0);
}

/** The branches of one group, or all of them; what needs a person first, the rest in their own order. */
export function rowsOf(rows: readonly BranchRow[], groupId: string | null): readonly BranchRow[] {
  const group = GROUPS.find((each) => each.id === groupId);
  const chosen = group === undefined ? rows : rows.filter((row) => group.statuses.includes(row.status));
  const needs = chosen.filter((row) => needsPerson(row.status));
  return [...needs, ...chosen.filter((row) => !needsPerson(row.status))];
}

/** Whether a branch waits for a person. */
export function needsPerson(status: RunStatus): boolean {
  return status === 'needs-recovery' || status === 'needs-approval';
}
