import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { createHostClock } from '../src/main/host/clock.ts';
import { createHostTimers } from '../src/main/host/timers.ts';
import { haveOf } from '../src/main/host/sync/known-journals.ts';
import { readAll } from '../src/main/store/connection.ts';
import type { Connection } from '../src/main/store/connection.ts';
import { operationOf } from '../src/main/store/journal-rows.ts';
import type { OpRow } from '../src/main/store/journal-rows.ts';
import { condenseRuns, FIRST_PLACE } from '../src/main/store/transactions/condense-runs.ts';
import { foldOperations } from '../src/main/store/transactions/fold-operations.ts';
import { Store } from '../src/main/store/store.ts';
import type { DeviceId } from '../src/shared/contract/identifiers.ts';
import { must } from './coordinators-hub.ts';
import { agentEntries, appendAll, runEntries } from './sync-record.ts';
import type { Entry, Template } from './sync-record.ts';

export const DAY_MS = 86_400_000;
/** Entries that are read and folded at a time, and runs that are condensed at a time, as the product does. */
const FOLD_OPERATIONS = 250;
const CONDENSE_RUNS = 50;

/** How long and how busily. */
export interface YearSize {
  readonly agents: number;
  readonly runsEachDay: number;
  readonly days: number;
  readonly retentionDays: number;
  /** How often a device looks for runs to condense, days. */
  readonly condenseEveryDays: number;
}

/** A device with a record of its own on simulated time. */
export class YearDevice {
  readonly profileFolder: string;
  /** The place in its record up to which everybody has what it wrote. */
  handedUpTo = 0;
  #store: Store | null = null;
  readonly #nowMs: () => number;

  constructor(profileFolder: string, nowMs: () => number) {
    this.profileFolder = profileFolder;
    this.#nowMs = nowMs;
    mkdirSync(profileFolder);
  }

  /** Opens its record if it is not; opening it is part of what is measured. */
  get store(): Store {
    const real = createHostClock();
    const clock = { ...real, read: () => ({ ...real.read(), wallMs: this.#nowMs() }) };
    this.#store ??= must(Store.open(this.profileFolder, { clock, timers: createHostTimers(), newId: () => v7() }));
    return this.#store;
  }

  get connection(): Connection {
    const connection = this.store.connection();
    if (connection === null) throw new Error('The record is not open.');
    return connection;
  }

  close(): void {
    this.#store?.close();
    this.#store = null;
  }

  /** The size of a copy without free pages, bytes. */
  compactBytes(): number {
    const file = join(this.profileFolder, 'copy');
    this.connection.db.prepare('VACUUM INTO ?').run(file);
    const { size } = statSync(file);
    rmSync(file);
    return size;
  }
}

/** Devices that take turns with each agent, day by day; each evening everybody has everything. */
export class Year {
  readonly #size: YearSize;
  readonly #template: Template;
  readonly #startMs: number;
  #nowMs: number;
  readonly devices: readonly YearDevice[];
  /** Never condenses: what a record would be without. */
  readonly keeper: YearDevice;
  entries = 0;
  #runs = 0;

  constructor(folder: string, of: { readonly template: Template; readonly size: YearSize; readonly devices: number }) {
    this.#size = of.size;
    this.#template = of.template;
    this.#startMs = Date.now() - of.size.days * DAY_MS;
    this.#nowMs = this.#startMs;
    const nowMs = () => Math.floor(this.#nowMs);
    const open = (name: string) => new YearDevice(join(folder, name), nowMs);
    this.devices = Array.from({ length: of.devices }, (_, index) => open(`device-${index + 1}`));
    this.keeper = open('keeper');
  }

  async live(): Promise<void> {
    const { agents, days, condenseEveryDays } = this.#size;
    const names = Array.from({ length: agents }, (_, index) => `agent-${index + 1}`);
    const [first] = this.devices;
    if (first !== undefined)
      await this.#append(first, [names.flatMap((name) => agentEntries(this.#template, name))], DAY_MS);
    await this.#exchange();
    for (let day = 0; day < days; day += 1) {
      for (const [index, device] of this.devices.entries()) {
        this.#nowMs = this.#startMs + day * DAY_MS + (index * DAY_MS) / this.devices.length;
        const here = names.filter((_, agent) => (agent + day) % this.devices.length === index);
        const all = Array.from({ length: runsOf(day, this.#size) }, () => here).flat();
        const runs = all.map((name) => runEntries(this.#template, { name, number: (this.#runs += 1) }));
        await this.#append(device, runs, DAY_MS / this.devices.length / (all.length + 1));
      }
      await this.#exchange();
      if ((day + 1) % condenseEveryDays === 0) await this.#condense();
    }
    await this.#condense();
  }

  async #append(device: YearDevice, runs: readonly (readonly Entry[])[], stepMs: number): Promise<void> {
    must(
      await device.store.write((connection) => {
        for (const run of runs) {
          appendAll(connection, run);
          this.#nowMs += stepMs;
        }
      }),
    );
    this.entries += runs.reduce((sum, run) => sum + run.length, 0);
  }

  async #exchange(): Promise<void> {
    for (const author of this.devices) {
      const { head } = author.connection.journal;
      const others = [...this.devices, this.keeper].filter((device) => device !== author);
      for (const device of others) await hand(author, device);
      author.handedUpTo = head.seq;
    }
  }

  /** As it is done in the product, but for the checkpoint that has to be held before. */
  async #condense(): Promise<void> {
    const retentionMs = this.#size.retentionDays * DAY_MS;
    for (const { store, connection } of this.devices) {
      const cut = haveOf(connection);
      for (let after = FIRST_PLACE; ;) {
        const nowMs = connection.journal.nowMs();
        const request = { cut, nowMs, retentionMs, awaited: [], agentIds: null, after, limit: CONDENSE_RUNS };
        const done = must(await store.write((within) => condenseRuns(within, request)));
        if (done.next === null) break;
        after = done.next;
      }
    }
  }
}

/** How many runs of each agent begin on a day, from 0; less than one a day leaves days without. */
function runsOf(day: number, { runsEachDay }: YearSize): number {
  return Math.floor((day + 1) * runsEachDay) - Math.floor(day * runsEachDay);
}

/** Folds what an author wrote since the last time into another record. */
async function hand(author: YearDevice, device: YearDevice): Promise<void> {
  const { db, journal } = author.connection;
  const deviceId = journal.deviceId as DeviceId;
  // From the place in the record on, which has an index; a place in the journal has none.
  const sql = 'SELECT * FROM ops WHERE seq > ? AND device_id = ? ORDER BY seq LIMIT ?';
  for (let after = author.handedUpTo; ;) {
    const rows = readAll<OpRow>(db, sql, after, deviceId, FOLD_OPERATIONS);
    const last = rows.at(-1);
    if (last === undefined) return;
    const operations = rows.map(operationOf);
    const folded = must(await device.store.write((within) => foldOperations(within, deviceId, operations)));
    if (folded.kind !== 'folded') throw new Error(`An entry was not folded: ${folded.kind}.`);
    after = last.seq;
  }
}
