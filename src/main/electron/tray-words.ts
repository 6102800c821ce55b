/** What the icon tells. */
export interface TrayCounts {
  readonly running: number;
  readonly needsYou: number;
}

/** An entry of the icon's menu; `null` is a line between two groups. */
export type TrayItem = { readonly does: 'open' | 'needs' | 'pause' | 'quit'; readonly label: string } | null;

/** The counts in words, such as `2 running · 1 needs you`. */
export function trayStatus({ running, needsYou }: TrayCounts): string {
  const parts = [
    ...(running > 0 ? [`${running} running`] : []),
    ...(needsYou > 0 ? [`${needsYou} ${needsYou === 1 ? 'needs' : 'need'} you`] : []),
  ];
  return parts.length === 0 ? 'Nothing is running' : parts.join(' · ');
}

/** What is shown beside the icon where the system can: only what needs a person. */
export function trayTitle({ needsYou }: TrayCounts): string {
  return needsYou === 0 ? '' : String(needsYou);
}

/** The icon's menu. Every entry opens something; pausing asks in the window, which says what a pause would do. */
export function trayMenu(counts: TrayCounts): readonly TrayItem[] {
  return [
    { does: 'open', label: 'Open Fencepost' },
    { does: 'needs', label: counts.needsYou === 0 ? 'What needs you' : `What needs you (${counts.needsYou})` },
    null,
    { does: 'pause', label: 'Pause all…' },
    null,
    { does: 'quit', label: 'Quit Fencepost' },
  ];
}
