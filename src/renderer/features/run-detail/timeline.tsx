import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { RunDetailView, TimelineRow } from '../../../shared/contract/views.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { useNearRows } from '../../ui/use-near-rows.ts';
import type { NearRows } from '../../ui/use-near-rows.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Earlier } from './earlier.tsx';
import { Lanes } from './lanes.tsx';
import { LiveTexts } from './live-texts.tsx';
import { text, wordForRow } from './strings.ts';
import { markIcon, whyFor } from './timeline-model.ts';

const ROW_PX = 28;

/** What happened, in order. While the run is live the end stays in view, until someone scrolls up. */
export function Timeline(props: {
  readonly view: RunDetailView;
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
}) {
  const { view, seq, onOpen } = props;
  const rows = view.timeline;
  const scroller = useRef<HTMLDivElement>(null);
  const near = useNearRows({ count: rows.length, scroller, heightPx: () => ROW_PX });
  const { isAtEnd, goToEnd, scrolled } = useTail({
    scroller,
    near,
    length: rows.length,
    isLive: view.row.endedAtMs === null,
  });
  const showLinked = useEffectEvent((linked: number) => {
    const at = rows.findIndex((row) => row.seq === linked);
    if (at >= 0) near.show(at);
  });
  useEffect(() => {
    showLinked(seq);
  }, [seq]);
  if (view.timeline.length === 0) return <EmptyState icon="runs" title={text.noTimeline} />;
  return (
    <>
      <Lanes view={view} seq={seq} onOpen={onOpen} />
      {view.earlier.timeline > 0 && <Earlier>{text.earlierEntries(view.earlier.timeline)}</Earlier>}
      <div className="rd-scroll scroll" ref={scroller} onScroll={scrolled}>
        <ol className="rd-line" style={near.room} aria-label={text.timeline}>
          {near.indexes.map((index) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <TimelineItem
                  key={row.seq}
                  row={row}
                  index={index}
                  count={rows.length}
                  measure={near.measure}
                  isSelected={row.seq === seq}
                  onOpen={whyFor(row, view.why) === null ? null : onOpen}
                />
              )
            );
          })}
        </ol>
      </div>
      {!isAtEnd && view.row.endedAtMs === null && (
        <div className="rd-latest">
          <Button size="small" icon="cd" onClick={goToEnd}>
            {text.toEnd}
          </Button>
        </div>
      )}
      {view.live.length > 0 && <LiveTexts live={view.live} />}
    </>
  );
}

function TimelineItem(props: {
  readonly row: TimelineRow;
  readonly index: number;
  readonly count: number;
  readonly measure: NearRows['measure'];
  readonly isSelected: boolean;
  readonly onOpen: ((seq: number) => void) | null;
}) {
  const { row, index, count, measure, onOpen } = props;
  const icon = markIcon(row.mark);
  const classes = [
    'ev',
    row.mark,
    index === 0 ? 'first' : '',
    index === count - 1 ? 'last' : '',
    props.isSelected ? 'sel' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
  return (
    <li className={classes} ref={measure} data-index={index} aria-setsize={count} aria-posinset={index + 1}>
      <span className="w">{wordForRow(row)}</span>
      <Time atMs={row.atMs} format="seconds" />
      <span className={icon === null && row.mark !== 'gap' ? 'dot plain' : 'dot'}>
        {icon !== null && <Icon name={icon} />}
      </span>
      <span className="what">
        {onOpen === null ? (
          <VisibleText text={row.sentence} />
        ) : (
          <button type="button" className="ev-open" onClick={() => onOpen(row.seq)} aria-pressed={props.isSelected}>
            <VisibleText text={row.sentence} />
            <span className="sr-only">. {text.why}</span>
          </button>
        )}
        {row.mark === 'gap' && <i className="hatch" aria-hidden="true" />}
      </span>
      <span className="m">
        <VisibleText text={row.measure} />
      </span>
    </li>
  );
}

const NEAR_END_PX = 24;

/** Follows the end of a list that grows, as long as the end was in view. */
function useTail(of: {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly near: NearRows;
  readonly length: number;
  readonly isLive: boolean;
}) {
  const { scroller, near, length, isLive } = of;
  const [isAtEnd, setIsAtEnd] = useState(true);
  const goToEnd = () => {
    // Of a long list the end is not known until its rows are there; the way to it is looked for by the list itself.
    if (near.isPartial) near.show(length - 1, 'end');
    else scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  const followEnd = useEffectEvent(goToEnd);
  useLayoutEffect(() => {
    if (length > 0 && isLive && isAtEnd) followEnd();
  }, [length, isLive, isAtEnd]);
  const scrolled = () => {
    const element = scroller.current;
    if (element === null) return;
    setIsAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX);
  };
  return { isAtEnd, goToEnd, scrolled };
}
