import type { RunsView } from '../../../shared/contract/views.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { Chip } from '../../ui/chip.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { stateLooks } from '../../ui/state-words.ts';
import { NO_FILTERS, setFilters, useRunsList, viewOf } from './run-filters.ts';
import { AgentChip, DeviceChip, TimeChip } from './filter-chips.tsx';
import { text } from './strings.ts';

const allStatuses: readonly RunStatus[] = [
  'needs-recovery',
  'needs-approval',
  'running-here',
  'running-elsewhere',
  'waiting',
  'refused',
  'done',
  'failed-nothing-sent',
  'failed-was-sent',
  'stopped',
  'missed',
];

/** Applied filters as chips, those that can be added, and how much is shown. */
export function RunsFilters({ view, isFiltered }: { readonly view: RunsView | null; readonly isFiltered: boolean }) {
  const filters = useRunsList((state) => state.filters);
  const toggle = (status: RunStatus) =>
    setFilters({
      statuses: filters.statuses.includes(status)
        ? filters.statuses.filter((each) => each !== status)
        : [...filters.statuses, status],
    });
  return (
    <div className="runs-filters">
      {viewOf(filters.statuses) === '' &&
        filters.statuses.map((status) => (
          <Chip
            key={status}
            isOn
            removeLabel={text.removeState(stateLooks[status].word)}
            onClick={() => toggle(status)}
          >
            {text.state} <b>{stateLooks[status].word}</b>
          </Chip>
        ))}
      <StateMenu chosen={filters.statuses} onToggle={toggle} />
      <AgentChip agentId={filters.agentId} />
      <DeviceChip deviceId={filters.deviceId} devices={view?.devices ?? []} />
      <TimeChip time={filters.time} />
      <span className="right flex t12 ink2" id="runs-shown">
        {text.showing(view?.shown ?? 0, view?.total ?? 0)}
        {isFiltered && (
          <button type="button" className="linkish t12" onClick={() => setFilters(NO_FILTERS)}>
            {text.showAll}
          </button>
        )}
      </span>
    </div>
  );
}

function StateMenu(props: { readonly chosen: readonly RunStatus[]; readonly onToggle: (status: RunStatus) => void }) {
  return (
    <ChoiceMenu
      label={text.state}
      trigger={
        <button type="button" className="chip dash">
          <Icon name="plus" size="small" />
          {text.state}
        </button>
      }
      choices={allStatuses.map((status) => ({
        value: status,
        label: <StateMark status={status} />,
        isOn: props.chosen.includes(status),
      }))}
      onToggle={props.onToggle}
    />
  );
}
