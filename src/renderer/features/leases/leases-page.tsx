import { useRef, useState } from 'react';
import type { LeasesView } from '../../../shared/contract/lease-views.ts';
import { useKeptAnswer } from '../../state/use-kept-answer.ts';
import { useLeases } from '../../state/use-leases.ts';
import { Button } from '../../ui/button.tsx';
import { ChooseOneChip } from '../../ui/choose-one-chip.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Table } from '../../ui/table.tsx';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { HolderName } from './holder-name.tsx';
import { LeasePanel } from './lease-panel.tsx';
import { LeaseRow } from './lease-row.tsx';
import { setLeaseDevice, useLeaseFilter } from './lease-filter.ts';
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
  const { deviceId } = useLeaseFilter();
  const query = useLeases(deviceId);
  const kept = useKeptAnswer(query.value);
  const hasFailed = query.value === null && query.problem !== null;
  const view = hasFailed ? null : kept;
  const heading = useRef<HTMLHeadingElement>(null);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const leases = view?.leases ?? [];
  const total = view?.total ?? 0;
  const chosen = leases.find((lease) => lease.agentId === chosenId);
  const step = (by: number) => {
    const at = leases.findIndex((lease) => lease.agentId === chosenId);
    setChosenId(leases[Math.min(leases.length - 1, Math.max(0, at + by))]?.agentId ?? null);
  };
  useShortcuts({ 'next-row': () => step(1), 'previous-row': () => step(-1), back: () => setChosenId(null) });
  return (
    <div className="page">
      <header className="top">
        <h1 ref={heading} tabIndex={-1}>
          {text.title}
        </h1>
        <span className="ink3">{total > 0 && text.agents(leases.length, total)}</span>
        <span className="right flex">{view !== null && <DeviceFilter deviceId={deviceId} owners={view.owners} />}</span>
      </header>
      {hasFailed && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null && total === 0 && (
        <EmptyState icon="key" title={text.emptyTitle}>
          {text.empty}
        </EmptyState>
      )}
      {view !== null && total > 0 && (
        <div className="body folds">
          <div className="pane grow">
            <Lede owners={view.owners} />
            {leases.length === 0 ? (
              <NoneFits
                onShowAll={() => {
                  setLeaseDevice(null);
                  // The button goes from under the focus.
                  heading.current?.focus();
                }}
              />
            ) : (
              <Rows leases={leases} chosenId={chosenId} onChoose={setChosenId} />
            )}
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

function Rows(props: {
  readonly leases: LeasesView['leases'];
  readonly chosenId: string | null;
  readonly onChoose: (agentId: string | null) => void;
}) {
  const { leases, chosenId } = props;
  return (
    <div className="scroll">
      <Table label={text.title} className="le-table" columns={columns} rowCount={leases.length + 1}>
        {leases.map((lease, index) => (
          <LeaseRow
            key={lease.agentId}
            lease={lease}
            index={index + 2}
            isSelected={lease.agentId === chosenId}
            onSelect={() => props.onChoose(lease.agentId === chosenId ? null : lease.agentId)}
          />
        ))}
      </Table>
    </div>
  );
}

/** The devices that may act for any agent. One that may not any more stays, while it is chosen. */
function DeviceFilter(props: { readonly deviceId: string | null; readonly owners: LeasesView['owners'] }) {
  const choices = props.owners.flatMap(({ holder }) =>
    holder.kind === 'device' ? [{ value: holder.deviceId, label: holder.name }] : [],
  );
  const { name } = useLeaseFilter();
  if (choices.length === 0 && props.deviceId === null) return null;
  return (
    <ChooseOneChip
      isFirst
      label={text.device}
      any={text.anyDevice}
      choices={choices}
      value={props.deviceId}
      chosen={choices.find((choice) => choice.value === props.deviceId)?.label ?? name}
      onChange={(chosen) => setLeaseDevice(choices.find((choice) => choice.value === chosen) ?? null)}
    />
  );
}

function NoneFits({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <EmptyState icon="search" title={text.noneTitle} action={<Button onClick={onShowAll}>{text.showAll}</Button>}>
      {text.none}
    </EmptyState>
  );
}

function Lede({ owners }: { readonly owners: LeasesView['owners'] }) {
  return (
    <div className="le-lede">
      <p>
        {text.ledeBefore}
        <b className="strong">{text.ledeStrong}</b>
        {text.ledeAfter}
      </p>
      <ul className="le-own" aria-label={text.owners}>
        {owners.map((owner) => (
          <li key={owner.holder.kind === 'device' ? `device ${owner.holder.deviceId}` : owner.holder.kind}>
            <HolderName holder={owner.holder} />
            <b>{owner.count.toLocaleString('en')}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
