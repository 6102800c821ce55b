import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId, DeviceId } from '../../../shared/contract/identifiers.ts';
import type { RegisterView } from '../../../shared/core/lease/lease.ts';
import { RETENTION_MS } from '../../../shared/core/sync/condensing.ts';
import { coversFrontier, joinFrontiers, knownUpTo, lostFrontier } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay, RelayState } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { CheckpointReader } from '../../store/checkpoint/read-checkpoint.ts';
import { takeCheckpoint } from '../../store/checkpoint/take-checkpoint.ts';
import { checkpointLines, planCheckpoint } from '../../store/checkpoint/write-checkpoint.ts';
import type { Connection } from '../../store/connection.ts';
import { readCut } from '../../store/journal-cuts.ts';
import type { Store } from '../../store/store.ts';
import { condenseRuns, FIRST_PLACE } from '../../store/transactions/condense-runs.ts';
import type { AwaitedEnds } from '../../store/transactions/condense-runs.ts';
import { haveOf } from './known-journals.ts';
import { readOwnRows, signRows } from './own-journal.ts';
import type { JournalSigner } from './own-journal.ts';
import { storeProblem } from './pump-problems.ts';
import { agentsHeldInside, cutOf } from './record-cut.ts';
import { openCheckpoint, sealCheckpointOf } from './sealed-checkpoint.ts';

/** How often it is looked for runs that can be condensed, ms. */
const LOOK_EVERY_MS = 3_600_000;
/** So many entries that are in no checkpoint yet make another one worth its place on the relay. */
const CHECKPOINT_ENTRIES = 5_000;
/** Runs that are looked at in one write: a window stays alive between two. */
const RUNS_AT_ONCE = 50;

/** What a test may want otherwise. */
export interface CondensingTerms {
  readonly retentionMs: number;
  readonly lookEveryMs: number;
  readonly checkpointEntries: number;
}

export const CONDENSING_TERMS: CondensingTerms = {
  retentionMs: RETENTION_MS,
  lookEveryMs: LOOK_EVERY_MS,
  checkpointEntries: CHECKPOINT_ENTRIES,
};

export interface CondensingOptions {
  readonly store: Store;
  readonly terms: CondensingTerms;
  /** Ends of runs that something is still to follow on this device. */
  readonly awaited: () => readonly AwaitedEnds[];
  /** What the register in use holds of an agent. */
  readonly registerView: (agentId: AgentId) => Promise<Result<RegisterView, Problem>>;
  readonly log: (line: { event: string; code?: string; message?: string }) => void;
}

/** The relay that a device shares through, and its keys. */
export interface CondensingSpace {
  readonly relay: Relay;
  readonly ring: () => KeyRing;
  /** Keeps keys that came with a checkpoint. */
  readonly holdRing: (ring: KeyRing) => Promise<Result<null, Problem>>;
  readonly acceptKeys: (payload: string) => Promise<Result<null, Problem>>;
  readonly signer: JournalSigner;
}

/** Condenses what everybody has, once a checkpoint of it is held, and begins from one where the entries are gone. */
export class Condensing {
  readonly #of: CondensingOptions;
  readonly #space: CondensingSpace;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** The last checkpoint that was seen to be whole, and the key of that time. */
  #trusted = '';

  constructor(of: CondensingOptions, space: CondensingSpace) {
    this.#of = of;
    this.#space = space;
  }

