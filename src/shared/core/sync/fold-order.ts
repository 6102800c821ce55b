import type { HybridTime } from './hybrid-clock.ts';

/** Where an operation stands among all that are about the same agent, on whichever device they were written. */
export interface FoldPlace {
  readonly epoch: number;
  readonly time: HybridTime;
  readonly opId: string;
}

/**
 * The one order in which operations about an agent are folded: by the grant that their author knew of, then by the hybrid
 * clock, then by id. The register hands grants out one after another, so what a holder wrote comes after all that earlier
 * holders wrote, however late that arrives and whatever their clocks say (protocol section 7; ADR 0017).
 */
export function compareFoldPlaces(one: FoldPlace, other: FoldPlace): number {
  return (
    one.epoch - other.epoch ||
    one.time.wallMs - other.time.wallMs ||
    one.time.counter - other.time.counter ||
    (one.opId < other.opId ? -1 : one.opId > other.opId ? 1 : 0)
  );
}
