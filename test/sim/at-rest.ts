import { readAll, readOne } from '../../src/main/store/connection.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import { PROJECTION_TABLES } from '../../src/main/store/migrations/0010-initial.ts';
import { rebuildProjections } from '../../src/main/store/projections/rebuild.ts';
import type { RunRecord } from '../../src/main/store/rows.ts';
import type { Checker } from './checker.ts';
import type { SimDevice } from './sim-device.ts';

/** Whether every run of every device has ended, or cannot go on for a reason that was said. */
export function isAtRest(devices: readonly SimDevice[]): boolean {
  return devices.every((device) => device.openConnection() !== null && unfinished(device, devices).length === 0);
}

/** Runs that have not ended, but for agents whose register is full: those wait by design. */
function unfinished(device: SimDevice, devices: readonly SimDevice[]): RunRecord[] {
  const { db } = device.connection();
  const open = readAll<RunRecord>(db, 'SELECT * FROM runs WHERE ending IS NULL');
  return open.filter((run) => !devices.some((each) => isBlocked(each, run)));
}

function isBlocked(device: SimDevice, run: RunRecord): boolean {
  const db = device.openConnection()?.db;
  if (db === undefined) return false;
  const blocked = `SELECT 1 FROM refusals WHERE agent_id = ? AND reason = 'tail-full' LIMIT 1`;
  return readOne(db, blocked, run.agent_id) !== null;
}

/** I9: nothing is stuck. I5 and I7: the journal is whole, and what was read from it is what would be read from it again. */
export function checkAtRest(device: SimDevice, devices: readonly SimDevice[], checker: Checker): void {
  if (device.openConnection() === null) return checker.fail('I9', `the record of ${device.name} stays closed`);
  const { db } = device.connection();
  for (const run of unfinished(device, devices)) {
    const { phase, state_id: stateId, barrier_active: barrier, last_event: last } = run;
    checker.fail(
      'I9',
      `${device.name}: run ${run.run_id.slice(0, 6)} rests at ${stateId}: ${phase}, ${last}, barrier ${barrier}`,
    );
  }
  const unseen = readAll<{ run_id: string }>(
    db,
    `SELECT run_id FROM attempts JOIN runs USING (run_id) WHERE in_doubt_at_ms IS NOT NULL AND progress <> 'settled'
       AND decision IS NULL AND runs.ending IS NULL AND runs.phase <> 'needs-recovery'`,
  );
  for (const { run_id: runId } of unseen)
    checker.fail('I9', `${device.name}: run ${runId.slice(0, 6)} is in doubt, and nobody is asked`);
  const flaw = verifyJournal(db, device.deviceId);
  if (flaw !== null) checker.fail('I5', `${device.name}: ${JSON.stringify(flaw)}`);
  const before = dump(device);
  rebuildProjections(db);
  if (dump(device) !== before) checker.fail('I7', `${device.name}: the same journal reads differently the second time`);
}

function dump(device: SimDevice): string {
  const { db } = device.connection();
  return JSON.stringify(PROJECTION_TABLES.map((table) => readAll(db, `SELECT * FROM ${table} ORDER BY 1, 2, 3`)));
}
