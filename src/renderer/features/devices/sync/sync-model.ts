import type { SyncDeviceRow } from '../../../../shared/contract/sync-views.ts';

/** Contact within this time counts as being there. */
const HERE_MS = 2 * 60_000;
/** Clocks that differ by less are right enough for everything here. */
const CLOCK_RIGHT_MS = 1_000;

/** Where a device stands, for its shape and its word. */
export type Standing = 'here' | 'away' | 'silent' | 'let-go' | 'aside' | 'unseen';

/** What is most worth saying about a device. */
export function standingOf(device: SyncDeviceRow, nowMs: number): Standing {
  if (device.isThisDevice) return 'here';
  if (device.letGoAtMs !== null) return 'let-go';
  if (device.quarantine !== null) return 'aside';
  if (device.isSilent) return 'silent';
  if (device.lastSeenAtMs === null) return 'unseen';
  return nowMs - device.lastSeenAtMs <= HERE_MS ? 'here' : 'away';
}

/** How far a clock is off, in words; empty if it is right, `null` if nobody knows. */
export function clockText(offsetMs: number | null): string | null {
  if (offsetMs === null) return null;
  const length = Math.abs(offsetMs);
  if (length < CLOCK_RIGHT_MS) return '';
  const seconds = Math.round(length / 1_000);
  const [count, unit] =
    seconds < 120
      ? [seconds, 's']
      : seconds < 7_200
        ? [Math.round(seconds / 60), 'min']
        : seconds < 172_800
          ? [Math.round(seconds / 3_600), 'h']
          : [Math.round(seconds / 86_400), 'days'];
  return `${offsetMs > 0 ? '+' : '−'}${count.toLocaleString('en')} ${unit}`;
}

/** A share in whole percent that says 100 only when it is done. */
export function percentOf(of: { readonly done: number; readonly total: number }): number {
  if (of.total <= 0) return 0;
  const share = Math.floor((Math.min(of.done, of.total) / of.total) * 100);
  return Math.max(0, share);
}
