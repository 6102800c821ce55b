import { Link } from 'wouter';
import type { SyncChip as Chip } from '../../shared/contract/sync-views.ts';
import { percentOf } from '../features/devices/sync/sync-model.ts';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-shapes.tsx';
import { relativeTime } from '../ui/time-words.ts';
import { useNow } from '../ui/use-now.ts';
import { text } from './strings.ts';

const icons: Readonly<Record<Chip['state'], IconName>> = {
  off: 'sync',
  ready: 'sync',
  'catching-up': 'sync',
  offline: 's-wait',
  trouble: 'warn',
};

/** How the shared record stands, in a few words; leads to all of it. */
export function SyncChip({ chip }: { readonly chip: Chip }) {
  const nowMs = useNow(1_000);
  return (
    <Link href="/devices" className={chip.state === 'trouble' ? 'sync-chip alert' : 'sync-chip'}>
      <Icon name={icons[chip.state]} size="small" />
      <span className="num">{chipWords(chip, nowMs)}</span>
    </Link>
  );
}

function chipWords(chip: Chip, nowMs: number): string {
  const { catchUp, syncedAtMs, others, othersInStep } = chip;
  if (chip.state === 'offline') return text.syncOffline;
  if (chip.state === 'trouble') return text.syncTrouble;
  if (chip.state === 'catching-up') {
    if (catchUp === null || catchUp.total <= 0) return text.syncCatchingUp;
    return `${text.syncCatchingUp} ${percentOf(catchUp)} %`;
  }
  const when = syncedAtMs === null ? text.syncFirst : text.synced(relativeTime(Math.min(syncedAtMs, nowMs), nowMs));
  return `${when} · ${others === 0 ? text.syncAlone : text.inStep(othersInStep, others)}`;
}
