import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { coversFrontier, joinFrontiers, knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { PulledOperations, Relay, RelayState } from '../relay.ts';
import { checkpointLost, checkpointProblem, dropCheckpoints, isKept, writeCheckpoint } from './checkpoint-files.ts';
import { diskFiles } from './disk-files.ts';
import { closedProblem, folderFailure, forkProblem, gapProblem, truncatedProblem } from './folder-failures.ts';
import { baseOf, collectableOf, FolderLooker, headerOf, headOf, headsOf, recordsOf } from './folder-view.ts';
import type { DeviceView, FolderView } from './folder-view.ts';
import { findingsOf } from './findings.ts';
import { FolderWatch } from './folder-watch.ts';
import { Journal } from './journal.ts';
import { devicesFolder, markerProblem, setUpFolder } from './marker.ts';
import { contactOf, membersOf, newMember } from './membership.ts';
import { OwnFiles } from './own-files.ts';
import { readPage } from './page.ts';
import { batchProblem, dropSegments, mergeSegments, placeBatch } from './push-operations.ts';
import type { RelayFiles } from './relay-files.ts';
import { sealMember, sealSegment } from './relay-records.ts';
import type { MemberRecord } from './relay-records.ts';

/** Which folder, and for whom. */
interface FolderRelayOptions {
  readonly folder: string;
  /** Whose devices meet there; an id that is no secret. */
  readonly spaceId: string;
  readonly deviceId: DeviceId;
  /** The person has just chosen the folder: it is set up if it is not yet. Otherwise a missing one is a problem. */
  readonly isNew?: boolean;
  /** The wall clock, ms. It says when this device was here last, and decides nothing. */
  readonly wallMs: () => number;
  /** Only the simulator says otherwise. */
  readonly files?: RelayFiles;
}

/** So many questions wait for their turn. */
const WAITING_LIMIT = 64;

/**
 * A relay on a folder that another program keeps in step between devices. Error `relay-unreachable` where the folder is
 * not there, `relay-foreign` where it belongs to other devices.
 */
export async function openFolderRelay(options: FolderRelayOptions): Promise<Result<FolderRelay, Problem>> {
  const { files = diskFiles } = options;
  try {
    if (options.isNew === true) await setUpFolder(files, options);
    const wrong = await markerProblem(files, options);
    if (wrong !== null) return err(wrong);
    const relay = new FolderRelay(options);
    await relay.tidy();
    return ok(relay);
  } catch (cause) {
    return err(folderFailure(options.folder, cause));
  }
}

/**
 * Each device writes in its own folder only, and only whole new files; nobody waits for anybody, and no order, lock, clock
 * or rename of another device is relied on. What a file says is known by its checksum, never by its name.
 */
export class FolderRelay implements Relay {
  readonly name: string;
  readonly #options: FolderRelayOptions;
  readonly #files: RelayFiles;
  readonly #looker: FolderLooker;
  readonly #own: OwnFiles;
  readonly #watch: FolderWatch;
  #isClosed = false;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #view: FolderView | null = null;
  /** Why small files could not be made into one the last time. */
  #untended: Problem | null = null;

  constructor(options: FolderRelayOptions) {
    this.name = `the folder ${options.folder}`;
    this.#options = options;
    const { folder, deviceId, files = diskFiles } = options;
    this.#files = files;
    this.#looker = new FolderLooker(folder, { files, deviceId });
    this.#own = new OwnFiles(this.#looker.own.folder, files);
    this.#watch = new FolderWatch(devicesFolder(options.folder), this.#looker.own.folder);
  }

  /** Removes what a crash left half written. Rejects with the system's error. */
  async tidy(): Promise<void> {
    await this.#own.tidy(this.#options.wallMs());
  }

  contact(): Promise<Result<RelayState, Problem>> {
    return this.#ask(async (view) => {
      const own = this.#ownMember(view);
      const here = contactOf(own, { records: recordsOf(view), nowMs: Math.max(0, this.#options.wallMs()) });
      const after = await this.#say(view, { own, next: here });
      const checkpoint = after.checkpoint === null ? null : headerOf(after.checkpoint.record);
      return ok({ heads: headsOf(after), members: membersOf(recordsOf(after)), checkpoint });
    });
  }

  push(operations: readonly SealedOperation[]): Promise<Result<{ readonly head: number }, Problem>> {
    const { deviceId } = this.#options;
    return this.#ask(async (view) => {
      const wrong = batchProblem(operations, deviceId);
      if (wrong !== null) return err(wrong);
      const head = headOf(view, deviceId);
      const [first] = operations;
      if (first === undefined) return ok({ head });
      const journal = view.devices.get(deviceId)?.journal ?? new Journal([]);
      const { runs, forkAt } = placeBatch(operations, { journal, base: baseOf(view, deviceId) });
      if (first.seq > head + 1) {
        return err(journal.forks.includes(head + 1) ? forkProblem(head + 1) : gapProblem(first.seq, head));
      }
      for (const run of runs) await this.#own.place(sealSegment(run));
      if (forkAt !== null) return err(forkProblem(forkAt));
      if (runs.length > 0) await this.#looker.own.look();
      // The same device may have been open twice, and have pushed something else meanwhile.
      const clash = new Journal(this.#looker.own.segments).forks.find((seq) => seq >= first.seq);
      if (clash !== undefined) return err(forkProblem(clash));
      await this.#tend();
      const after = new Journal(this.#looker.own.segments);
      return ok({ head: after.reach(baseOf(view, deviceId)) });
    });
  }

  pull(have: Frontier): Promise<Result<PulledOperations, Problem>> {
    return this.#ask((view) => readPage(view, have));
  }

  acknowledge(have: Frontier): Promise<Result<null, Problem>> {
    return this.#ask(async (view) => {
      const own = this.#ownMember(view);
      if (!coversFrontier(own.acknowledged, have)) {
        await this.#say(view, { own, next: { ...own, acknowledged: joinFrontiers(own.acknowledged, have) } });
      }
      return ok(null);
    });
  }

  putCheckpoint(header: CheckpointHeader, parts: readonly string[]): Promise<Result<null, Problem>> {
    return this.#ask(async (view) => {
      const wrong = checkpointProblem(header, { parts, deviceId: this.#options.deviceId });
      if (wrong !== null) return err(wrong);
      const newest = view.checkpoint?.record;
      const isOlder = newest !== undefined && !coversFrontier(header.frontier, newest.frontier);
      if (isOlder || newest?.checkpointId === header.checkpointId) return ok(null);
      await writeCheckpoint(this.#own, { header, parts, rank: (newest?.rank ?? 0) + 1 });
      const after = await this.#looker.look();
      if (!(await isKept(this.#looker.own, header.checkpointId))) return err(checkpointLost(this.#options.folder));
      if (after.checkpoint !== null) await dropCheckpoints(this.#ownFolder(), after.checkpoint.record);
      return ok(null);
    });
  }

  checkpointPart(checkpointId: string, index: number): Promise<Result<string, Problem>> {
    return this.#ask(async (view) => {
      const { checkpoint } = view;
      if (checkpoint === null || checkpoint.record.checkpointId !== checkpointId) return err(truncatedProblem());
      if (!Number.isInteger(index) || index < 0 || index >= checkpoint.record.parts.length) {
        return err(problem('not-found', `The checkpoint has no part ${index}.`, '', { index }));
      }
      const part = await checkpoint.files.readPart(checkpoint.record, index);
      return part === null ? err(truncatedProblem()) : ok(part.box);
    });
  }

  collect(): Promise<Result<{ readonly dropped: number }, Problem>> {
    const { deviceId } = this.#options;
    return this.#ask(async (view) => {
      const last = knownUpTo(collectableOf(view), deviceId);
      if (view.checkpoint !== null) await dropCheckpoints(this.#ownFolder(), view.checkpoint.record);
      await this.#own.remove(this.#looker.own.hopeless);
      const dropped = view.devices.get(deviceId)?.journal.countUpTo(last) ?? 0;
      if (dropped === 0) return ok({ dropped });
      const own = this.#ownMember(view);
      // Said first: a checkpoint that lacks what is dropped now is never taken for the newest one.
      await this.#say(view, { own, next: { ...own, droppedUpTo: Math.max(own.droppedUpTo, last) } });
      await dropSegments(this.#ownFolder(), last);
      return ok({ dropped });
    });
  }

  letGo(deviceId: DeviceId): Promise<Result<null, Problem>> {
    return this.#ask(async (view) => {
      const contacts = view.devices.get(deviceId)?.member?.contacts ?? 0;
      const own = this.#ownMember(view);
      if (contacts > knownUpTo(own.letGo, deviceId)) {
        await this.#say(view, { own, next: { ...own, letGo: joinFrontiers(own.letGo, { [deviceId]: contacts }) } });
      }
      return ok(null);
    });
  }

  onChange(listener: () => void): () => void {
    return this.#isClosed ? () => {} : this.#watch.listen(listener);
  }

  /** What is odd in the folder, in sentences, as of the last question; empty if nothing is. */
  findings(): readonly Problem[] {
    const seen = this.#view === null ? [] : findingsOf(this.#view, this.#looker.unusable);
    return this.#untended === null ? seen : [this.#untended, ...seen];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    await this.#turn;
  }

  #ownFolder(): { readonly files: FolderLooker['own']; readonly own: OwnFiles } {
    return { files: this.#looker.own, own: this.#own };
  }

  /** What was pushed is there already, so a failure of this is told beside the answer and not instead of it. */
  async #tend(): Promise<void> {
    try {
      await mergeSegments(this.#ownFolder());
      this.#untended = null;
    } catch (cause) {
      this.#untended = folderFailure(this.#options.folder, cause);
    }
  }

  #ownMember(view: FolderView): MemberRecord {
    const own: DeviceView | undefined = view.devices.get(this.#options.deviceId);
    return own?.member ?? newMember(this.#options.deviceId);
  }

  /** Writes what this device says about itself in a new file, and removes the older ones. */
  async #say(view: FolderView, of: { readonly own: MemberRecord; readonly next: MemberRecord }): Promise<FolderView> {
    const older = this.#looker.own.members.map(({ file }) => file);
    if (of.next === of.own) {
      if (older.length < 2) return view;
    }
    const sealed = sealMember(of.next);
    await this.#own.place(sealed);
    await this.#own.remove(older.filter((file) => file !== `${sealed.name}.fencepost`));
    this.#view = await this.#looker.look();
    return this.#view;
  }

  /** One question after the other, each on a fresh look at the folder. */
  async #ask<Value>(work: (view: FolderView) => Promise<Result<Value, Problem>>): Promise<Result<Value, Problem>> {
    const { folder } = this.#options;
    if (this.#isClosed) return err(closedProblem(folder));
    if (this.#waiting >= WAITING_LIMIT) {
      return err(problem('relay-unreachable', `Too many questions wait for the folder ${folder}.`, '', { folder }));
    }
    this.#waiting += 1;
    const turn = this.#turn.then(async (): Promise<Result<Value, Problem>> => {
      try {
        const wrong = await markerProblem(this.#files, this.#options);
        if (wrong !== null) return err(wrong);
        this.#view = await this.#looker.look();
        return await work(this.#view);
      } catch (cause) {
        return err(folderFailure(folder, cause));
      } finally {
        this.#waiting -= 1;
      }
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
