import { readAll, readOne } from '../../src/main/store/connection.ts';
import { findRun } from '../../src/main/store/rows.ts';
import type { AttemptRecord } from '../../src/main/store/rows.ts';
import type { PreparedCall, AttemptContext } from '../../src/main/tools/tool.ts';
import { leavesATrace } from '../../src/shared/core/effect/effect-kind.ts';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import type { AgentId, StateId } from '../../src/shared/contract/identifiers.ts';
import { effectIdOf } from './effect-id.ts';
import type { Ledger } from './ledger.ts';
import type { SimDevice } from './sim-device.ts';
import type { RegisterNode, RegisterWatch } from './sim-register.ts';
import type { WorldEffect } from './world.ts';

/** Something that must never be so (protocol section 8), with what was seen. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, sentence: string) {
    super(`${invariant}: ${sentence}`);
    this.invariant = invariant;
  }
}

/** What the checker looks at. */
export interface CheckedParts {
  readonly devices: readonly SimDevice[];
  /** None where the register is in the store of the only device. */
  readonly nodes: readonly RegisterNode[];
  readonly ledger: Ledger;
  readonly trueMs: () => number;
  /** Whether a run of an agent may come to one of its states more than once. */
  readonly comesAgain: (agentId: AgentId, stateId: StateId) => boolean;
}

/** The invariants of protocol section 8, judged from outside: by what left, what the register did, and what is on the disks. */
export class Checker implements RegisterWatch {
  violation: Violation | null = null;
  /** The invariants that count; all of them if none is named. */
  only: readonly string[] = [];
  starts = 0;
  replays = 0;
  readonly #highestSent = new Map<AgentId, number>();
  /** The effects of a step, under whatever numbers of its visits. */
  readonly #steps = new Map<string, Set<WorldEffect>>();
  readonly #grants = new Map<string, string>();
  readonly #highestGranted = new Map<AgentId, number>();
  readonly #epochs = new Map<string, number>();
  #isPutBack = false;

  /** The first violation is kept; the simulation ends there. */
  fail(invariant: string, sentence: string): void {
    if (this.only.length > 0 && !this.only.includes(invariant)) return;
    this.violation ??= new Violation(invariant, sentence);
  }

  granted(agentId: AgentId, grant: { epoch: number; nonce: string; isReplay: boolean }): void {
    if (grant.isReplay) this.replays += 1;
    const key = `${agentId} ${grant.epoch}`;
    const known = this.#grants.get(key);
    if (known !== undefined && known !== grant.nonce && !this.#isPutBack)
      this.fail('I2', `epoch ${grant.epoch} of ${agentId} was granted twice`);
    const highest = this.#highestGranted.get(agentId) ?? 0;
    if (known === undefined && grant.epoch <= highest && !this.#isPutBack)
      this.fail('I2', `epoch ${grant.epoch} of ${agentId} was granted after ${highest}`);
    this.#highestGranted.set(agentId, Math.max(highest, grant.epoch));
    this.#grants.set(key, grant.nonce);
  }

  epochIs(agentId: AgentId, epoch: number, register: string): void {
    const key = `${register} ${agentId}`;
    const before = this.#epochs.get(key) ?? 0;
    if (epoch < before && !this.#isPutBack) this.fail('I2', `the epoch of ${agentId} went from ${before} to ${epoch}`);
    this.#epochs.set(key, epoch);
  }

  /** A lease that had run out was renewed, whether or not somebody has taken over (protocol section 5). */
  revived(agentId: AgentId, epoch: number): void {
    this.fail('I3', `the lease of ${agentId} at epoch ${epoch} was renewed after it had run out`);
  }

  /** Somebody put an old register back: from now on the devices have to notice. */
  putBack(): void {
    this.#isPutBack = true;
  }

  /** A call leaves. Everything that makes it right must be so at this moment. */
  started(
    device: SimDevice,
    parts: CheckedParts,
    of: { effect: WorldEffect; prepared: PreparedCall; context: AttemptContext },
  ): void {
    this.starts += 1;
    const { effect, context } = of;
    const forgotten = parts.nodes[0]?.forgotten;
    const attempt = attemptOf(device, effect.effectId, context.epoch);
    if (attempt === null) return this.fail('I4', `${device.name} sent ${of.prepared.target} without a durable intent`);
    const name = `${attempt.run_id.slice(0, 6)}/${attempt.effect_key} (${effect.kind}) by ${device.name} at epoch ${context.epoch}`;
    if (attempt.epoch !== context.epoch) this.fail('I4', `${name}: the intent says epoch ${attempt.epoch}`);
    const highest = this.#highestSent.get(attempt.agent_id) ?? 0;
    const isLow = context.epoch < highest && forgotten?.isUnseen(device, attempt.agent_id, highest) !== true;
    if (isLow) this.fail('I3', `${name}: epoch ${highest} has sent already`);
    this.#highestSent.set(attempt.agent_id, Math.max(highest, context.epoch));
    const now = device.clock.instant();
    const isLate = attempt.until_boot_id !== now.bootId || now.bootMs >= (attempt.until_boot_ms ?? 0);
    if (isLate) this.fail('I3', `${name}: its own deadline has passed`);
    this.#checkPlace(device, attempt, name);
    this.#checkRegister(device, parts, { attempt, effect, name });
    if (!leavesATrace(effect.kind)) return;
    const isExcused = forgotten?.excuse(device, effect.effectId, attempt.attempt_token) === true;
    this.#checkCount(parts, effect, name);
    if (!parts.comesAgain(attempt.agent_id, attempt.state_id)) this.#checkVisits(parts, { attempt, effect, name });
    // A person on another device may decide about an entry whose own device has not yet told the register how it ended.
    const { ledger } = parts;
    if (!isExcused && ledger.isCommitted(effect.effectId) && ledger.redone(effect.effectId) === 0)
      this.fail('I6', `${name}: it was committed already`);
  }

  /** What the gate is for: a run that has ended, or has gone on from a step, starts nothing there. */
  #checkPlace(device: SimDevice, attempt: AttemptRecord, name: string): void {
    const run = findRun(device.connection().db, attempt.run_id);
    if (run?.ending === null && run.state_id === attempt.state_id) return;
    this.fail('gate', `${name}: its run is at ${run?.state_id}${run?.ending === null ? '' : ' and has ended'}`);
  }

  #checkRegister(
    device: SimDevice,
    parts: CheckedParts,
    of: { attempt: AttemptRecord; effect: WorldEffect; name: string },
  ): void {
    const { attempt, effect, name } = of;
    if (device.seesWentBack(attempt.agent_id)) this.fail('I8', `${name}: its register went back`);
    if (parts.nodes.length === 0) {
      const epoch = device.connection().register.current(attempt.agent_id).epoch;
      if (epoch !== attempt.epoch) this.fail('I8', `${name}: the register is at epoch ${epoch}`);
      return;
    }
    if (!leavesATrace(effect.kind)) return;
    const known = parts.nodes.flatMap((node) => node.announced.get(attempt.attempt_token) ?? []);
    const allowed = known.find(({ epoch }) => epoch === attempt.epoch);
    if (allowed === undefined) return this.fail('I8', `${name}: the register never heard of it`);
    const agoMs = parts.trueMs() - allowed.atMs;
    if (agoMs >= HOLD_OFF_MS) this.fail('I3', `${name}: the register was asked ${Math.round(agoMs)} ms ago`);
  }

  /** I1. A provider that knows the key, or a probe that told the truth, makes a second call harmless: what happened counts. */
  #checkCount(parts: CheckedParts, effect: WorldEffect, name: string): void {
    const isCountedByHappening = effect.kind === 'idempotent-by-key' || effect.kind === 'verifiable';
    const count = isCountedByHappening ? effect.happened : effect.starts;
    if (count <= 1) return;
    const redone = parts.ledger.redone(effect.effectId);
    const failed = isCountedByHappening ? 0 : parts.ledger.failed(effect.effectId);
    const excused = parts.nodes[0]?.forgotten.excused(effect.effectId) ?? 0;
    if (count > 1 + redone + failed + excused)
      this.fail('I1', `${name}: ${count} times, allowed by a person ${redone} times, failed ${failed} times`);
  }

