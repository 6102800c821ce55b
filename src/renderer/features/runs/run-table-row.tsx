// Roles instead of table elements: virtual rows are placed absolutely, which table elements can’t be.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import { memo } from 'react';
import type { MouseEvent } from 'react';
import type { RunRow } from '../../../shared/contract/views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Icon } from '../../ui/icon.tsx';
import { DeviceName } from '../../ui/device-name.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { duration } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { needsPerson } from './run-rows.ts';
import { count, text } from './strings.ts';

/** How a row was clicked: opened, or chosen together with others. */
export type RowPress = 'open' | 'toggle' | 'stretch';

/** One run. A row whose page has not arrived keeps its place. */
export const RunTableRow = memo(function RunTableRow(props: {
  readonly row: RunRow | null;
  readonly index: number;
  readonly top: number;
  /** Keys act on it. */
  readonly isSelected: boolean;
  /** Something is going to be done with it; `null` while nothing is chosen at all. */
  readonly isChosen: boolean | null;
  readonly onPress: (press: RowPress, runId: string, index: number) => void;
}) {
  const { row, index, top, isSelected, isChosen } = props;
  const style = { transform: `translateY(${top}px)` };
  if (row === null) {
    return (
      <div className="runs-row runs-body" role="row" aria-rowindex={index + 2} style={style}>
        <span role="gridcell" className="ink3 runs-wait">
          {text.loading}
        </span>
      </div>
    );
  }
  const tint = `${needsPerson(row.status) ? ' you' : ''}${isSelected ? ' sel' : ''}${isChosen === true ? ' chosen' : ''}`;
  return (
    // Keys are handled by the grid, which points at its active row.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={`run-${row.runId}`}
      className={`runs-row runs-body${tint}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen ?? isSelected}
      style={style}
      onClick={(event) => props.onPress(pressOf(event), row.runId, index)}
      // Shift and a click choose rows, not the words in them.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    >
      <span role="gridcell" className="runs-pick" data-pick="">
        <i className="runs-box">{isChosen === true && <Icon name="check" size="small" />}</i>
      </span>
      <span role="gridcell" className="cut">
        <StateMark status={row.status} deviceName={row.deviceName} />
      </span>
      <span role="gridcell" className={needsPerson(row.status) ? 'cut medium' : 'cut'} title={visibleText(row.title)}>
        <VisibleText text={row.title} />
      </span>
      <span role="gridcell" className="cut ink2">
        <VisibleText text={row.agentName} />
      </span>
      <span role="gridcell" className="cut ink2">
        {row.deviceName === '' ? <span className="ink3">{text.nobody}</span> : <DeviceName name={row.deviceName} />}
      </span>
      <span role="gridcell" className="ink2 r">
        <Time atMs={row.startedAtMs} />
      </span>
      <span role="gridcell" className="ink2 r">
        {row.status === 'missed' ? <span className="ink3">{text.notRun}</span> : <Took row={row} />}
      </span>
      <span role="gridcell" className="ink2 r">
        {row.stepsTotal > 0 && `${count(row.stepsDone)} / ${count(row.stepsTotal)}`}
      </span>
      <span role="gridcell" className="cut ink3" title={visibleText(row.lastEvent)}>
        <VisibleText text={row.lastEvent} />
      </span>
    </div>
  );
});

function pressOf(event: MouseEvent): RowPress {
  if (event.shiftKey) return 'stretch';
  const isOnBox = event.target instanceof Element && event.target.closest('[data-pick]') !== null;
  return isOnBox || event.ctrlKey || event.metaKey ? 'toggle' : 'open';
}

function Took({ row }: { readonly row: RunRow }) {
  const nowMs = useNow(row.endedAtMs === null ? 1_000 : 3_600_000);
  return duration((row.endedAtMs ?? nowMs) - row.startedAtMs);
}
