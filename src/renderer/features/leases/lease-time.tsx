import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import { Icon } from '../../ui/icon.tsx';
import { Meter } from '../../ui/meter.tsx';
import { countdown } from '../../ui/time-words.ts';
import { useLeft } from '../../ui/use-left.ts';
import { stateLooks, text } from './strings.ts';

/** How long a right still lasts, how long its holder still waits, or how it stands otherwise. */
export function LeaseTime({ lease }: { readonly lease: LeaseView }) {
  if (lease.state === 'held') return <Left lease={lease} />;
  if (lease.state === 'hold-off' && lease.holdOffMs > 0) return <HoldOff lease={lease} />;
  const look = stateLooks[lease.state];
  return (
    <span className={look.needsPerson ? 'device le-needs' : 'device'}>
      <Icon name={look.icon} size="small" />
      {look.word}
    </span>
  );
}

function Left({ lease }: { readonly lease: LeaseView }) {
  const left = useLeft(lease.remainingMs, lease);
  return (
    <span className="flex num">
      <Meter share={lease.ttlMs === 0 ? 0 : left / lease.ttlMs} />
      {countdown(left)}
    </span>
  );
}

function HoldOff({ lease }: { readonly lease: LeaseView }) {
  const left = useLeft(lease.holdOffMs, lease);
  return (
    <span className="device num">
      <Icon name={stateLooks['hold-off'].icon} size="small" />
      {left > 0 ? text.actsInLeft(countdown(left)) : stateLooks['hold-off'].word}
    </span>
  );
}
