// Roles instead of table elements: virtual rows are placed absolutely, which table elements can’t be.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import { useVirtualizer } from '@tanstack/react-virtual';
import type { VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { KeyboardEvent, RefObject } from 'react';
import { useLocation } from 'wouter';
import { Chip } from '../../ui/chip.tsx';
import { Icon } from '../../ui/icon.tsx';
import { rowStepOf } from '../../ui/row-step.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { selectRun, useRunsList } from './run-filters.ts';
import type { RunFilters } from './run-filters.ts';
import { RunTableRow } from './run-table-row.tsx';
import type { RowPress } from './run-table-row.tsx';
import type { LoadedRows } from './run-rows.ts';
import { text } from './strings.ts';
import { useChoosing } from './use-choosing.ts';
import type { Choosing } from './use-choosing.ts';
import { useKeptPlace } from './use-kept-place.ts';
import { useRunPages } from './use-run-pages.ts';

const ROW_HEIGHT = 29;

/** The dense table: only visible rows exist, updated in place, never moving under the cursor. */
export function RunTable({ filters, total }: { readonly filters: RunFilters; readonly total: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const selectedId = useRunsList((state) => state.selectedId);
  // Its functions change with every scroll, so the compiler may not remember them; nothing here does.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    initialOffset: () => useRunsList.getState().scrollTop,
  });
  const visible = virtualizer.getVirtualItems();
  const rows = useRunPages(filters, visible[0]?.index ?? 0, visible.at(-1)?.index ?? 0);
  useFocusOnReturn(grid);
  const place = useKeptPlace({ scroller, rows, rowHeight: ROW_HEIGHT, filters });
  const open = useOpenRun();
  const move = useMover({
    rows,
    total,
    selectedId,
    show: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  });
  const choosing = useChoosing({ rows, filters, total, move });
  const press = useLatest((kind: RowPress, runId: string, index: number) => {
    if (kind === 'open') open(runId);
    else choosing.press(kind, runId, index);
  });
  useShortcuts({
    'next-row': () => move(1),
    'previous-row': () => move(-1),
    'open-row': () => {
      if (selectedId !== null) open(selectedId);
    },
  });
  return (
    <div className="runs-table">
      {place.newAbove > 0 && <NewAbove rows={place.newAbove} onGo={place.goToTop} />}
      <p id="runs-keys" className="sr-only">
        {text.chosen.keys}
      </p>
      <div className="runs-scroll" ref={scroller} onScroll={place.scrolled}>
        <div
          ref={grid}
          role="grid"
          aria-label={text.title}
          aria-multiselectable
          aria-rowcount={total + 1}
          aria-describedby="runs-shown runs-keys"
          aria-activedescendant={rows.indexOf(selectedId ?? '') >= 0 ? `run-${selectedId ?? ''}` : undefined}
          tabIndex={0}
          className="runs-grid"
          onKeyDown={(event) => gridKey(event, { choosing, move, total })}
        >
          <RunTableHead />
          <RunTableRows
            rows={rows}
            items={visible}
            height={virtualizer.getTotalSize()}
            selectedId={selectedId}
            onPress={press}
          />
        </div>
      </div>
    </div>
  );
}

function RunTableRows(props: {
  readonly rows: LoadedRows;
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly selectedId: string | null;
  readonly onPress: (press: RowPress, runId: string, index: number) => void;
}) {
  const { rows } = props;
  const chosen = useRunsList((state) => state.choice.ids);
  return (
    <div
      role="rowgroup"
      className={chosen.size > 0 ? 'runs-rows runs-some' : 'runs-rows'}
      style={{ height: props.height }}
    >
      {props.items.map((item) => (
        <RunTableRow
          key={rows.rowAt(item.index)?.runId ?? item.index}
          row={rows.rowAt(item.index)}
          index={item.index}
          top={item.start}
          isSelected={props.selectedId !== null && rows.rowAt(item.index)?.runId === props.selectedId}
          isChosen={chosen.size === 0 ? null : chosen.has(rows.rowAt(item.index)?.runId ?? '')}
          onPress={props.onPress}
        />
      ))}
    </div>
  );
}

function useOpenRun(): (runId: string) => void {
  const [, navigate] = useLocation();
  return (runId) => {
    selectRun(runId);
    navigate(`/runs/${encodeURIComponent(runId)}`);
  };
}

/** Coming back to the list, the focus is on the row that was left. */
function useFocusOnReturn(grid: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const hasRow = useRunsList.getState().selectedId !== null;
    if (hasRow && document.activeElement === document.body) grid.current?.focus({ preventScroll: true });
  }, [grid]);
}

function NewAbove({ rows, onGo }: { readonly rows: number; readonly onGo: () => void }) {
  return (
    <div className="runs-new">
      <Chip isOn isPill onClick={onGo}>
        <Icon name="chevron-up" size="small" />
        {text.newAbove(rows)}
      </Chip>
    </div>
  );
}

function RunTableHead() {
  const { columns } = text;
  return (
    <div role="rowgroup" className="runs-heads">
      <div className="runs-row runs-head" role="row" aria-rowindex={1}>
        <span role="columnheader">
          <span className="sr-only">{columns.chosen}</span>
        </span>
        <span role="columnheader">{columns.state}</span>
        <span role="columnheader">{columns.what}</span>
        <span role="columnheader">{columns.agent}</span>
        <span role="columnheader">{columns.device}</span>
        <span role="columnheader" aria-sort="descending" className="r ink medium">
          {columns.started} <span aria-hidden="true">↓</span>
        </span>
        <span role="columnheader" className="r">
          {columns.took}
        </span>
        <span role="columnheader" className="r">
          {columns.steps}
        </span>
        <span role="columnheader">{columns.last}</span>
      </div>
    </div>
  );
}

/** A key in the table: chooses rows, or moves to another. Any other belongs to the screen. */
function gridKey(
  event: KeyboardEvent,
  of: { readonly choosing: Choosing; readonly move: (step: number) => number; readonly total: number },
): void {
  const { choosing, move, total } = of;
  const step = rowStepOf(event.key, total);
  if (choosing.keyPressed(event)) event.preventDefault();
  if (step === null || event.defaultPrevented) return;
  event.preventDefault();
  if (event.shiftKey) choosing.stretchBy(step);
  else move(step);
}

/** Moves the selection by rows, brings it into view and answers where it is; a row that has yet to arrive is chosen when it does. */
function useMover(options: {
  readonly rows: LoadedRows;
  readonly total: number;
  readonly selectedId: string | null;
  readonly show: (index: number) => void;
}): (step: number) => number {
  const { rows, total, selectedId, show } = options;
  const awaited = useRef<number | null>(null);
  const choose = (index: number) => {
    const row = rows.rowAt(index);
    awaited.current = row === null ? index : null;
    if (row !== null) selectRun(row.runId);
  };
  const rowsArrived = useEffectEvent((arrived: LoadedRows) => {
    if (awaited.current !== null && arrived.rowAt(awaited.current) !== null) choose(awaited.current);
  });
  useEffect(() => rowsArrived(rows), [rows]);
  return (step) => {
    const known = awaited.current ?? (selectedId === null ? -1 : rows.indexOf(selectedId));
    const next = Math.min(total - 1, Math.max(0, known + step));
    choose(next);
    show(next);
    return next;
  };
}
