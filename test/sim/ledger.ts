import { readAll } from '../../src/main/store/connection.ts';
import type { EffectIdentity } from '../../src/shared/contract/identifiers.ts';
import { effectIdOf } from './effect-id.ts';
import type { SimDevice } from './sim-device.ts';

interface Row {
  readonly seq: number;
  readonly op_id: string;
  readonly kind: string;
  readonly payload: string;
}

/**
 * What people decided and which attempts came back as *not done*, remembered outside of every device: one that is off, or
 * whose disk forgot it, has still allowed what it allowed.
 */
export class Ledger {
  readonly #redone = new Map<string, number>();
  readonly #failed = new Map<string, number>();
  readonly #committed = new Set<string>();
  readonly #reopened = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #readUpTo = new Map<SimDevice, number>();

  /** Reads on in the journal of a device that is open. */
  read(device: SimDevice): void {
    const { db, journal } = device.connection();
    const from = Math.min(this.#readUpTo.get(device) ?? 0, journal.head.seq);
    this.#readUpTo.set(device, journal.head.seq);
    const sql = `SELECT seq, op_id, kind, payload FROM ops WHERE seq > ? AND kind IN ('recovery.decided', 'recovery.reopened', 'settle.recorded')`;
    for (const row of readAll<Row>(db, sql, from)) this.#note(row);
  }

  /** A disk forgot: its journal goes on from an earlier place. */
  forgot(device: SimDevice): void {
    this.#readUpTo.delete(device);
  }

  #note(row: Row): void {
    if (this.#seen.has(row.op_id)) return;
    this.#seen.add(row.op_id);
    const event = JSON.parse(row.payload) as {
      effect: EffectIdentity;
      choice?: string;
      outcome?: { kind: string; wasSent?: boolean };
    };
    const effectId = effectIdOf(event.effect);
    if (event.choice === 'send-again' || event.choice === 'undo-then-send') addOne(this.#redone, effectId);
    if (event.outcome?.kind === 'failure' && event.outcome.wasSent === true) addOne(this.#failed, effectId);
    if (event.outcome?.kind === 'success') this.#committed.add(effectId);
    if (row.kind !== 'recovery.reopened') return;
    this.#committed.delete(effectId);
    this.#reopened.add(effectId);
  }

  /** Whether it was committed, and nobody has taken that back. */
  isCommitted(effectId: string): boolean {
    return this.#committed.has(effectId);
  }

  /** Whether anybody ever took back a decision about it. */
  wasReopened(effectId: string): boolean {
    return this.#reopened.has(effectId);
  }

  /** How often a person said *send it again*. */
  redone(effectId: string): number {
    return this.#redone.get(effectId) ?? 0;
  }

  /** How many attempts left and came back with the answer that it was not done. */
  failed(effectId: string): number {
    return this.#failed.get(effectId) ?? 0;
  }
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
