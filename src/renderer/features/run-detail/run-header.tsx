import { useLocation } from 'wouter';
import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import type { RunDetailView } from '../../../shared/contract/views.ts';
import { useLeases } from '../../state/use-leases.ts';
import { Button } from '../../ui/button.tsx';
import { KeyChip } from '../../ui/key-chip.tsx';
import { Note } from '../../ui/note.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { countdown } from '../../ui/time-words.ts';
import { useLeft } from '../../ui/use-left.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** What the run is about, how it stands, who may act, and what it needs. */
export function RunHeader({ view }: { readonly view: RunDetailView }) {
  const leases = useLeases().value?.leases ?? [];
  // The list hears of renewals; the run's own copy is only as new as its last event.
  const lease = view.lease === null ? null : (leases.find((each) => each.agentId === view.row.agentId) ?? view.lease);
  return (
    <div className="rd-head">
      <h1 className="t20 strong">
        <VisibleText text={view.row.title} />
      </h1>
      <div className="flex wrap rd-state">
        <StateMark status={view.row.status} deviceName={view.row.deviceName} word={view.stateSentence} />
        {lease !== null && (
          <span className="right flex">
            <LeaseChip lease={lease} />
          </span>
        )}
      </div>
      {view.condensed !== null && <p className="rd-condensed">{view.condensed}</p>}
      <NeedsNote view={view} />
    </div>
  );
}

function LeaseChip({ lease }: { readonly lease: LeaseView }) {
  const left = useLeft(lease.remainingMs, lease);
  const isHeld = lease.state === 'held';
  const words =
    !isHeld || lease.holder.kind !== 'device'
      ? lease.sentence
      : lease.isHere
        ? text.holdsHere
        : text.holds(lease.holder.name);
  return (
    <KeyChip left={isHeld ? text.left(countdown(left)) : ''} isDoubtful={!isHeld}>
      <VisibleText text={words} />
    </KeyChip>
  );
}

function NeedsNote({ view }: { readonly view: RunDetailView }) {
  const [, navigate] = useLocation();
  const { attemptInDoubt, approvalId } = view;
  if (attemptInDoubt !== null) {
    return (
      <Note tone="needs" title={text.unclear} className="rd-note">
        {text.unclearMore}
        <Button
          size="small"
          className="rd-go"
          onClick={() => navigate(`/needs/unclear/${encodeURIComponent(attemptInDoubt)}`)}
        >
          {text.decide}
        </Button>
      </Note>
    );
  }
  if (approvalId !== null) {
    return (
      <Note tone="needs" icon="s-approve" title={text.asked} className="rd-note">
        {text.askedMore}
        <Button
          size="small"
          className="rd-go"
          onClick={() => navigate(`/needs/approve/${encodeURIComponent(approvalId)}`)}
        >
          {text.answer}
        </Button>
      </Note>
    );
  }
  return null;
}
