import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RunDetailView, TimelineRow } from '../../../shared/contract/views.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Lanes } from './lanes.tsx';
import { LiveTexts } from './live-texts.tsx';
import { text, wordForRow } from './strings.ts';
import { markIcon, whyFor } from './timeline-model.ts';

/** What happened, in order. While the run is live the end stays in view, until someone scrolls up. */
export function Timeline(props: {
  readonly view: RunDetailView;
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
}) {
  const { view, seq, onOpen } = props;
  const { scroller, isAtEnd, goToEnd, scrolled } = useTail(view.timeline.length, view.row.endedAtMs === null);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-seq="${seq}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [seq]);
  if (view.timeline.length === 0) return <EmptyState icon="runs" title={text.noTimeline} />;
  return (
    <>
      <Lanes view={view} seq={seq} onOpen={onOpen} />
      <div className="rd-scroll scroll" ref={scroller} onScroll={scrolled}>
        <ol className="rd-line" ref={list} aria-label={text.timeline}>
          {view.timeline.map((row, index) => (
            <TimelineItem
              key={row.seq}
              row={row}
              isFirst={index === 0}
              isLast={index === view.timeline.length - 1}
              isSelected={row.seq === seq}
              onOpen={whyFor(row, view.why) === null ? null : () => onOpen(row.seq)}
            />
          ))}
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
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (() => void) | null;
}) {
  const { row, onOpen } = props;
  const icon = markIcon(row.mark);
  const classes = [
    'ev',
    row.mark,
    props.isFirst ? 'first' : '',
    props.isLast ? 'last' : '',
    props.isSelected ? 'sel' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
  return (
    <li className={classes} data-seq={row.seq}>
      <span className="w">{wordForRow(row)}</span>
      <Time atMs={row.atMs} format="seconds" />
      <span className={icon === null && row.mark !== 'gap' ? 'dot plain' : 'dot'}>
        {icon !== null && <Icon name={icon} />}
      </span>
      <span className="what">
        {onOpen === null ? (
          <VisibleText text={row.sentence} />
        ) : (
          <button type="button" className="ev-open" onClick={onOpen} aria-pressed={props.isSelected}>
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
function useTail(length: number, isLive: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const goToEnd = () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (length > 0 && isLive && isAtEnd) element?.scrollTo({ top: element.scrollHeight });
  }, [length, isLive, isAtEnd]);
  const scrolled = () => {
    const element = scroller.current;
    if (element === null) return;
    setIsAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX);
  };
  return { scroller, isAtEnd, goToEnd, scrolled };
}
