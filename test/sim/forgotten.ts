import { readOne } from '../../src/main/store/connection.ts';
import type { AgentId, AttemptToken } from '../../src/shared/contract/identifiers.ts';
import type { SimDevice } from './sim-device.ts';

interface Announced {
  readonly token: AttemptToken;
  readonly effectId: string;
  readonly atMs: number;
}

/**
 * What a register has forgotten by being put back. A device that never heard of it from a journal cannot know better, and
 * is excused (protocol section 5, rule 7: the mark is also raised by synced operations, and by nothing else); one that did
 * hear of it must neither repeat it nor act under an epoch below the one it has seen.
 */
export class Forgotten {
  isPutBack = false;
  /** How often somebody sent what they could not know had been sent, or under an epoch that they could not know was old. */
  excuses = 0;
  #announced: Announced[] = [];
  readonly #tokens = new Map<string, Set<AttemptToken>>();
  readonly #excused = new Map<string, number>();

  announced(entry: Announced): void {
    this.#announced.push(entry);
  }

  /** The register is as it was at that moment. */
  putBackTo(copiedAtMs: number): void {
    this.isPutBack = true;
    for (const { token, effectId, atMs } of this.#announced) {
      if (atMs <= copiedAtMs) continue;
      this.#tokens.set(effectId, (this.#tokens.get(effectId) ?? new Set()).add(token));
    }
    this.#announced = this.#announced.filter(({ atMs }) => atMs <= copiedAtMs);
  }

  /** Whether this device, which sends now, may do so although the effect was announced before: once for each call. */
  excuse(device: SimDevice, effectId: string, sending: AttemptToken): boolean {
    const tokens = [...(this.#tokens.get(effectId) ?? [])].filter((token) => token !== sending);
    const { db } = device.connection();
    // Whoever heard of it before it left knows no more than that it was meant to.
    const sql = `SELECT 1 FROM attempts WHERE attempt_token = ? AND progress <> 'never-started'`;
    const isKnown = (token: AttemptToken): boolean => readOne(db, sql, token) !== null;
    if (tokens.length === 0 || tokens.some(isKnown)) return false;
    this.#excused.set(effectId, this.excused(effectId) + 1);
    this.excuses += 1;
    return true;
  }

  /** How many calls of an effect were excused. */
  excused(effectId: string): number {
    return this.#excused.get(effectId) ?? 0;
  }

  /** Whether a device has never seen so high an epoch, so that it may take a lower one for the newest. */
  isUnseen(device: SimDevice, agentId: AgentId, epoch: number): boolean {
    if (!this.isPutBack) return false;
    const sql = 'SELECT epoch FROM high_water WHERE agent_id = ?';
    const seen = readOne<{ epoch: number }>(device.connection().db, sql, agentId)?.epoch ?? 0;
    if (seen >= epoch) return false;
    this.excuses += 1;
    return true;
  }
}
