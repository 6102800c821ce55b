/** Rows that a page of a list is taken for. */
const PAGE_STEP = 20;

/** How far a key moves the selection in a list of `total` rows; `null` when it is no such key. */
export function rowStepOf(key: string, total: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE_STEP,
    PageUp: -PAGE_STEP,
    Home: -total,
    End: total,
  };
  return steps[key] ?? null;
}
