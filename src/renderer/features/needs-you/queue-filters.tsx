import type { NeedsYouView } from '../../../shared/contract/decision-views.ts';
import { Button } from '../../ui/button.tsx';
import { ChooseOneChip } from '../../ui/choose-one-chip.tsx';
import { filterChoices } from './queue-filter.ts';
import type { QueueFilter } from './queue-filter.ts';
import { text } from './strings.ts';

/** Whose items are shown. There is a filter only where there is something to choose. */
export function QueueFilters(props: {
  readonly view: NeedsYouView;
  readonly filter: QueueFilter;
  readonly onChange: (filter: QueueFilter) => void;
}) {
  const { filter, onChange } = props;
  const { agentNames, deviceNames } = filterChoices(props.view);
  return (
    <>
      {agentNames.length > 0 && (
        <ChooseOneChip
          isFirst
          label={text.agent}
          any={text.anyAgent}
          choices={named(agentNames)}
          value={filter.agentName}
          onChange={(agentName) => onChange({ ...filter, agentName })}
        />
      )}
      {deviceNames.length > 0 && (
        <ChooseOneChip
          isFirst={agentNames.length === 0}
          label={text.device}
          any={text.anyDevice}
          choices={named(deviceNames)}
          value={filter.deviceName}
          onChange={(deviceName) => onChange({ ...filter, deviceName })}
        />
      )}
    </>
  );
}

const named = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));

/** An empty list must not look as if nothing needed a person. */
export function NoneFits({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <div className="nq-none">
      <p className="t12 ink2">{text.noneFits}</p>
      <Button size="small" onClick={onShowAll}>
        {text.showAll}
      </Button>
    </div>
  );
}
