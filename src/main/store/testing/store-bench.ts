import { randomUUID } from 'node:crypto';
import { createHostClock } from '../../host/clock.ts';
import type { HostClock } from '../../host/clock.ts';
import { createHostTimers } from '../../host/timers.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { Store } from '../store.ts';
import { must } from './temporary-folder.ts';

/** A store in a folder, on the machine's clocks unless the test brings others. */
export function openStore(folder: string, clock: HostClock = createHostClock()): Store {
  return must(Store.open(folder, { clock, timers: createHostTimers(), newId: randomUUID }));
}

/** The open connection, or a failed test. */
export function connectionOf(store: Store): Connection {
  const connection = store.connection();
  if (connection === null) throw new Error('The store is not open.');
  return connection;
}

/** The id of the device that a store belongs to. */
export function deviceIdOf(store: Store): string {
  return (
    readOne<{ value: string }>(connectionOf(store).db, `SELECT value FROM profile WHERE key = 'device-id'`)?.value ?? ''
  );
}
