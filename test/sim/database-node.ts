import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import { openPostgresRelay } from '../../src/main/relays/postgres/postgres-relay.ts';
import { relayUnreachableProblem } from '../../src/main/relays/postgres/relay-problems.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import type { EventQueue } from './event-queue.ts';
import type { KeptJournals } from './kept-journals.ts';

/** The journals in a real database, asked with the real statements. Its time is real, and no simulated time passes meanwhile. */
export class DatabaseNode implements KeptJournals {
  isUp = true;
  isFull = false;
  readonly #queue: EventQueue;
  readonly #options: PostgresOptions;
  readonly #relays = new Map<DeviceId, Relay>();

  constructor(of: { readonly queue: EventQueue; readonly options: PostgresOptions }) {
    this.#queue = of.queue;
    this.#options = of.options;
  }

  async open(deviceId: DeviceId, spaceId: string): Promise<Result<null, Problem>> {
    if (!this.isUp) return err(relayUnreachableProblem('The simulated server is off.'));
    if (this.#relays.has(deviceId)) return ok(null);
    const opened = await this.#queue.real(() => openPostgresRelay(this.#options, { spaceId, deviceId }));
    if (!opened.ok) throw new Error(`The real server: ${opened.error.message}`);
    this.#relays.set(deviceId, opened.value);
    return ok(null);
  }

  relayOf(deviceId: DeviceId): Relay {
    const relay = this.#relays.get(deviceId);
    if (relay === undefined) throw new Error('This device has not opened its relay.');
    return relay;
  }

  /** What is lost is lost by the simulated network alone: a real server that does not answer would tell another story each time. */
  carry<Value>(act: () => Promise<Value>): Promise<Value> {
    return this.#queue.real(act);
  }

  /** A pooler carries no notices: devices look for themselves. */
  onChange(): () => void {
    return () => undefined;
  }

  async restart(): Promise<void> {
    this.isUp = true;
  }

  async close(): Promise<void> {
    for (const relay of this.#relays.values()) await relay.close();
  }
}
