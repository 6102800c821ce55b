import { useEffect, useEffectEvent, useRef } from 'react';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { clockSeconds } from '../../ui/time-words.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { useNearRows } from '../../ui/use-near-rows.ts';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { text, wordFor } from './strings.ts';

const ROW_PX = 28;

/** The record itself: rows at the left, one of them as JSON at the right. */
export function Evidence(props: {
  readonly rows: readonly RecordedEvent[];
  readonly earlier: number;
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
}) {
  const { rows, seq, onOpen } = props;
  const at = Math.max(
    0,
    rows.findIndex((row) => row.seq === seq),
  );
  const chosen = rows[at];
  const list = useRef<HTMLDivElement>(null);
  const json = useRef<HTMLPreElement>(null);
  const near = useNearRows({ count: rows.length, scroller: list, heightPx: () => ROW_PX });
  const step = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next !== undefined) onOpen(next.seq);
  };
  useShortcuts({ 'next-row': () => step(1), 'previous-row': () => step(-1) });
  const showLinked = useEffectEvent((linked: number) => {
    const place = rows.findIndex((row) => row.seq === linked);
    if (place >= 0) near.show(place);
  });
  useEffect(() => {
    showLinked(seq);
  }, [seq]);
  if (chosen === undefined) return null;
  const content = JSON.stringify(chosen, null, 2);
  return (
    <div className="rd-evidence">
      <div className="rd-rows scroll" ref={list}>
        <ol aria-label={text.rows} style={near.room}>
          {near.indexes.map((index) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <li
                  key={row.seq}
                  ref={near.measure}
                  data-index={index}
                  aria-setsize={rows.length}
                  aria-posinset={index + 1}
                >
                  <EvidenceRow row={row} isChosen={row === chosen} onOpen={onOpen} />
                </li>
              )
            );
          })}
        </ol>
      </div>
      <section className="rd-json" aria-label={text.row(chosen.seq)}>
        <header className="flex">
          <h2 className="medium">{text.row(chosen.seq)}</h2>
          <span className="right">
            <CopyButton label={text.copyRow} content={content} />
          </span>
        </header>
        <p className="t12 ink3">{text.evidenceLede}</p>
        {props.earlier > 0 && <p className="t12 ink2">{text.earlierEntries(props.earlier)}</p>}
        {/* It scrolls, so it must be reachable without a mouse. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="code scroll" tabIndex={0} aria-label={text.row(chosen.seq)} ref={json}>
          <LongText text={content} scroller={json} />
        </pre>
      </section>
    </div>
  );
}

function EvidenceRow(props: {
  readonly row: RecordedEvent;
  readonly isChosen: boolean;
  readonly onOpen: (seq: number) => void;
}) {
  const { row } = props;
  return (
    <button
      type="button"
      className="rd-row"
      aria-current={props.isChosen ? 'true' : undefined}
      onClick={() => props.onOpen(row.seq)}
    >
      <span className="ink3 num">{row.seq}</span>
      <span className="cut">
        {wordFor(row.kind.split('.')[0] ?? '')} <span className="mono ink3">{row.kind}</span>
      </span>
      <time className="ink3" dateTime={new Date(row.atMs).toISOString()}>
        {clockSeconds(row.atMs)}
      </time>
    </button>
  );
}
