import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { useQuery } from '../../state/use-query.ts';
import { Chip } from '../../ui/chip.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { stateLooks } from '../../ui/state-words.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { NO_FILTERS, setFilters, useRunsList, viewOf } from './run-filters.ts';
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
export function RunsFilters(props: { readonly shown: number; readonly total: number; readonly isFiltered: boolean }) {
  const filters = useRunsList((state) => state.filters);
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  const agent = agents.find((each) => each.agentId === filters.agentId);
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
      {filters.agentId !== null && (
        <Chip isOn removeLabel={text.removeAgent(agent?.name ?? '')} onClick={() => setFilters({ agentId: null })}>
          {text.agent}{' '}
          <b>
            <VisibleText text={agent?.name ?? filters.agentId} />
          </b>
        </Chip>
      )}
      <StateMenu chosen={filters.statuses} onToggle={toggle} />
      {agents.length > 0 && filters.agentId === null && (
        <ChoiceMenu
          label={text.agent}
          isSingle
          trigger={
            <button type="button" className="chip dash">
              <Icon name="plus" size="small" />
              {text.agent}
            </button>
          }
          choices={agents.map((each) => ({
            value: each.agentId,
            label: <VisibleText text={each.name} />,
            isOn: false,
          }))}
          onToggle={(agentId) => setFilters({ agentId })}
        />
      )}
      <span className="right flex t12 ink2" id="runs-shown">
        {text.showing(props.shown, props.total)}
        {props.isFiltered && (
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
