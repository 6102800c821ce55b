import type { LeaseView } from '../../../shared/contract/views.ts';
import { DeviceName } from '../../ui/device-name.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { countdown } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { useLeft } from '../../ui/use-left.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { holderOf } from './lease-owners.ts';
import { stateWords, text } from './strings.ts';

/** One agent: who may act, since when that is confirmed, for how long. */
export function LeaseRow(props: {
  readonly lease: LeaseView;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const { lease } = props;
  const holder = holderOf(lease);
  return (
    <Row index={props.index} isSelected={props.isSelected} onClick={props.onSelect}>
      <Cell className="cut">
        <button
          type="button"
          className="le-name medium cut"
          aria-expanded={props.isSelected}
          aria-label={text.select(lease.agentName)}
          onClick={(event) => {
            event.stopPropagation();
            props.onSelect();
          }}
        >
          <VisibleText text={lease.agentName} />
        </button>
      </Cell>
      <Cell className="cut">
        {holder === null ? (
          <span className="device ink2">
            <Icon name="s-wait" />
            {text.nobody}
          </span>
        ) : (
          <DeviceName name={holder} />
        )}
      </Cell>
      <Cell className="ink2 nw">
        {lease.renewedAtMs === null ? text.never : <Time atMs={lease.renewedAtMs} format="relative" />}
      </Cell>
      <Cell className="ink2 nw">{lease.state === 'held' ? <Left lease={lease} /> : <NotHeld lease={lease} />}</Cell>
      <Cell className="cut ink2">
        <VisibleText text={lease.sentence} />
      </Cell>
    </Row>
  );
}

function Left({ lease }: { readonly lease: LeaseView }) {
  const left = useLeft(lease.remainingMs, lease);
  return (
    <span className="flex">
      <Meter share={lease.ttlMs === 0 ? 0 : left / lease.ttlMs} />
      {countdown(left)}
    </span>
  );
}

function NotHeld({ lease }: { readonly lease: LeaseView }) {
  return (
    <span className="device">
      <Icon name={lease.state === 'doubtful' ? 'moon' : lease.state === 'went-back' ? 'warn' : 's-wait'} size="small" />
      {stateWords[lease.state]}
    </span>
  );
}
