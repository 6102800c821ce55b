import { Link } from 'wouter';
import type { LeaseView } from '../../../shared/contract/views.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/note.tsx';
import { duration } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { holderOf } from './lease-owners.ts';
import { stateWords, text } from './strings.ts';

/** Everything about one right to act. */
export function LeasePanel({ lease, onClose }: { readonly lease: LeaseView; readonly onClose: () => void }) {
  return (
    <aside className="side pad le-side" aria-label={text.details}>
      <div className="flex">
        <h2 className="grow">
          <VisibleText text={lease.agentName} />
        </h2>
        <Button variant="quiet" size="small" icon="x" label={text.close} onClick={onClose} />
      </div>
      <p className="ink2">
        <VisibleText text={lease.sentence} />
      </p>
      <dl className="facts t12">
        <dt>{text.holder}</dt>
        <dd>
          <VisibleText text={holderOf(lease) ?? text.nobody} />
        </dd>
        <dt>{text.now}</dt>
        <dd>{stateWords[lease.state]}</dd>
        <dt>{text.renewed}</dt>
        <dd>{lease.renewedAtMs === null ? text.never : <Time atMs={lease.renewedAtMs} format="both" />}</dd>
        <dt>{text.length}</dt>
        <dd>{duration(lease.ttlMs)}</dd>
        <dt>{text.open}</dt>
        <dd>{lease.openEntries.toLocaleString('en')}</dd>
        <dt>{text.settled}</dt>
        <dd>{lease.settledEntries.toLocaleString('en')}</dd>
        <dt>{text.version}</dt>
        <dd className="mono">{lease.epoch}</dd>
      </dl>
      <Note tone="plain">{text.takeOver}</Note>
      <p className="t12 le-link">
        <Link href={`/agents/${encodeURIComponent(lease.agentId)}`}>{text.openAgent}</Link>
      </p>
    </aside>
  );
}
