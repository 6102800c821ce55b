import { isSameEffect } from '../../src/shared/contract/identifiers.ts';
import type { TailEntry } from '../../src/shared/core/lease/register.ts';

/** The one row of a register as somebody was told it is, or as it was found. */
export interface RegisterFact {
  readonly agentId: string;
  readonly epoch: number;
  readonly holder: string | null;
  readonly nonce: string | null;
  /** On the boot clock, ms. */
  readonly expiresMs: number;
  readonly tail: readonly Pick<TailEntry, 'effect' | 'attemptToken' | 'status' | 'deviceId' | 'seq'>[];
  readonly frontier: Readonly<Record<string, number>>;
}

/** What the process under test says between two operations of the disk: somebody was told this. */
export type Mark =
  /** A whole host or register is up, on the record of this device. */
  | { readonly fact: 'device'; readonly deviceId: string }
  /** An entry of the journal whose write promise has resolved: an intent, a settlement, a decision, a trigger and so on. */
  | {
      readonly fact: 'operation';
      readonly seq: number;
      readonly opId: string;
      readonly kind: string;
      /** Of `lease.acquired`: what was granted. */
      readonly grant: { readonly agentId: string; readonly epoch: number } | null;
      /** Of `effect.started`: the effect that may leave from now on. */
      readonly startedId: string | null;
    }
  | { readonly fact: 'register'; readonly row: RegisterFact }
  | { readonly fact: 'setting'; readonly key: string; readonly value: string }
  /** The world has the effect: nobody can take it back. */
  | { readonly fact: 'hit'; readonly effectId: string }
  /** A copy was answered as made and checked. */
  | { readonly fact: 'copy'; readonly path: string; readonly head: number }
  | { readonly fact: 'phase'; readonly name: string };

/** Everything that was acknowledged up to one moment. */
export class AcknowledgedFacts {
  deviceId: string | null = null;
  /** How often a copy was put back: after that it is another device. */
  restores = 0;
  phase = '';
  readonly operations = new Map<number, { readonly opId: string; readonly kind: string }>();
  readonly registers = new Map<string, RegisterFact>();
  readonly grants = new Map<string, number>();
  readonly settings = new Map<string, string>();
  /** By effect id: how often the world has it. */
  readonly hits = new Map<string, number>();
  /** By effect id: how often it was allowed to leave. */
  readonly starts = new Map<string, number>();
  /** Effects that reached the world before anybody had written down that they would. */
  readonly undeclared: string[] = [];
  readonly copies: { readonly path: string; readonly head: number }[] = [];
  /** How many entries were acknowledged since a copy was put back. */
  sinceRestore = 0;
  #replaced: AcknowledgedFacts['operations'] | null = null;
  count = 0;

  add(text: string): void {
    this.note(JSON.parse(text) as Mark);
  }

  note(mark: Mark): void {
    this.count += 1;
    switch (mark.fact) {
      case 'device':
        this.deviceId = mark.deviceId;
        break;
      case 'operation':
        this.operations.set(mark.seq, { opId: mark.opId, kind: mark.kind });
        this.sinceRestore += 1;
        if (mark.startedId !== null) this.starts.set(mark.startedId, (this.starts.get(mark.startedId) ?? 0) + 1);
        if (mark.grant !== null) this.grants.set(mark.grant.agentId, mark.grant.epoch);
        break;
      case 'register':
        this.registers.set(mark.row.agentId, mark.row);
        break;
      case 'setting':
        this.settings.set(mark.key, mark.value);
        break;
      case 'hit':
        this.hits.set(mark.effectId, (this.hits.get(mark.effectId) ?? 0) + 1);
        if ((this.hits.get(mark.effectId) ?? 0) > (this.starts.get(mark.effectId) ?? 0)) {
          this.undeclared.push(mark.effectId);
        }
        break;
      case 'copy':
        this.copies.push(mark);
        break;
      default:
        this.#enter(mark.name);
    }
  }

  #enter(phase: string): void {
    this.phase = phase;
    if (phase !== 'restored') return;
    this.restores += 1;
    this.#replaced = new Map(this.operations);
    this.sinceRestore = 0;
    const head = this.copies.at(-1)?.head ?? 0;
    for (const seq of this.operations.keys()) if (seq > head) this.operations.delete(seq);
  }

  /** What has to be in the record once the newest copy is in its place: what the copy held, and what came after. */
  afterRestore(): AcknowledgedFacts {
    const after = new AcknowledgedFacts();
    after.deviceId = this.deviceId;
    after.restores = Math.max(1, this.restores);
    after.count = this.count;
    const head = this.phase === 'restored' ? Infinity : (this.copies.at(-1)?.head ?? 0);
    for (const [seq, operation] of this.operations) if (seq <= head) after.operations.set(seq, operation);
    return after;
  }

  /** What has to be in the record that the newest restore replaced. */
  beforeRestore(): AcknowledgedFacts {
    const before = new AcknowledgedFacts();
    before.deviceId = this.deviceId;
    before.restores = this.phase === 'restored' ? this.restores - 1 : this.restores;
    before.count = this.count;
    const replaced = this.phase === 'restored' ? this.#replaced : this.operations;
    for (const [seq, operation] of replaced ?? []) before.operations.set(seq, operation);
    return before;
  }

  /** By the first word of their kind, how many entries of the journal were acknowledged. */
  byWord(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind } of this.operations.values()) {
      const word = kind.split('.')[0] ?? kind;
      counts[word] = (counts[word] ?? 0) + 1;
    }
    return counts;
  }
}

/** What a found row of a register lacks of what was acknowledged; `null` if it is that row or a later one. */
export function registerLoss(told: RegisterFact, found: RegisterFact | undefined): string | null {
  // A question that was refused leaves no row behind.
  if (told.epoch === 0) return null;
  if (found === undefined) return `the register has no row for ${told.agentId}`;
  if (found.epoch < told.epoch) return `epoch ${told.epoch} of ${told.agentId} went back to ${found.epoch}`;
  for (const entry of told.tail) {
    const now = found.tail.find((each) => each.attemptToken === entry.attemptToken);
    const frontier = found.frontier[entry.deviceId] ?? 0;
    // An open entry can have been settled and dropped in one step that nobody was told of yet; the frontier has moved then.
    const isPruned = entry.seq === null ? frontier > (told.frontier[entry.deviceId] ?? 0) : frontier >= entry.seq;
    // A decision lets a later attempt at the same effect take the place of an earlier one. Ids of attempts rise with time.
    const isFollowed = found.tail.some(
      (each) => isSameEffect(each.effect, entry.effect) && each.attemptToken > entry.attemptToken,
    );
    if (now === undefined && !isPruned && !isFollowed) {
      return `the tail lost the ${entry.status} entry ${entry.attemptToken}`;
    }
    if (now !== undefined && entry.status !== 'open' && now.status !== entry.status) {
      return `the tail entry ${entry.attemptToken} went back from ${entry.status} to ${now.status}`;
    }
  }
  for (const [deviceId, seq] of Object.entries(told.frontier)) {
    if ((found.frontier[deviceId] ?? 0) < seq) return `the frontier of ${deviceId} went back`;
  }
  if (found.epoch > told.epoch) return null;
  if (told.holder === null && found.holder !== null) return `the release at epoch ${told.epoch} was lost`;
  const isSameGrant = told.holder !== null && found.holder === told.holder && found.nonce === told.nonce;
  if (isSameGrant && found.expiresMs < told.expiresMs) return `a renewal at epoch ${told.epoch} was lost`;
  return null;
}
