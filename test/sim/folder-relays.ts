import { basename, dirname, join, parse, sep } from 'node:path';
import { openFolderRelay } from '../../src/main/relays/folder/folder-relay.ts';
import { ok } from '../../src/shared/lib/result.ts';
import { NATURE } from './event-queue.ts';
import { MemoryFiles } from './memory-files.ts';
import { observeRelay } from './observed-relay.ts';
import { planRelayTrouble } from './sim-relays.ts';
import type { MachineOptions, SimRelays, SimRelaysOptions } from './sim-relays.ts';
import type { Fault } from './swarm.ts';

/** Where every machine has its copy. */
const ROOT = join(sep, 'shared');

/** How long passes between two of a kind at intensity 1, ms. */
const MEAN_GAP_MS = { 'relay-gone': 90_000, 'relay-full': 120_000, cut: 40_000 } as const;
/** How long a file takes from one machine to another, ms, at a mean; and at the most one that is late. */
const CARRY_MS = 1_500;
const LONGEST_CARRY_MS = 120_000;

/** A machine with its copy of the folder. */
interface Copy {
  readonly machine: MachineOptions;
  readonly files: MemoryFiles;
  cutUntilMs: number;
  /** For each folder of a device: how many files were written in it before the last one that came. */
  readonly arrived: Map<string, number>;
}

/** A file on its way, with its place in the order in which its folder was written. */
interface Parcel {
  readonly file: string;
  readonly content: Buffer;
  readonly order: number;
  readonly from: Copy;
  readonly to: Copy;
}

/** A folder on every machine, and a program that carries its files: late, in any order, in parts, and more than once. */
export function createFolderRelays(of: SimRelaysOptions): SimRelays {
  const carrier = new Carrier(of);
  const { queue, plan, log } = of;
  return {
    openerFor(machine) {
      const copy = carrier.add(machine);
      return async (owner, deviceId, { spaceId, isNew }) => {
        const watch = carrier.watchOf(copy);
        const writeMs = (): number => machine.randomOfMachine.between(0.1, 5);
        const files = copy.files.seenBy(owner, { queue, watch, writeMs });
        const wallMs = (): number => machine.clockOfMachine.read().wallMs;
        const opened = await openFolderRelay({ folder: ROOT, spaceId, deviceId, isNew, wallMs, files });
        if (!opened.ok) return opened;
        const relay = opened.value;
        const { pageOperations } = plan;
        return ok(
          observeRelay({ name: machine.name, log, pageOperations, relay: () => relay, ask: (act) => act(false) }),
        );
      };
    },
    begin: () => planRelayTrouble(of, MEAN_GAP_MS, (kind) => carrier.make(kind)),
    end: () => carrier.settle(),
    close: () => Promise.resolve(),
  };
}

class Carrier {
  readonly #of: SimRelaysOptions;
  readonly #copies: Copy[] = [];
  /** Which copy a device writes in, by its folder. */
  readonly #homes = new Map<string, Copy>();
  #written = 0;

  constructor(of: SimRelaysOptions) {
    this.#of = of;
  }

  add(machine: MachineOptions): Copy {
    const copy: Copy = { machine, files: new MemoryFiles(), cutUntilMs: 0, arrived: new Map() };
    this.#copies.push(copy);
    return copy;
  }

  watchOf(from: Copy): { placed(file: string): void; removed(file: string): void } {
    const others = (): readonly Copy[] => this.#copies.filter((copy) => copy !== from);
    return {
      placed: (file) => {
        const content = from.files.read(file);
        // What says whose the folder is, each machine writes itself.
        if (content === null || dirname(file) === ROOT) return;
        this.#homes.set(dirname(file), from);
        this.#written += 1;
        for (const to of others()) this.#send({ file, content, order: this.#written, from, to });
      },
      removed: (file) => {
        const { queue } = this.#of;
        for (const to of others())
          queue.after(this.#carryMs(), NATURE, () => {
            // It may have been written again meanwhile.
            if (from.files.read(file) === null) to.files.remove(file);
          });
      },
    };
  }

  make(kind: keyof typeof MEAN_GAP_MS): void {
    const { queue, random } = this.#of;
    const copy = random.pick(this.#copies);
    const forMs = random.heavyTail(15_000);
    if (kind === 'cut') {
      copy.cutUntilMs = queue.nowMs + forMs;
      return;
    }
    const flag = kind === 'relay-gone' ? 'isGone' : 'isFull';
    copy.files[flag] = true;
    queue.after(forMs, NATURE, () => {
      copy.files[flag] = false;
    });
  }

  #send(parcel: Parcel): void {
    const { queue, random, log } = this.#of;
    const afterMs = this.#happens('file-late', 0.2) ? random.between(5_000, LONGEST_CARRY_MS) : this.#carryMs();
    if (this.#happens('file-cut', 0.2)) {
      const { length } = parcel.content;
      const part = random.chance(0.3) ? Buffer.alloc(length) : parcel.content.subarray(0, random.below(length));
      queue.after(afterMs, NATURE, () => this.#arrive({ ...parcel, content: part }));
      log.count('a file that came in parts');
    }
    queue.after(afterMs + random.next() * CARRY_MS, NATURE, () => this.#arrive(parcel));
    if (!this.#happens('file-twice', 0.2)) return;
    const { dir, name, ext } = parse(parcel.file);
    const file = random.chance(0.5) ? parcel.file : join(dir, `${name} (1)${ext}`);
    log.count('a file that came twice');
    queue.after(afterMs + random.heavyTail(20_000), NATURE, () => this.#arrive({ ...parcel, file }));
  }

  #carryMs(): number {
    const { random, faults } = this.#of;
    return faults.isOver ? random.next() * CARRY_MS : random.heavyTail(CARRY_MS);
  }

  #arrive(parcel: Parcel): void {
    const { queue, random, faults, log } = this.#of;
    const { file, content, order, from, to } = parcel;
    const isApart = queue.nowMs < Math.max(from.cutUntilMs, to.cutUntilMs);
    if (isApart && !faults.isOver) {
      queue.after(random.between(1_000, 10_000), NATURE, () => this.#arrive(parcel));
      return;
    }
    // Once all is well, what comes late changes nothing any more.
    if (faults.isOver && from.files.read(file)?.equals(content) !== true) return;
    to.files.write(file, content);
    const newest = to.arrived.get(dirname(file)) ?? 0;
    if (order < newest) log.count('a file that came before one written earlier');
    to.arrived.set(dirname(file), Math.max(newest, order));
  }

  #happens(fault: Fault, probability: number): boolean {
    const { faults, swarm, random } = this.#of;
    if (faults.isOver || !swarm.faults.has(fault) || !random.chance(probability * swarm.intensity)) return false;
    faults.count(fault);
    return true;
  }

  /** Every copy has what there is at home, and nothing else. */
  settle(): void {
    for (const copy of this.#copies) Object.assign(copy.files, { isGone: false, isFull: false });
    for (const copy of this.#copies) {
      for (const file of copy.files.names()) {
        const home = this.#homes.get(dirname(file));
        if (home !== undefined && home !== copy && home.files.read(file) === null) copy.files.remove(file);
      }
      for (const [folder, home] of this.#homes) {
        if (home === copy) continue;
        for (const file of home.files.names()) {
          const content = dirname(file) === folder ? home.files.read(file) : null;
          if (content !== null) copy.files.write(join(folder, basename(file)), content);
        }
      }
    }
  }
}
