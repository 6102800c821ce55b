import { create } from 'zustand';

interface LeaseFilter {
  readonly deviceId: string | null;
  /** What it was called when it was chosen: it may stand in no list any more. */
  readonly name: string;
}

/** The device whose rights are shown. It survives leaving the screen. */
export const useLeaseFilter = create<LeaseFilter>(() => ({ deviceId: null, name: '' }));

/** Chooses a device; `null` for any. */
export function setLeaseDevice(device: { readonly value: string; readonly label: string } | null): void {
  useLeaseFilter.setState({ deviceId: device?.value ?? null, name: device?.label ?? '' });
}
