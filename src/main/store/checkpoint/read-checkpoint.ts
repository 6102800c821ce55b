import type { EventKind } from '../../../shared/contract/events.ts';
import { checkLinkOverGaps } from '../../../shared/core/sync/operation.ts';
import type { ChainHead, Operation } from '../../../shared/core/sync/operation.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { isHeadSigned } from '../../relays/seal/sign-journal.ts';
import { sha256 } from '../connection.ts';
import { CHECKPOINT_FORMAT, LineSplitter, readCheckpointLine } from './checkpoint-lines.ts';
import type { CheckpointLine, CheckpointLineOf } from './checkpoint-lines.ts';

const ROTATION: EventKind = 'sync.keys-rotated';
const MISPLACED = 'A line of it does not stand where it should.';

/** A journal as a checkpoint has it, but for its entries. */
export interface CheckpointJournal {
  readonly head: CheckpointLineOf<'head'>;
  readonly cut: ChainHead;
}

/** What a checkpoint that is sound in itself says before its entries. */
export interface ReadCheckpoint {
  readonly journals: ReadonlyMap<string, CheckpointJournal>;
  /** What its entries about new keys say, in their order. */
  readonly rotations: readonly string[];
  /** The id of the entry that was sought; `null` where none was, or it was condensed. */
  readonly sought: string | null;
}

/** The place of an entry in a journal. */
interface Sought {
  readonly deviceId: string;
  readonly seq: number;
}

/**
 * Looks at a checkpoint chunk by chunk and checks all that can be checked without a record. Of its entries nothing is kept: a
 * checkpoint is as long as a record, and is read a second time where it is taken.
 */
export class CheckpointReader {
  readonly #splitter = new LineSplitter();
  /** The entry of each journal that was looked at last. */
  readonly #reached = new Map<string, ChainHead>();
  readonly #heads = new Map<string, CheckpointLineOf<'head'>>();
  readonly #cuts = new Map<string, ChainHead>();
  readonly #rotations: string[] = [];
  readonly #seeks: Sought | null;
  #sought: string | null = null;
  #header: CheckpointLineOf<'header'> | null = null;
  #count = 0;
  /** Whether anything stands after the heads and the cuts. */
  #isBegun = false;
  #isEnded = false;
  #wrong: string | null = null;

  /** `seeks`: an entry whose id is wanted. */
  constructor(seeks: Sought | null = null) {
    this.#seeks = seeks;
  }

