import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { installPostgresRelay } from '../../src/main/relays/postgres/relay-install.ts';
import { PostgresServer } from '../harness/postgres-server.ts';

/** A real server for the relays of several seeds, each of which has a database of its own. */
export class RelayDatabases {
  readonly #server: PostgresServer;

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  static async start(): Promise<RelayDatabases> {
    // What a crash of the machine below leaves is no part of a simulation.
    return new RelayDatabases(await PostgresServer.start({ settings: ['fsync = off'] }));
  }

  async next(): Promise<PostgresOptions> {
    const { host, port, user, password } = this.#server;
    const database = await this.#server.createDatabase();
    const address = { host, port, user, database };
    const options: PostgresOptions = { name: 'Simulated database', address, password, tls: { kind: 'off' } };
    const installed = await installPostgresRelay(options);
    if (!installed.ok) throw new Error(installed.error.message);
    return options;
  }

  end(): Promise<void> {
    return this.#server.end();
  }
}
