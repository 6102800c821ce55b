import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { clockSeconds } from '../../ui/time-words.ts';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { text, wordFor } from './strings.ts';

/** The record itself: rows at the left, one of them as JSON at the right. */
export function Evidence(props: {
  readonly rows: readonly RecordedEvent[];
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
}) {
  const { rows, seq, onOpen } = props;
  const at = Math.max(
    0,
    rows.findIndex((row) => row.seq === seq),
  );
  const chosen = rows[at];
  const step = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next !== undefined) onOpen(next.seq);
  };
  useShortcuts({ 'next-row': () => step(1), 'previous-row': () => step(-1) });
  if (chosen === undefined) return null;
  const json = JSON.stringify(chosen, null, 2);
  return (
    <div className="rd-evidence">
      <ol className="scroll" aria-label={text.rows}>
        {rows.map((row) => (
          <li key={row.seq}>
            <button
              type="button"
              className="rd-row"
              aria-current={row === chosen ? 'true' : undefined}
              onClick={() => onOpen(row.seq)}
            >
              <span className="ink3 num">{row.seq}</span>
              <span className="cut">
                {wordFor(row.kind.split('.')[0] ?? '')} <span className="mono ink3">{row.kind}</span>
              </span>
              <time className="ink3" dateTime={new Date(row.atMs).toISOString()}>
                {clockSeconds(row.atMs)}
              </time>
            </button>
          </li>
        ))}
      </ol>
      <section className="rd-json" aria-label={text.row(chosen.seq)}>
        <header className="flex">
          <h2 className="medium">{text.row(chosen.seq)}</h2>
          <span className="right">
            <CopyButton label={text.copyRow} content={json} />
          </span>
        </header>
        <p className="t12 ink3">{text.evidenceLede}</p>
        {/* It scrolls, so it must be reachable without a mouse. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="code scroll" tabIndex={0} aria-label={text.row(chosen.seq)}>
          <VisibleText text={json} />
        </pre>
      </section>
    </div>
  );
}