  /** Looks at what comes next. */
  add(chunk: string): void {
    for (const text of this.#splitter.add(chunk)) {
      if (this.#wrong !== null) return;
      const line = readCheckpointLine(text);
      this.#wrong = line === null ? 'A line of it cannot be read.' : this.#problemOf(line);
      this.#count += 1;
    }
  }

  /** What was read, after the last chunk; the error is a sentence. */
  end(frontier: Frontier): Result<ReadCheckpoint, string> {
    const wrong = this.#wrong ?? this.#problemAtEnd(frontier);
    if (wrong !== null) return err(wrong);
    const journals = [...this.#heads].map(([name, head]) => [name, { head, cut: this.#cutOf(name) }] as const);
    return ok({ journals: new Map(journals), rotations: this.#rotations, sought: this.#sought });
  }

  #problemOf(each: CheckpointLine): string | null {
    const isFirst = this.#count === 0;
    if (this.#isEnded) return MISPLACED;
    if (isFirst !== (each.kind === 'header')) return 'It does not begin as one.';
    const isAhead = each.kind === 'header' || each.kind === 'head' || each.kind === 'cut';
    if (isAhead && this.#isBegun) return MISPLACED;
    this.#isBegun ||= !isAhead;
    switch (each.kind) {
      case 'header':
        this.#header = each.line;
        return each.line.format === CHECKPOINT_FORMAT
          ? null
          : 'It was made by a version of Fencepost that this one does not know.';
      case 'head':
        if (this.#heads.has(each.line.head)) return MISPLACED;
        this.#heads.set(each.line.head, each.line);
        this.#note({ ...each.line, deviceId: each.line.head });
        return null;
      case 'cut':
        if (this.#cuts.has(each.line.cut)) return MISPLACED;
        this.#cuts.set(each.line.cut, { deviceId: each.line.cut, seq: each.line.seq, opId: each.line.opId });
        this.#note({ ...each.line, deviceId: each.line.cut });
        return null;
      case 'family':
        return isOneFamily(each.line) ? null : 'A condensed run in it does not belong together.';
      case 'operation':
        return this.#entryProblem(operationOf(each.line));
      case 'text':
        return null;
      case 'end':
        this.#isEnded = true;
        return each.line.end === this.#count ? null : 'It is cut off.';
      default:
        return assertNever(each);
    }
  }

  /** Every entry by its own id, and the chain from its cut on; what is below the cut is as good as who made this. */
  #entryProblem(operation: Operation): string | null {
    const { deviceId, seq, opId, kind, payload } = operation;
    if (!this.#heads.has(deviceId)) return 'It has entries of a journal that it does not name.';
    const found = checkLinkOverGaps(this.#reachedOf(deviceId), operation, {
      cut: this.#cutOf(deviceId),
      digest: sha256,
    });
    if (found !== null) return `Entry ${seq} of a journal in it is not right (${found.kind}).`;
    this.#reached.set(deviceId, { deviceId, seq, opId });
    this.#note(operation);
    if (kind === ROTATION) this.#rotations.push(payload);
    return null;
  }

  #problemAtEnd(frontier: Frontier): string | null {
    if (!this.#isEnded || !this.#splitter.isAtLineEnd()) return 'It is cut off.';
    if (!isSame(this.#header?.frontier ?? {}, frontier)) return 'It does not reach as far as its place says.';
    const ends = Object.fromEntries([...this.#heads].map(([deviceId, { seq }]) => [deviceId, seq]));
    if (!isSame(ends, frontier)) return 'A journal of it ends elsewhere than its place says.';
    if ([...this.#cuts].some(([deviceId, { seq }]) => seq > knownUpTo(ends, deviceId)))
      return 'It was condensed further than it reaches.';
    for (const [deviceId, { seq, opId, publicKey, signature }] of this.#heads) {
      const reached = this.#reachedOf(deviceId);
      if (reached.seq !== seq || reached.opId !== opId) return 'A journal in it does not end where it says.';
      if (!isHeadSigned(publicKey, { deviceId, seq, opId }, signature))
        return 'A journal in it is not signed by its device.';
    }
    return null;
  }

  #note({ deviceId, seq, opId }: ChainHead): void {
    if (this.#seeks?.deviceId === deviceId && this.#seeks.seq === seq) this.#sought = opId;
  }

  #reachedOf(deviceId: string): ChainHead {
    return this.#reached.get(deviceId) ?? { deviceId, seq: 0, opId: '' };
  }

  #cutOf(deviceId: string): ChainHead {
    return this.#cuts.get(deviceId) ?? { deviceId, seq: 0, opId: '' };
  }
}

/** An entry of a checkpoint as its author's journal has it. */
export function operationOf(line: CheckpointLineOf<'operation'>): Operation {
  const { wallMs, counter, ...rest } = line;
  return { ...rest, time: { wallMs, counter } };
}

/** All rows are of runs that it names, and all of these were condensed together. */
function isOneFamily({ family, rows }: CheckpointLineOf<'family'>): boolean {
  const ids = new Set(family.map((run) => run.run_id));
  const root = family[0]?.root_run_id ?? '';
  const isTogether = family.every((run) => run.root_run_id === root) && ids.has(root) && ids.size === family.length;
  return isTogether && Object.values(rows).every((all) => all.every((each) => ids.has(String(each['run_id']))));
}

function isSame(one: Frontier, other: Frontier): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => knownUpTo(one, name) === knownUpTo(other, name));
}
