import type { LeaseHolder } from '../../../shared/contract/lease-views.ts';
import { DeviceName } from '../../ui/device-name.tsx';
import { Icon } from '../../ui/icon.tsx';
import { text } from './strings.ts';

/** The device that may act, or that nobody does, or that it cannot be told. */
export function HolderName({ holder }: { readonly holder: LeaseHolder }) {
  if (holder.kind === 'device') return <DeviceName name={holder.name} />;
  return (
    <span className="device">
      <Icon name={holder.kind === 'nobody' ? 's-wait' : 'help'} />
      {holder.kind === 'nobody' ? text.nobody : text.unknown}
    </span>
  );
}
