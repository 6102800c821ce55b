import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import { checkLinkOverGaps } from '../../../shared/core/sync/operation.ts';
import type { ChainHead, Operation } from '../../../shared/core/sync/operation.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { isHeadSigned } from '../../relays/seal/sign-journal.ts';
import { sha256 } from '../connection.ts';
import { CHECKPOINT_FORMAT, readCheckpointLine } from './checkpoint-lines.ts';
import type { CheckpointLine, CheckpointLineOf } from './checkpoint-lines.ts';

/** A journal as a checkpoint has it. */
export interface CheckpointJournal {
  readonly head: CheckpointLineOf<'head'>;
  readonly cut: ChainHead;
  readonly operations: readonly Operation[];
}

/** A checkpoint that is sound in itself. */
export interface ReadCheckpoint {
  readonly journals: ReadonlyMap<string, CheckpointJournal>;
  readonly families: readonly CheckpointLineOf<'family'>[];
  readonly texts: readonly string[];
}

/** Reads the lines of a checkpoint and checks all that can be checked without a record; the error is a sentence. */
export function readCheckpoint(content: string, frontier: Frontier): Result<ReadCheckpoint, string> {
  const lines = linesOf(content);
  if (lines === null) return err('It is cut off, or a line of it cannot be read.');
  const of = <Kind extends CheckpointLine['kind']>(kind: Kind): CheckpointLineOf<Kind>[] =>
    lines.flatMap((each) => (each.kind === kind ? [each.line as CheckpointLineOf<Kind>] : []));
  const [header, ...others] = of('header');
  if (header === undefined || others.length > 0 || lines[0]?.kind !== 'header') return err('It does not begin as one.');
  if (header.format !== CHECKPOINT_FORMAT)
    return err('It was made by a version of Fencepost that this one does not know.');
  if (!isSame(header.frontier, frontier)) return err('It does not reach as far as its place says.');
  const journals = new Map<string, CheckpointJournal>();
  for (const head of of('head')) {
    const cut = of('cut').find((each) => each.cut === head.head);
    journals.set(head.head, {
      head,
      cut: { deviceId: head.head, seq: cut?.seq ?? 0, opId: cut?.opId ?? '' },
      operations: [],
    });
  }
  const ends = Object.fromEntries([...journals].map(([deviceId, { head }]) => [deviceId, head.seq]));
  if (!isSame(ends, frontier)) return err('A journal of it ends elsewhere than its place says.');
  if (of('cut').some((cut) => cut.seq > knownUpTo(ends, cut.cut)))
    return err('It was condensed further than it reaches.');
  const operations = Map.groupBy(of('operation').map(operationOf), (each) => each.deviceId);
  for (const [deviceId, journal] of journals) {
    const own = operations.get(deviceId) ?? [];
    const wrong = journalProblem(deviceId, { ...journal, operations: own });
    if (wrong !== null) return err(wrong);
    journals.set(deviceId, { ...journal, operations: own });
    operations.delete(deviceId);
  }
  if (operations.size > 0) return err('It has entries of a journal that it does not name.');
  const families = of('family');
  const stray = families.find((family) => !isOneFamily(family));
  if (stray !== undefined) return err('A condensed run in it does not belong together.');
  return ok({ journals, families, texts: of('text').map(({ text }) => text) });
}

/** `null` where one of them cannot be read, or the last one is not there. */
function linesOf(content: string): CheckpointLine[] | null {
  const texts = content.split('\n');
  if (texts.pop() !== '') return null;
  const lines: CheckpointLine[] = [];
  for (const text of texts) {
    const line = readCheckpointLine(text);
    if (line === null) return null;
    lines.push(line);
  }
  const last = lines.at(-1);
  const isWhole = last?.kind === 'end' && last.line.end === lines.length - 1;
  return isWhole && lines.filter(({ kind }) => kind === 'end').length === 1 ? lines : null;
}

/** Every entry by its own id, and the chain from its cut to its head; what is below the cut is as good as who made this. */
function journalProblem(deviceId: string, { head, cut, operations }: CheckpointJournal): string | null {
  let at: ChainHead = { deviceId, seq: 0, opId: '' };
  for (const operation of operations) {
    const found = checkLinkOverGaps(at, operation, { cut, digest: sha256 });
    if (found !== null) return `Entry ${operation.seq} of a journal in it is not right (${found.kind}).`;
    at = { deviceId, seq: operation.seq, opId: operation.opId };
  }
  if (at.seq !== head.seq || at.opId !== head.opId) return 'A journal in it does not end where it says.';
  const isGood = isHeadSigned(head.publicKey, { deviceId, seq: head.seq, opId: head.opId }, head.signature);
  return isGood ? null : 'A journal in it is not signed by its device.';
}

function operationOf(line: CheckpointLineOf<'operation'>): Operation {
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
