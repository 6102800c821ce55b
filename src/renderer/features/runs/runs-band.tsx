import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { bandOf } from './run-rows.ts';
import { count, text } from './strings.ts';

/** All runs in proportion: a band for the eye, a list for everyone. */
export function RunsBand({ counts }: { readonly counts: Readonly<Partial<Record<RunStatus, number>>> }) {
  const parts = bandOf(counts);
  return (
    <section className="band" aria-label={text.summary}>
      <div className="band-line" aria-hidden="true">
        {parts.map((part) => (
          <i key={part.id} className={part.status} style={{ flexGrow: part.count }} />
        ))}
      </div>
      <ul>
        {parts.map((part) => (
          <li key={part.id}>
            <StateMark status={part.status} word={part.label} />
            <b>{count(part.count)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
