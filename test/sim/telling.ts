import { createHash } from 'node:crypto';
import { readAll } from '../../src/main/store/connection.ts';
import type { SimDevice } from './sim-device.ts';

/** What happens in a simulation, as a fingerprint that is the same for the same seed, and as a story where one is wanted. */
export class Telling {
  /** Plain lines; `null` unless somebody wants to read it. */
  readonly story: string[] | null;
  readonly #trueMs: () => number;
  readonly #fingerprint = createHash('sha256');

  constructor(of: { readonly trueMs: () => number; readonly tellsStory: boolean }) {
    this.#trueMs = of.trueMs;
    this.story = of.tellsStory ? [] : null;
  }

  /** Only for the fingerprint. */
  note(line: string): void {
    this.#fingerprint.update(`${this.#trueMs()} ${line}\n`);
  }

  /** Only for the story. */
  add(line: string): void {
    this.story?.push(`${(this.#trueMs() / 1_000).toFixed(3)} s ${line}`);
  }

  /** A device has written something; the story has all of it. */
  committed(device: SimDevice, to: { readonly sequence: number; readonly previous: number }): void {
    this.note(`${device.name} ${to.sequence} ${device.acknowledged.opId}`);
    if (this.story === null) return;
    const sql = 'SELECT kind, payload FROM ops WHERE seq > ? AND device_id = ? ORDER BY seq';
    const { db } = device.connection();
    for (const { kind, payload } of readAll<{ kind: string; payload: string }>(db, sql, to.previous, device.deviceId))
      this.add(`${device.name} ${kind} ${payload}`);
  }

  /** SHA-256 in hexadecimal; nothing can be told afterwards. */
  fingerprint(): string {
    return this.#fingerprint.digest('hex');
  }
}
