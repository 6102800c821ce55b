import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { stableFrontier } from '../../../shared/core/sync/sealed.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RelayStorage } from '../../hub/relay/relay-storage.ts';
import {
  addPart,
  beginArriving,
  dropArriving,
  dropStale,
  endArriving,
  isPassedOver,
  readNewest,
  readPart,
  removeDropped,
} from './relay-checkpoints.ts';
import { openRelayFile } from './relay-file.ts';
import type { RelayFile, RelayFileOptions } from './relay-file.ts';
import { dropOperations, headsOf, pullOperations, pushOperations, raiseFloors } from './relay-journals.ts';
import { addAcknowledged, letMembersGo, readMembers, seeMember } from './relay-members.ts';

const RELAY_FILE = 'relay.sqlite';
/** How much is removed in one transaction: the register on the same thread waits for it. */
const DROP_OPERATIONS = 1_000;
const DROP_PARTS = 4;

/** Where a hub keeps its journals, and by which calendar it says when a device was here. */
export interface SqliteRelayOptions extends Pick<RelayFileOptions, 'freeBytes'> {
  /** The hub's own folder, whose lock the register holds. */
  readonly folder: string;
  readonly wallMs?: () => number;
}

/** Opens or makes the journals in a hub's folder. */
export function openSqliteRelay(options: SqliteRelayOptions): Result<RelayStorage, Problem> {
  const { folder, wallMs = () => Date.now(), ...rest } = options;
  const opened = openRelayFile({ ...rest, file: join(folder, RELAY_FILE) });
  return opened.ok ? ok(new SqliteRelay(opened.value, wallMs)) : opened;
}

class SqliteRelay implements RelayStorage {
  readonly #file: RelayFile;
  readonly #wallMs: () => number;
  readonly #listeners = new Set<(deviceId: DeviceId) => void>();

  constructor(file: RelayFile, wallMs: () => number) {
    this.#file = file;
    this.#wallMs = wallMs;
  }

  contact: RelayStorage['contact'] = async ({ deviceId, removed }) =>
    this.#run((db) => {
      letMembersGo(db, removed);
      seeMember(db, deviceId, this.#wallMs());
      return ok({ heads: headsOf(db), members: readMembers(db), checkpoint: readNewest(db) });
    });

  push: RelayStorage['push'] = async (deviceId, operations) => {
    const room = this.#file.room();
    if (!room.ok) return room;
    const pushed = this.#run((db) => ok(pushOperations(db, deviceId, operations)));
    if (!pushed.ok) return pushed;
    const { result, isNew } = pushed.value;
    if (isNew) for (const listener of this.#listeners) listener(deviceId);
    return result;
  };

  pull: RelayStorage['pull'] = async (have) => this.#run((db) => pullOperations(db, have));

  acknowledge: RelayStorage['acknowledge'] = async (deviceId, have) =>
    this.#run((db) => {
      seeMember(db, deviceId, this.#wallMs());
      addAcknowledged(db, deviceId, have);
      return ok(null);
    });

  beginCheckpoint: RelayStorage['beginCheckpoint'] = async (deviceId, header) => {
    const uploadId = randomUUID();
    const begun = this.#run<{ readonly uploadId: string | null }>((db) => {
      const atMs = this.#wallMs();
      dropStale(db, atMs);
      if (isPassedOver(db, header)) return ok({ uploadId: null });
      beginArriving(db, header, { uploadId, uploader: deviceId, atMs });
      return ok({ uploadId });
    });
    const cleared = begun.ok ? await this.#clear() : begun;
    return cleared.ok ? begun : cleared;
  };

  addPart: RelayStorage['addPart'] = async (part) => {
    const room = this.#file.room();
    return room.ok ? this.#run((db) => addPart(db, part)) : room;
  };

  endCheckpoint: RelayStorage['endCheckpoint'] = async (of) => {
    const ended = this.#run((db) => endArriving(db, of));
    return ended.ok ? await this.#clear() : ended;
  };

  checkpointPart: RelayStorage['checkpointPart'] = async (checkpointId, index) =>
    this.#run((db) => readPart(db, checkpointId, index));

  collect: RelayStorage['collect'] = async ({ removed }) => {
    const decided = this.#run((db) => {
      letMembersGo(db, removed);
      dropStale(db, this.#wallMs());
      const checkpoint = readNewest(db);
      if (checkpoint === null) return ok({});
      const asked = readMembers(db).filter(({ isLetGo }) => !isLetGo);
      const stable = stableFrontier([checkpoint.frontier, ...asked.map(({ acknowledged }) => acknowledged)]);
      raiseFloors(db, stable);
      return ok(stable);
    });
    if (!decided.ok) return decided;
    const dropped = await this.#inSteps(DROP_OPERATIONS, (db, limit) => dropOperations(db, decided.value, limit));
    if (!dropped.ok) return dropped;
    const cleared = await this.#clear();
    return cleared.ok ? ok({ dropped: dropped.value }) : cleared;
  };

  letGo: RelayStorage['letGo'] = async (deviceId) => {
    const gone = this.#run((db) => {
      letMembersGo(db, [deviceId]);
      dropArriving(db, { uploader: deviceId, keep: 0 });
      return ok(null);
    });
    return gone.ok ? await this.#clear() : gone;
  };

  onPush: RelayStorage['onPush'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#file.close();
  }

  async #clear(): Promise<Result<null, Problem>> {
    const cleared = await this.#inSteps(DROP_PARTS, removeDropped);
    return cleared.ok ? ok(null) : cleared;
  }

  /** Removes in transactions of at most `limit` each, so that the register gets its turn in between. */
  async #inSteps(limit: number, step: (db: Database, limit: number) => number): Promise<Result<number, Problem>> {
    for (let total = 0; ; await nextTurn()) {
      const removed = this.#run((db) => ok(step(db, limit)));
      if (!removed.ok) return removed;
      total += removed.value;
      if (removed.value < limit) return ok(total);
    }
  }

  #run<Value>(act: (db: Database) => Result<Value, Problem>): Result<Value, Problem> {
    return this.#file.run(act);
  }
}