  /** Looks at it now and then, after a pass that went through. What goes wrong is tried again with a later one. */
  async pass(monotonicMs: number): Promise<Result<null, Problem>> {
    const { store, terms } = this.#of;
    const { relay } = this.#space;
    if (monotonicMs - this.#lookedAtMs < terms.lookEveryMs) return ok(null);
    const state = await relay.contact();
    const connection = store.connection();
    if (!state.ok) return state;
    if (connection === null) return err(storeProblem());
    this.#lookedAtMs = monotonicMs;
    const cut = cutOf(connection, state.value);
    const isDue = this.#isDue(connection, { state: state.value, cut }) || !(await this.#isTrusted(state.value));
    const lost = lostFrontier({
      held: state.value.heads,
      acknowledged: state.value.members.map((member) => member.acknowledged),
      have: haveOf(connection),
      ownId: connection.journal.deviceId,
    });
    // What is lost is made good by whoever has it: the first may be gone, or be the one that lacks it.
    const isWanted = Object.keys(lost).length > 0 || (isDue && isFirst(connection, state.value));
    const held = isWanted ? await this.#hand(state.value, lost) : state;
    if (!held.ok) return held;
    const { checkpoint } = held.value;
    if (checkpoint === null || !(await this.#isTrusted(held.value))) return ok(null);
    const allowed = Object.fromEntries(
      Object.entries(cut).map(([deviceId, seq]) => [deviceId, Math.min(seq, knownUpTo(checkpoint.frontier, deviceId))]),
    );
    const { awaited } = this.#of;
    const { retentionMs } = terms;
    const agentIds = await agentsHeldInside(connection, { ...this.#of, state: state.value });
    const condensed = await condenseAll({ store, cut: allowed, awaited, retentionMs, agentIds });
    if (!condensed.ok) return condensed;
    const collected = await relay.collect();
    return collected.ok ? ok(null) : collected;
  }

  /** Whether there is enough that is in no checkpoint. */
  #isDue(connection: Connection, of: { readonly state: RelayState; readonly cut: Frontier }): boolean {
    const held = of.state.checkpoint?.frontier ?? {};
    const fresh = Object.entries(of.cut).reduce(
      (sum, [device, seq]) => sum + Math.max(0, seq - knownUpTo(held, device)),
      0,
    );
    return fresh >= this.#of.terms.checkpointEntries;
  }

  /** Whether a checkpoint can be read here and was made by one that still takes part: then it stands for what it holds. */
  async #isTrusted({ checkpoint }: RelayState): Promise<boolean> {
    const { relay, ring } = this.#space;
    if (checkpoint === null) return true;
    const name = `${checkpoint.checkpointId} ${ring().currentEpoch}`;
    if (name === this.#trusted) return true;
    const reader = new CheckpointReader();
    const opened = await openCheckpoint(relay, checkpoint, { ring: ring(), look: (chunk) => reader.add(chunk) });
    const isGood = opened.ok && opened.value.epoch === ring().currentEpoch && reader.end(checkpoint.frontier).ok;
    if (isGood) this.#trusted = name;
    else this.#of.log({ event: 'checkpoint-not-trusted' });
    return isGood;
  }

  /** Makes a checkpoint of what the relay holds, and of more where it lacks that; hands it over, and looks whether it is held. */
  async #hand(state: RelayState, more: Frontier): Promise<Result<RelayState, Problem>> {
    const { store, log } = this.#of;
    const { relay, ring, signer } = this.#space;
    const connection = store.connection();
    if (connection === null) return err(storeProblem());
    const { deviceId } = connection.journal;
    const have = haveOf(connection);
    const wanted = joinFrontiers(state.heads, more);
    const limit = Object.fromEntries(
      Object.entries(have).map(([device, seq]) => [device, Math.min(seq, knownUpTo(wanted, device))]),
    );
    const plan = planCheckpoint(connection, { limit, ownKey: signer.publicKey });
    // One that knows less than the newest in any part would be passed over.
    if (plan === null || !coversFrontier(plan.frontier, state.checkpoint?.frontier ?? {})) return ok(state);
    const lines = checkpointLines(connection, plan);
    const sealed = sealCheckpointOf(ring(), { deviceId: deviceId as DeviceId, frontier: plan.frontier, lines });
    if (!sealed.ok) {
      log({ event: 'checkpoint-not-made', code: sealed.error });
      return ok(state);
    }
    const put = await relay.putCheckpoint(sealed.value.header, sealed.value.parts);
    return put.ok ? await relay.contact() : put;
  }

  /**
   * Where this device's own journal was condensed further than a relay holds it, such as one that is new: the entries cannot
   * be handed over, so a checkpoint goes before what is left. Answers how far the relay holds the journal then; `null` where
   * none can be made yet, because the relay holds more of others than is known here.
   */
  async handOwnGap(state: RelayState, after: number): Promise<Result<number | null, Problem>> {
    const { store } = this.#of;
    const connection = store.connection();
    if (connection === null) return err(storeProblem());
    const { db, journal } = connection;
    const { deviceId } = journal;
    const cut = readCut(db, deviceId);
    if (after >= cut.seq) return ok(after);
    const last = readOwnRows(connection, { after: journal.head.journalSeq - 1, fromSeq: 0, limit: 1 });
    const signed = await store.write((within) => signRows(within, last, this.#space.signer));
    if (!signed.ok) return signed;
    const held = await this.#hand(state, { [deviceId]: journal.head.journalSeq });
    if (!held.ok) return held;
    const reached = knownUpTo(held.value.heads, deviceId);
    return ok(reached >= cut.seq ? reached : null);
  }

  /** Begins from the checkpoint of a relay that has dropped entries which this device lacks. */
  async begin(state: RelayState): Promise<Result<null, Problem>> {
    const { store, log } = this.#of;
    const { relay, ring, holdRing, acceptKeys } = this.#space;
    const { checkpoint } = state;
    if (checkpoint === null) return err(cannotBegin('There is none, although entries were dropped.'));
    const reader = new CheckpointReader();
    const opened = await openCheckpoint(relay, checkpoint, { ring: ring(), look: (chunk) => reader.add(chunk) });
    // A newer one took its place: the next pass looks again.
    if (!opened.ok && opened.error === null) return ok(null);
    if (!opened.ok) return err(cannotBegin(opened.error ?? ''));
    const read = reader.end(checkpoint.frontier);
    if (!read.ok) return err(cannotBegin(read.error));
    const { chunks } = opened.value;
    const taken = await store.write((connection) => takeCheckpoint(connection, read.value, chunks()));
    if (!taken.ok) return err(taken.error.code === 'internal' ? cannotBegin(taken.error.message) : taken.error);
    if (!taken.value.ok) return err(cannotBegin(taken.value.error));
    log({ event: 'checkpoint-taken', message: `${taken.value.value.entries} entries` });
    const kept = opened.value.ring === ring() ? ok(null) : await holdRing(opened.value.ring);
    if (!kept.ok) return kept;
    for (const payload of read.value.rotations) {
      const accepted = await acceptKeys(payload);
      if (!accepted.ok) return accepted;
    }
    return ok(null);
  }
}

/** Condenses everything that can be, some runs with each write. */
export async function condenseAll(of: {
  readonly store: Store;
  readonly cut: Frontier;
  readonly retentionMs: number;
  readonly awaited: () => readonly AwaitedEnds[];
  readonly agentIds: ReadonlySet<string> | null;
}): Promise<Result<{ readonly runs: number; readonly entries: number }, Problem>> {
  const { store, cut, retentionMs, agentIds } = of;
  const sum = { runs: 0, entries: 0 };
  for (let after = FIRST_PLACE; ;) {
    const done = await store.write((connection) => {
      const nowMs = connection.journal.nowMs();
      const awaited = of.awaited();
      return condenseRuns(connection, { cut, nowMs, retentionMs, awaited, agentIds, after, limit: RUNS_AT_ONCE });
    });
    if (!done.ok) return done;
    sum.runs += done.value.runs;
    sum.entries += done.value.entries;
    if (done.value.next === null) return ok(sum);
    after = done.value.next;
  }
}

/** One device makes checkpoints: the first by id of those that take part. */
function isFirst({ journal }: Connection, { members }: RelayState): boolean {
  return members.every((member) => member.isLetGo || member.deviceId >= journal.deviceId);
}

function cannotBegin(why: string): Problem {
  return problem(
    'relay-truncated',
    `Older entries are not there one by one any more, and this device cannot begin from what took their place. ${why}`,
    'Give this device a new profile and join with the recovery words. Nothing was changed here.',
  );
}
