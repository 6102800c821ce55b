import { useRef, useState } from 'react';
import { Link } from 'wouter';
import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Note } from '../../ui/note.tsx';
import { duration } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { BumpDialog } from './bump-dialog.tsx';
import { HolderName } from './holder-name.tsx';
import { LeaseTime } from './lease-time.tsx';
import { NeverSwitch } from './never-switch.tsx';
import { actText, stateLooks, text } from './strings.ts';
import { TakeOverDialog } from './take-over-dialog.tsx';

/** Everything about one right to act, and what a person can do about it. */
export function LeasePanel(props: {
  readonly lease: LeaseView;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const { lease, onClose, onChanged } = props;
  const [open, setOpen] = useState<'take-over' | 'bump' | null>(null);
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const needsPerson = stateLooks[lease.state].needsPerson;
  const done = (sentence: string): void => {
    setSaid(sentence);
    setOpen(null);
    onChanged();
    // The button that was pressed may be gone now.
    heading.current?.focus();
  };
  return (
    <aside className="side pad le-side" aria-label={text.details}>
      <div className="flex">
        <h2 className="grow" ref={heading} tabIndex={-1}>
          <VisibleText text={lease.agentName} />
        </h2>
        <Button variant="quiet" size="small" icon="x" label={text.close} onClick={onClose} />
      </div>
      {needsPerson ? (
        <Note tone="needs" icon={stateLooks[lease.state].icon} className="le-standing">
          <VisibleText text={lease.sentence} />
        </Note>
      ) : (
        <p className="ink2">
          <VisibleText text={lease.sentence} />
        </p>
      )}
      {(lease.canTakeOver || lease.canBump) && (
        <div className="flex wrap le-acts">
          {lease.canTakeOver && <Button onClick={() => setOpen('take-over')}>{actText.takeOver}</Button>}
          {lease.canBump && <Button onClick={() => setOpen('bump')}>{actText.bump}</Button>}
        </div>
      )}
      <output className="t12 ink2 le-said">
        <VisibleText text={said} />
      </output>
      <Facts lease={lease} />
      <NeverSwitch lease={lease} onSaid={setSaid} onChanged={onChanged} />
      <div className="le-link">
        <Disclosure label={text.numbers}>
          <dl className="facts t12">
            <dt>{text.version}</dt>
            <dd className="mono">{lease.epoch}</dd>
            <dt>{text.length}</dt>
            <dd>{duration(lease.ttlMs)}</dd>
          </dl>
        </Disclosure>
        <p className="t12">
          <Link href={`/agents/${encodeURIComponent(lease.agentId)}`}>{text.openAgent}</Link>
        </p>
      </div>
      {open === 'take-over' && (
        <TakeOverDialog lease={lease} onClose={() => setOpen(null)} onDone={done} onLook={onChanged} />
      )}
      {open === 'bump' && <BumpDialog lease={lease} onClose={() => setOpen(null)} onDone={done} />}
    </aside>
  );
}

function Facts({ lease }: { readonly lease: LeaseView }) {
  return (
    <dl className="facts t12">
      <dt>{text.holder}</dt>
      <dd>
        <HolderName holder={lease.holder} />
      </dd>
      <dt>{lease.state === 'held' ? text.ends : text.now}</dt>
      <dd>
        <LeaseTime lease={lease} />
      </dd>
      <dt>{text.renewed}</dt>
      <dd>
        {lease.renewedAtMs === null ? (
          lease.isHere ? (
            text.never
          ) : (
            text.notSeen
          )
        ) : (
          <Time atMs={lease.renewedAtMs} format="both" />
        )}
      </dd>
      <dt>{text.open}</dt>
      <dd>{lease.openEntries.toLocaleString('en')}</dd>
      <dt>{text.settled}</dt>
      <dd>{lease.settledEntries.toLocaleString('en')}</dd>
    </dl>
  );
}
