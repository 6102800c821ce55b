import type { ListTime } from '../../../shared/contract/saved-views.ts';
import type { RefusalsView } from '../../../shared/contract/refusal-views.ts';
import { ChooseOneChip } from '../../ui/choose-one-chip.tsx';
import { TIME_CHOICES, timeWords } from '../../ui/time-filter.ts';
import { useNow } from '../../ui/use-now.ts';
import { useTimeChoice } from '../../ui/use-time-choice.tsx';
import { isNarrowed, setFilters, useRefusalFilters } from './refusal-filters.ts';
import { text } from './strings.ts';

/** Since when, on which device, and of which agent; and how much that leaves. */
export function RefusalsFilters({ view, onShowAll }: { readonly view: RefusalsView; readonly onShowAll: () => void }) {
  const filters = useRefusalFilters();
  const agents = view.agents.map(({ agentId, name }) => ({ value: agentId, label: name }));
  const devices = view.devices.map(({ deviceId, name }) => ({ value: deviceId, label: name }));
  return (
    <>
      {isNarrowed(filters) && view.heldBack > 0 && (
        <span className="flex t12 ink2" id="refusals-shown">
          {text.shown(view.heldBack, view.total)}
          <button type="button" className="linkish t12" onClick={onShowAll}>
            {text.showAll}
          </button>
        </span>
      )}
      <ChosenTime time={filters.time} />
      {(devices.length > 1 || filters.deviceId !== null) && (
        <ChooseOneChip
          label={text.device}
          any={text.anyDevice}
          choices={devices}
          value={filters.deviceId}
          onChange={(deviceId) => setFilters({ deviceId })}
        />
      )}
      {(agents.length > 1 || filters.agentId !== null) && (
        <ChooseOneChip
          label={text.agent}
          any={text.anyAgent}
          choices={agents}
          value={filters.agentId}
          onChange={(agentId) => setFilters({ agentId })}
        />
      )}
    </>
  );
}

function ChosenTime({ time }: { readonly time: ListTime | null }) {
  const nowMs = useNow(60_000);
  const { choose, question } = useTimeChoice({
    daysTitle: text.daysTitle,
    daysGo: text.daysGo,
    onChange: (chosen) => setFilters({ time: chosen }),
  });
  return (
    <>
      <ChooseOneChip
        isFirst
        label={text.time}
        any={text.anyTime}
        choices={TIME_CHOICES}
        value={time?.kind ?? null}
        {...(time === null ? {} : { chosen: timeWords(time, nowMs) })}
        onChange={(kind) => (kind === null ? setFilters({ time: null }) : choose(kind))}
      />
      {question}
    </>
  );
}
