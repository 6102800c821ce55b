import type { ListTime } from '../../../shared/contract/saved-views.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddFilter } from '../../ui/add-filter.tsx';
import { Chip } from '../../ui/chip.tsx';
import { TIME_CHOICES, timeWords } from '../../ui/time-filter.ts';
import { useNow } from '../../ui/use-now.ts';
import { useTimeChoice } from '../../ui/use-time-choice.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { setFilters } from './run-filters.ts';
import { text } from './strings.ts';

/** The agent that runs are of. */
export function AgentChip({ agentId }: { readonly agentId: string | null }) {
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  const name = agents.find((each) => each.agentId === agentId)?.name;
  if (agentId !== null) {
    return (
      <Chip isOn removeLabel={text.removeAgent(name ?? '')} onClick={() => setFilters({ agentId: null })}>
        {text.agent}{' '}
        <b>
          <VisibleText text={name ?? agentId} />
        </b>
      </Chip>
    );
  }
  const choices = agents.map((each) => ({ value: each.agentId, label: <VisibleText text={each.name} /> }));
  return <AddFilter label={text.agent} choices={choices} onChoose={(chosen) => setFilters({ agentId: chosen })} />;
}

/** The device that acts for runs, or took them on last. With one device there is nothing to choose. */
export function DeviceChip(props: {
  readonly deviceId: string | null;
  readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
}) {
  const { deviceId, devices } = props;
  if (deviceId !== null) {
    const name = devices.find((each) => each.deviceId === deviceId)?.name ?? deviceId;
    return (
      <Chip isOn removeLabel={text.removeDevice(name)} onClick={() => setFilters({ deviceId: null })}>
        {text.device}{' '}
        <b>
          <VisibleText text={name} />
        </b>
      </Chip>
    );
  }
  if (devices.length < 2) return null;
  const choices = devices.map((each) => ({ value: each.deviceId, label: <VisibleText text={each.name} /> }));
  return <AddFilter label={text.device} choices={choices} onChoose={(chosen) => setFilters({ deviceId: chosen })} />;
}

/** When runs began. */
export function TimeChip({ time }: { readonly time: ListTime | null }) {
  const nowMs = useNow(60_000);
  const { choose, question } = useTimeChoice({
    daysTitle: text.daysTitle,
    daysGo: text.daysGo,
    onChange: (chosen) => setFilters({ time: chosen }),
  });
  if (time !== null) {
    const words = timeWords(time, nowMs);
    return (
      <Chip isOn removeLabel={text.removeTime(words)} onClick={() => setFilters({ time: null })}>
        {text.time} <b>{words}</b>
      </Chip>
    );
  }
  return (
    <>
      <AddFilter label={text.time} choices={TIME_CHOICES} onChoose={choose} />
      {question}
    </>
  );
}
