import { randomUUID } from 'node:crypto';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { openPostgresRelay } from '../../src/main/relays/postgres/postgres-relay.ts';
import { installPostgresRelay } from '../../src/main/relays/postgres/relay-install.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { PostgresServer } from '../harness/postgres-server.ts';
import { makePlace, ownerOptions } from './postgres-bench.ts';
import type { PostgresPlace } from './postgres-bench.ts';
import { must } from './relay-samples.ts';
import type { RelayBench } from './relay-samples.ts';

/** A database with register and journals in it, and the role that a device signs in as. */
export async function makeJournalPlace(server: PostgresServer): Promise<PostgresPlace> {
  const place = await makePlace(server);
  must(await installPostgresRelay(ownerOptions(server, place.database)));
  return place;
}

/** A space that nothing is in, in a database that others use, too. */
export class PostgresRelayBench implements RelayBench {
  readonly tellsChanges = false;
  readonly spaceId = `home-${randomUUID()}`;
  readonly #server: PostgresServer;
  readonly #place: PostgresPlace;
  #opened: Relay[] = [];

  constructor(server: PostgresServer, place: PostgresPlace) {
    this.#server = server;
    this.#place = place;
  }

  /** On another way to the server than the plain one, if `options` says so. */
  async open(deviceId: DeviceId, options: PostgresOptions = this.#place.options): Promise<Relay> {
    const relay = must(await openPostgresRelay(options, { spaceId: this.spaceId, deviceId }));
    this.#opened.push(relay);
    return relay;
  }

  async restart(): Promise<void> {
    await this.close();
    await this.#server.kill();
    await this.#server.begin();
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((relay) => relay.close()));
    this.#opened = [];
  }
}
