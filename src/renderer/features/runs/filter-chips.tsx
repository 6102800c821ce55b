import { useState } from 'react';
import type { RunTime } from '../../../shared/contract/saved-views.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddFilter } from '../../ui/add-filter.tsx';
import { Chip } from '../../ui/chip.tsx';
import { dayStartMs } from '../../ui/day.ts';
import { dayMonthText } from '../../ui/time-words.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { BetweenDialog } from './between-dialog.tsx';
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

const KINDS = ['today', 'last-7-days', 'last-30-days', 'between'] as const;

/** When runs began. */
export function TimeChip({ time }: { readonly time: RunTime | null }) {
  const [isAsking, setIsAsking] = useState(false);
  if (time !== null) {
    const words = timeWords(time);
    return (
      <Chip isOn removeLabel={text.removeTime(words)} onClick={() => setFilters({ time: null })}>
        {text.time} <b>{words}</b>
      </Chip>
    );
  }
  const choices = KINDS.map((kind) => ({ value: kind, label: kind === 'between' ? text.between : text.times[kind] }));
  return (
    <>
      <AddFilter
        label={text.time}
        choices={choices}
        onChoose={(kind) => (kind === 'between' ? setIsAsking(true) : setFilters({ time: { kind } }))}
      />
      {isAsking && (
        <BetweenDialog
          onClose={(chosen) => {
            setIsAsking(false);
            if (chosen !== null) setFilters({ time: { kind: 'between', ...chosen } });
          }}
        />
      )}
    </>
  );
}

function timeWords(time: RunTime): string {
  if (time.kind !== 'between') return text.times[time.kind];
  const day = (value: string) => dayMonthText(dayStartMs(value) ?? 0, Date.now());
  return text.fromUntil(day(time.from), day(time.until));
}
