import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { AcknowledgedFacts } from './acknowledged.ts';
import type { Finding } from './check-image.ts';
import { checkUpkeep } from './check-upkeep.ts';
import type { FaultOutcome } from './fault-case.ts';
import type { DiskFault, FaultLane } from './fault-lane.ts';
import { liveThroughUpkeep } from './upkeep-workload.ts';
import type { SayMark } from './watch-store.ts';

/** The upkeep of one record with one fault: whatever fails, the record and what was acknowledged are there afterwards. */
export class UpkeepFault {
  readonly facts = new AcknowledgedFacts();
  readonly #lane: FaultLane;
  readonly #fault: DiskFault;
  /** Whether something had failed by the last word of what was lived through: closing is no promise any more. */
  #hadFailed = false;

  constructor(lane: FaultLane, fault: DiskFault) {
    this.#lane = lane;
    this.#fault = fault;
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder);
  }

  get folder(): string {
    return this.#lane.folder;
  }

  async run(): Promise<FaultOutcome> {
    this.#lane.arm(this.#fault);
    const isEnded = await this.#live();
    const { seen, fired } = this.#lane.report();
    this.#lane.disarm();
    const findings = this.#findings();
    if (!isEnded && fired === 0) findings.push({ kind: 'refused', text: 'the upkeep failed although the disk works' });
    if (isEnded && this.#fault.isForEver && this.#hadFailed)
      findings.push({ kind: 'lost', text: 'the upkeep was answered as done although the disk fails for ever' });
    rmSync(this.folder, { recursive: true, force: true });
    return { fault: this.#fault, seen, fired, seenUntilSettled: 0, hits: 0, twice: 0, isEnded, codes: [], findings };
  }

  /** Ends at the first answer that is no; whoever was working gives up there, with everything left as it is. */
  async #live(): Promise<boolean> {
    const isOld = this.#fault.kind === 'old-record';
    const say: SayMark = (mark) => {
      this.facts.note(mark);
      if (mark.fact === 'phase') this.#hadFailed = this.#lane.report().fired > 0;
    };
    try {
      await liveThroughUpkeep({ root: this.folder, say, rounds: 1, isOld });
      return true;
    } catch {
      return false;
    }
  }

  #findings(): Finding[] {
    const copies: string[] = [];
    const put = (name: string): string => {
      const to = `${this.folder}-${name}-${copies.length}`;
      cpSync(this.folder, to, { recursive: true });
      copies.push(to);
      return to;
    };
    try {
      return checkUpkeep(put, this.facts, this.#fault.at % 2 === 0);
    } finally {
      for (const copy of copies) rmSync(copy, { recursive: true, force: true });
    }
  }
}
