import { useState } from 'react';
import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import { useLeases } from '../../state/use-leases.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Table } from '../../ui/table.tsx';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { HolderName } from './holder-name.tsx';
import { LeasePanel } from './lease-panel.tsx';
import { LeaseRow } from './lease-row.tsx';
import { ownersOf } from './lease-owners.ts';
import { text } from './strings.ts';
import './leases.css';

const columns = [
  { label: text.agent },
  { label: text.mayAct },
  { label: text.confirmed },
  { label: text.ends },
  { label: text.now },
];

/** For each agent, the one device that has the right to act. */
export function LeasesPage() {
  const query = useLeases();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const leases = query.value?.leases ?? [];
  const chosen = leases.find((lease) => lease.agentId === chosenId);
  const step = (by: number) => {
    const at = leases.findIndex((lease) => lease.agentId === chosenId);
    setChosenId(leases[Math.min(leases.length - 1, Math.max(0, at + by))]?.agentId ?? null);
  };
  useShortcuts({ 'next-row': () => step(1), 'previous-row': () => step(-1), back: () => setChosenId(null) });
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
        <span className="ink3">{query.value !== null && leases.length > 0 && text.agents(leases.length)}</span>
      </header>
      {query.value === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {query.value !== null && leases.length === 0 && (
        <EmptyState icon="key" title={text.emptyTitle}>
          {text.empty}
        </EmptyState>
      )}
      {leases.length > 0 && (
        <div className="body folds">
          <div className="pane grow">
            <Lede leases={leases} />
            <div className="scroll">
              <Table label={text.title} className="le-table" columns={columns} rowCount={leases.length + 1}>
                {leases.map((lease, index) => (
                  <LeaseRow
                    key={lease.agentId}
                    lease={lease}
                    index={index + 2}
                    isSelected={lease.agentId === chosenId}
                    onSelect={() => setChosenId(lease.agentId === chosenId ? null : lease.agentId)}
                  />
                ))}
              </Table>
            </div>
          </div>
          {chosen !== undefined && (
            <LeasePanel
              key={chosen.agentId}
              lease={chosen}
              onClose={() => setChosenId(null)}
              onChanged={query.refetch}
            />
          )}
        </div>
      )}
    </div>
  );
}

function Lede({ leases }: { readonly leases: readonly LeaseView[] }) {
  return (
    <div className="le-lede">
      <p>
        {text.ledeBefore}
        <b className="strong">{text.ledeStrong}</b>
        {text.ledeAfter}
      </p>
      <ul className="le-own" aria-label={text.owners}>
        {ownersOf(leases).map((owner) => (
          <li key={owner.holder.kind === 'device' ? `device ${owner.holder.name}` : owner.holder.kind}>
            <HolderName holder={owner.holder} />
            <b>{owner.count.toLocaleString('en')}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
