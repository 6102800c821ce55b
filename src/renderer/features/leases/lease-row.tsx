import type { AgentLease } from '../../../shared/contract/lease-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Icon } from '../../ui/icon.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { HolderName } from './holder-name.tsx';
import { LeaseTime } from './lease-time.tsx';
import { text } from './strings.ts';

/** One agent: who may act, since when that is confirmed, for how long. */
export function LeaseRow(props: {
  readonly lease: AgentLease;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const { lease } = props;
  return (
    <Row index={props.index} isSelected={props.isSelected} onClick={props.onSelect}>
      <Cell className="cut">
        <button
          type="button"
          className="le-name medium cut"
          aria-expanded={props.isSelected}
          aria-label={text.select(visibleText(lease.agentName))}
          onClick={(event) => {
            event.stopPropagation();
            props.onSelect();
          }}
        >
          <VisibleText text={lease.agentName} />
        </button>
      </Cell>
      <Cell className="cut">
        <HolderName holder={lease.holder} />
      </Cell>
      <Cell className="ink2 nw">
        {lease.renewedAtMs === null ? (
          lease.isHere ? (
            text.never
          ) : (
            text.notSeen
          )
        ) : (
          <Time atMs={lease.renewedAtMs} format="relative" />
        )}
      </Cell>
      <Cell className="ink2 cut">
        <LeaseTime lease={lease} />
      </Cell>
      <Cell className="cut ink2">
        <Now lease={lease} />
      </Cell>
    </Row>
  );
}

/** What waits for a person, by its shape and its words; else how the right stands. */
function Now({ lease }: { readonly lease: AgentLease }) {
  const { waits } = lease;
  if (waits === null) return <VisibleText text={lease.sentence} />;
  return (
    <span className="device le-needs">
      <Icon name={waits.kind === 'unclear' ? 's-unclear' : 's-approve'} size="small" />
      <span className="cut">{waits.sentence}</span>
    </span>
  );
}
