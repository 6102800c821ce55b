import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Which operation of the disk fails, and how. */
export interface DiskFault {
  /**
   * `start`: while a host starts on an empty folder. `run`: from the press of Run until the run has come to rest. `upkeep`:
   * while a record is brought up to the newest form, copied, brought into its file, and a copy is put back.
   */
  readonly during: 'start' | 'run' | 'upkeep';
  readonly kind: 'host' | 'host-and-register' | 'old-record' | 'new-record';
  readonly on: 'change' | 'sync';
  readonly code: 'EIO' | 'ENOSPC';
  /** The k-th operation, from 1; 0: none, they are only counted. */
  readonly at: number;
  readonly isForEver: boolean;
}

const NUMBERS = { change: 1, sync: 2, EIO: 5, ENOSPC: 28 } as const;

/** The part of the watched disk that one fault belongs to: everything below `lane-N`. */
export class FaultLane {
  readonly folder: string;
  readonly #root: string;
  readonly #lane: number;
  readonly #control: number;

  constructor(of: { root: string; lane: number; control: number }) {
    this.#root = of.root;
    this.#lane = of.lane;
    this.#control = of.control;
    this.folder = join(of.root, `lane-${of.lane}`);
  }

  arm({ on, at, code, isForEver }: DiskFault): void {
    this.#say(`arm ${this.#lane} ${NUMBERS[on]} ${at} ${NUMBERS[code]} ${isForEver ? 1 : 0}`);
  }

  disarm(): void {
    this.#say(`arm ${this.#lane} 0 0 0 0`);
  }

  /** How many operations of the kind that was armed were seen, and how many of them failed. */
  report(): { seen: number; fired: number } {
    this.#say(`report ${this.#lane}`);
    const text = readFileSync(join(this.#root, `report-${this.#lane}`), 'utf8');
    const [seen = 0, fired = 0] = text.split(' ').map(Number);
    return { seen, fired };
  }

  #say(text: string): void {
    writeSync(this.#control, text);
  }
}
