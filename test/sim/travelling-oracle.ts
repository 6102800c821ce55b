import { change, readAll } from '../../src/main/store/connection.ts';
import type { SimDevice } from './sim-device.ts';

interface Row {
  readonly agent_id: string;
  readonly run_id: string;
  readonly effect_key: string;
  readonly op_id: string;
}

/**
 * Stands in for the synchronisation of journals, of which the fence needs only this: what one device committed is in the
 * oracle of every other. It is instant here, so that the oracle can be tried without the tail that covers for its delay.
 */
export class TravellingOracle {
  readonly #rows = new Map<string, Row>();

  share(devices: readonly SimDevice[]): void {
    for (const device of devices) {
      const db = device.openConnection()?.db;
      if (db === undefined) continue;
      for (const row of readAll<Row>(db, `SELECT * FROM oracle WHERE effect_key <> ''`))
        this.#rows.set(`${row.run_id} ${row.effect_key}`, row);
    }
    for (const device of devices) {
      const db = device.openConnection()?.db;
      if (db === undefined || db.inTransaction) continue;
      for (const { agent_id: agentId, run_id: runId, effect_key: effectKey, op_id: opId } of this.#rows.values())
        change(db, 'INSERT OR IGNORE INTO oracle VALUES (?, ?, ?, ?)', agentId, runId, effectKey, opId);
    }
  }
}
