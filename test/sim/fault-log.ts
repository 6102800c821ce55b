import type { Fault } from './swarm.ts';

/** Counts what was done to a simulation, by kind. `isOver` once everything is to work again. */
export class FaultLog {
  readonly counts = new Map<Fault, number>();
  isOver = false;

  count(fault: Fault): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }

  total(): number {
    let sum = 0;
    for (const count of this.counts.values()) sum += count;
    return sum;
  }
}
