// Roles instead of table elements: virtual rows are placed absolutely, which table elements can’t be.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import { useVirtualizer } from '@tanstack/react-virtual';
import type { VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { ActivityRow } from '../../../shared/contract/activity-views.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/note.tsx';
import { rowStepOf } from '../../ui/row-step.ts';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { isFiltered, steppedTo } from './activity-model.ts';
import { ActivityTableRow } from './activity-row.tsx';
import { readEarlier, selectEntry, useActivity } from './activity-store.ts';
import { text } from './strings.ts';

const ROW_HEIGHT = 29;
/** So many rows before the end, the next are asked for. */
const AHEAD_ROWS = 30;

/** The dense list: only visible rows exist. Nothing is ever put above them, so nothing moves under the cursor. */
export function ActivityTable(props: {
  readonly isOpen: boolean;
  readonly onOpen: (seq: number) => void;
  readonly onClose: () => void;
  readonly grid: RefObject<HTMLDivElement | null>;
}) {
  const { isOpen, onOpen, grid } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useActivity((state) => state.rows);
  const isComplete = useActivity((state) => state.before === null);
  const selectedSeq = useActivity((state) => state.selectedSeq);
  // Its functions change with every scroll, so the compiler may not remember them; nothing here does.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    initialOffset: () => useActivity.getState().scrollTop,
  });
  const visible = virtualizer.getVirtualItems();
  useReadAhead(visible.at(-1)?.index ?? -1);
  useScrollToNew(scroller);
  const move = (step: number) => {
    const next = steppedTo(rows, selectedSeq, step);
    const row = rows[next];
    virtualizer.scrollToIndex(next, { align: 'auto' });
    if (row !== undefined) (isOpen ? onOpen : selectEntry)(row.seq);
  };
  useShortcuts({
    'next-row': () => move(1),
    'previous-row': () => move(-1),
    'open-row': () => {
      if (selectedSeq !== null) onOpen(selectedSeq);
    },
    ...(isOpen ? { back: props.onClose } : {}),
  });
  return (
    <div
      className="ac-scroll"
      ref={scroller}
      onScroll={() => useActivity.setState({ scrollTop: scroller.current?.scrollTop ?? 0 })}
    >
      <div
        ref={grid}
        role="grid"
        aria-label={text.list}
        aria-rowcount={isComplete ? rows.length + 1 : -1}
        aria-activedescendant={activeId(rows, selectedSeq)}
        tabIndex={0}
        className="ac-grid"
        onKeyDown={(event) => {
          const step = rowStepOf(event.key, rows.length);
          if (step !== null) event.preventDefault();
          if (step !== null) move(step);
        }}
      >
        <ActivityHead />
        <ActivityRows
          rows={rows}
          items={visible}
          height={virtualizer.getTotalSize()}
          selectedSeq={selectedSeq}
          onOpen={onOpen}
        />
      </div>
      <ActivityEnd />
    </div>
  );
}

function ActivityRows(props: {
  readonly rows: readonly ActivityRow[];
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly selectedSeq: number | null;
  readonly onOpen: (seq: number) => void;
}) {
  return (
    <div role="rowgroup" className="ac-rows" style={{ height: props.height }}>
      {props.items.map((item) => {
        const row = props.rows[item.index];
        return row === undefined ? null : (
          <ActivityTableRow
            key={row.seq}
            row={row}
            index={item.index}
            top={item.start}
            isSelected={row.seq === props.selectedSeq}
            onOpen={props.onOpen}
          />
        );
      })}
    </div>
  );
}

function ActivityHead() {
  const { columns } = text;
  return (
    <div role="rowgroup" className="ac-heads">
      <div className="ac-row ac-head" role="row" aria-rowindex={1}>
        <span role="columnheader" aria-sort="descending" className="ink medium">
          {columns.time} <span aria-hidden="true">↓</span>
        </span>
        <span role="columnheader">{columns.who}</span>
        <span role="columnheader">{columns.what}</span>
        <span role="columnheader" className="ac-wide">
          {columns.agent}
        </span>
        <span role="columnheader" className="ac-wide">
          {columns.device}
        </span>
        <span role="columnheader" className="r">
          {columns.run}
        </span>
      </div>
    </div>
  );
}

/** What comes below the last row: that more is on its way, why it is not, or that the record begins here. */
function ActivityEnd() {
  const { before, filters, isLoading, problem, rows } = useActivity();
  if (problem !== null && rows.length > 0) {
    return (
      <div className="ac-end">
        <Note tone="plain" icon="warn" role="alert" title={text.problemBelow}>
          {problem.message} {problem.wayOut}
        </Note>
        <Button size="small" icon="sync" onClick={() => void readEarlier()}>
          {text.again}
        </Button>
      </div>
    );
  }
  if (isLoading) return <p className="ac-end ink3 t12">{rows.length === 0 ? text.loading : text.lookingBack}</p>;
  if (before === null && rows.length > 0)
    return <p className="ac-end ink3 t12">{isFiltered(filters) ? text.noMore : text.begins}</p>;
  return null;
}

/** Asks for earlier entries before the end of those that are there comes into sight. Not after a failure. */
function useReadAhead(lastVisible: number): void {
  const { before, isLoading, problem, rows } = useActivity();
  const isNear = lastVisible >= rows.length - AHEAD_ROWS;
  const isDue = isNear && !isLoading && problem === null && before !== null && before !== undefined;
  useEffect(() => {
    if (isDue) void readEarlier();
  }, [isDue]);
}

/** A list that was begun anew is seen from its top. */
function useScrollToNew(scroller: RefObject<HTMLDivElement | null>): void {
  const newestSeq = useActivity((state) => state.newestSeq);
  const last = useRef(newestSeq);
  useEffect(() => {
    if (last.current !== newestSeq) scroller.current?.scrollTo({ top: 0 });
    last.current = newestSeq;
  }, [newestSeq, scroller]);
}

function activeId(rows: readonly ActivityRow[], selectedSeq: number | null): string | undefined {
  return rows.some((row) => row.seq === selectedSeq) ? `entry-${selectedSeq ?? ''}` : undefined;
}
