import { ACT_KINDS } from '../../../shared/contract/acts.ts';
import type { ActKind } from '../../../shared/contract/acts.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddFilter } from '../../ui/add-filter.tsx';
import { Chip } from '../../ui/chip.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { isFiltered, NO_FILTERS, timeFilter } from './activity-model.ts';
import type { TimeChoice } from './activity-model.ts';
import { setFilters, useActivity } from './activity-store.ts';
import { text } from './strings.ts';

const TIMES: readonly TimeChoice[] = ['day', 'week', 'month'];

/** What the shown entries are about, of whom, from where and since when. */
export function ActivityFiltersBar() {
  const filters = useActivity((state) => state.filters);
  const toggle = (act: ActKind) =>
    setFilters({
      acts: filters.acts.includes(act) ? filters.acts.filter((each) => each !== act) : [...filters.acts, act],
    });
  return (
    <div className="ac-filters">
      <fieldset className="flex wrap ac-acts" aria-label={text.about}>
        {ACT_KINDS.map((act) => (
          <Chip key={act} isOn={filters.acts.includes(act)} onClick={() => toggle(act)}>
            {text.acts[act]}
          </Chip>
        ))}
      </fieldset>
      <span className="right flex wrap">
        <AgentChip agentId={filters.agentId} />
        <DeviceChip deviceId={filters.deviceId} />
        <TimeChip choice={filters.time?.choice ?? null} />
        {isFiltered(filters) && (
          <button type="button" className="linkish t12" onClick={() => setFilters(NO_FILTERS)}>
            {text.showAll}
          </button>
        )}
      </span>
    </div>
  );
}

function AgentChip({ agentId }: { readonly agentId: string | null }) {
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  const name = agents.find((agent) => agent.agentId === agentId)?.name ?? agentId ?? '';
  if (agentId !== null) {
    return (
      <Chip isOn removeLabel={text.removeAgent(name)} onClick={() => setFilters({ agentId: null })}>
        {text.agent}{' '}
        <b>
          <VisibleText text={name} />
        </b>
      </Chip>
    );
  }
  const choices = agents.map((agent) => ({ value: agent.agentId, label: <VisibleText text={agent.name} /> }));
  return <AddFilter label={text.agent} choices={choices} onChoose={(chosen) => setFilters({ agentId: chosen })} />;
}

function DeviceChip({ deviceId }: { readonly deviceId: string | null }) {
  const devices = useActivity((state) => state.devices);
  const name = devices.find((device) => device.deviceId === deviceId)?.name ?? deviceId ?? '';
  if (deviceId !== null) {
    return (
      <Chip isOn removeLabel={text.removeDevice(name)} onClick={() => setFilters({ deviceId: null })}>
        {text.device}{' '}
        <b>
          <VisibleText text={name} />
        </b>
      </Chip>
    );
  }
  const choices = devices.map((device) => ({ value: device.deviceId, label: <VisibleText text={device.name} /> }));
  return <AddFilter label={text.device} choices={choices} onChoose={(chosen) => setFilters({ deviceId: chosen })} />;
}

function TimeChip({ choice }: { readonly choice: TimeChoice | null }) {
  if (choice !== null) {
    return (
      <Chip isOn removeLabel={text.removeTime(text.since[choice])} onClick={() => setFilters({ time: null })}>
        <b>{text.since[choice]}</b>
      </Chip>
    );
  }
  const choices = TIMES.map((value) => ({ value, label: text.since[value] }));
  return (
    <AddFilter
      label={text.time}
      choices={choices}
      onChoose={(chosen) => setFilters({ time: timeFilter(chosen, Date.now()) })}
    />
  );
}