  /** I1 for a step that is passed once: a number that rose by itself makes a new effect of one that was done. */
  #checkVisits(
    { ledger, nodes }: CheckedParts,
    of: { attempt: AttemptRecord; effect: WorldEffect; name: string },
  ): void {
    const { attempt, effect, name } = of;
    const step = `${attempt.run_id} ${attempt.effect_key.replace(/#\d+/u, '')}`;
    const effects = this.#steps.get(step) ?? new Set();
    this.#steps.set(step, effects.add(effect));
    if (effects.size === 1) return;
    let [count, allowed] = [0, 1];
    for (const each of effects) {
      const { effectId, starts, happened, kind } = each;
      const isCountedByHappening = kind === 'idempotent-by-key' || kind === 'verifiable';
      // The call that leaves now will have happened: nobody knows its key from before.
      count += isCountedByHappening ? Math.max(happened, each === effect ? 1 : 0) : starts;
      allowed += ledger.redone(effectId) + (nodes[0]?.forgotten.excused(effectId) ?? 0);
      allowed += isCountedByHappening ? 0 : ledger.failed(effectId);
    }
    if (count > allowed)
      this.fail('I1', `${name}: its step left ${count} times under several numbers, allowed ${allowed}`);
  }

  /** What happened is counted once more when nothing can change any more. */
  settledCount(effect: WorldEffect, { ledger, nodes }: CheckedParts): void {
    const allowed = 1 + ledger.redone(effect.effectId) + (nodes[0]?.forgotten.excused(effect.effectId) ?? 0);
    if (effect.happened > allowed)
      this.fail(
        'I1',
        `${effect.effectId.slice(0, 8)} (${effect.kind}) happened ${effect.happened} times, allowed ${allowed}`,
      );
  }

  /** I5: what was answered is a part of the journal for ever. */
  reopened(device: SimDevice): void {
    const { seq, opId } = device.acknowledged;
    if (seq === 0) return;
    const { db, journal } = device.connection();
    const row = readOne<{ op_id: string }>(db, 'SELECT op_id FROM ops WHERE seq = ?', seq);
    // What was condensed is not there any more, and what came behind it is.
    if (row === null ? journal.head.seq < seq : row.op_id !== opId)
      this.fail('I5', `${device.name} lost what it had answered: entry ${seq}`);
  }
}

/** The one that leaves: of several that are open, since another device told of its own a moment ago, the one of this epoch. */
function attemptOf(device: SimDevice, effectId: string, epoch: number): AttemptRecord | null {
  const { db } = device.connection();
  if (db.inTransaction) throw new Error('An effect leaves while its record is being written.');
  const open = readAll<AttemptRecord>(
    db,
    // The second condition says nothing new: it is the one that the index of what is open was made with.
    `SELECT * FROM attempts WHERE progress = 'in-flight' AND progress <> 'settled' ORDER BY attempt_number DESC`,
  );
  const isIt = ({ agent_id: agentId, run_id: runId, effect_key: effectKey }: AttemptRecord): boolean =>
    effectIdOf({ agentId, runId, effectKey }) === effectId;
  const known = open.filter(isIt);
  return known.find((attempt) => attempt.epoch === epoch) ?? known[0] ?? null;
}
