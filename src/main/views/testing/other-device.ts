import { createHostTimers } from '../../host/timers.ts';
import type { EventKind, EventPayloads } from '../../../shared/contract/events.ts';
import { readAll } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { operationOf } from '../../store/journal-rows.ts';
import type { OpRow } from '../../store/journal-rows.ts';
import { Store } from '../../store/store.ts';
import { connectionOf } from '../../store/testing/store-bench.ts';
import { must } from '../../store/testing/temporary-folder.ts';
import { foldOperations } from '../../store/transactions/fold-operations.ts';

/** Another device with a real record of its own, whose entries a test hands over. */
export interface OtherDevice {
  readonly deviceId: string;
  write<Kind extends EventKind>(kind: Kind, payload: EventPayloads[Kind]): Promise<void>;
  /** Folds all that it wrote into another record. */
  handOver(to: Connection): void;
  close(): void;
}

/** Opens it in an empty folder. */
export function openOtherDevice(folder: string, deviceId: string, nowMs: () => number): OtherDevice {
  const reading = () => ({ wallMs: nowMs(), monotonicMs: nowMs(), bootMs: nowMs() });
  const clock = { read: reading, instant: () => ({ bootId: 'boot', bootMs: nowMs() }) };
  const store = must(Store.open(folder, { clock, timers: createHostTimers(), newId: () => deviceId }));
  return {
    deviceId,
    async write(kind, payload) {
      must(
        await store.write(({ journal }) => {
          journal.append(kind, payload);
        }),
      );
    },
    handOver(to) {
      const sql = 'SELECT * FROM ops WHERE device_id = ? ORDER BY journal_seq';
      const operations = readAll<OpRow>(connectionOf(store).db, sql, deviceId).map(operationOf);
      const folded = to.db.transaction(() => foldOperations(to, deviceId as never, operations)).immediate();
      if (folded.kind !== 'folded') throw new Error(`Not folded: ${folded.kind}`);
    },
    close: () => store.close(),
  };
}
