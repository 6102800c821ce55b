import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDurableState } from './check-image.ts';
import { readDiskLog } from './disk-log.ts';
import { DiskModel } from './disk-model.ts';
import { buildShim, memoryFolder, runChild, runWatched } from './disk-shim.ts';
import type { ImageName, JudgeOptions, Judgement } from './judge-images.ts';
import { Random } from '../harness/random.ts';
import type { WorkloadOptions } from './record-workload.ts';

/** How many processes judge images side by side. */
const JUDGES = 2;
const RECORD_LIMIT_MS = 180_000;
const JUDGE_LIMIT_MS = 10 * 3_600_000;

/** The log of one workload. */
export interface Recording {
  readonly log: string;
  readonly kind: JudgeOptions['kind'];
  /** How many writes, syncs and changes of names it holds. */
  readonly operations: number;
  readonly marks: number;
}

/** A folder of the suite's own, with the shim in it. */
export class RecordingBench {
  readonly folder = memoryFolder('crash-images');
  readonly library = buildShim(this.folder);
  #recorded = 0;

  /** Lives through a workload under the shim, and proves that the log holds everything that happened to the disk. */
  async record(of: Omit<WorkloadOptions, 'root' | 'kind'> & Pick<JudgeOptions, 'kind'>): Promise<Recording> {
    this.#recorded += 1;
    const root = join(this.folder, `root-${this.#recorded}`);
    const log = join(this.folder, `log-${this.#recorded}`);
    const file = new URL('record-workload.ts', import.meta.url);
    const given: WorkloadOptions = { ...of, root };
    await runWatched({ library: this.library, root, log, file, given, limitMs: RECORD_LIMIT_MS });
    const operations = readDiskLog(log);
    needWhole(root, operations);
    rmSync(root, { recursive: true, force: true });
    const marks = operations.filter((operation) => operation.kind === 'mark').length;
    return { log, kind: of.kind, operations: operations.length - marks, marks };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * A log that missed an operation would prove nothing: with everything that it holds, the disk has to be byte for byte the
 * folder that the process left behind.
 * @throws Error
 */
function needWhole(root: string, operations: ReturnType<typeof readDiskLog>): void {
  const disk = new DiskModel(isDurableState);
  for (const operation of operations) disk.apply(operation);
  const made = memoryFolder('whole');
  try {
    disk.image('everything', new Random(0, 'images')).write(made);
    const wanted = filesIn(root);
    const found = filesIn(made);
    const differing = [...new Set([...wanted.keys(), ...found.keys()])].filter(
      (path) => !(wanted.get(path)?.equals(found.get(path) ?? Buffer.from('missing')) ?? false),
    );
    if (differing.length > 0)
      throw new Error(`The log does not hold everything that happened to ${differing.join(', ')}.`);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function filesIn(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const files = paths.filter((path) => isDurableState(relative(folder, path)) && statSync(path).isFile());
  return new Map(files.map((path) => [relative(folder, path), readFileSync(path)]));
}

/** Judges so many images of a recording, in several processes, and adds up what they found. */
export async function judgeImages(
  recording: Recording,
  of: { readonly seed: number; readonly images: number },
): Promise<Judgement> {
  const { log, kind } = recording;
  const file = new URL('judge-images.ts', import.meta.url);
  const judged = await Promise.all(
    Array.from({ length: JUDGES }, (_, index) => {
      const given: JudgeOptions = { log, kind, seed: of.seed + index * 1_000, images: Math.ceil(of.images / JUDGES) };
      return runChild<Judgement>(file, given, { limitMs: JUDGE_LIMIT_MS });
    }),
  );
  const sum = (pick: (each: Judgement) => Readonly<Record<string, number>>): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const each of judged) {
      for (const [key, value] of Object.entries(pick(each))) sums[key] = (sums[key] ?? 0) + value;
    }
    return sums;
  };
  return {
    images: judged.reduce((total, each) => total + each.images, 0),
    worst: Math.max(...judged.map((each) => each.worst)),
    byStyle: sum((each) => each.byStyle),
    byFinding: sum((each) => each.byFinding),
    acknowledged: judged[0]?.acknowledged ?? {},
    examples: judged.flatMap((each) => each.examples),
  };
}

/** What to read and to run when images were found wanting; the log is kept where the command finds it. Empty if none were. */
export function explainFindings(recording: Recording, judgement: Judgement): string {
  const [first] = judgement.examples;
  if (first === undefined) return '';
  const kept = join(mkdtempSync(join(tmpdir(), 'fencepost-kept-')), 'disk.log');
  mkdirSync(join(kept, '..'), { recursive: true });
  copyFileSync(recording.log, kept);
  const script = relative(process.cwd(), fileURLToPath(new URL('replay-image.ts', import.meta.url)));
  const line = ({ cut, style, seed }: ImageName): string =>
    `node_modules/.bin/node ${script} ${kept} ${recording.kind} ${cut} ${style} ${seed}`;
  const texts = judgement.examples.map(
    ({ name, findings }) =>
      `${findings.map((finding) => `${finding.kind}: ${finding.text}`).join('\n  ')}\n  again: ${line(name)}`,
  );
  return `${JSON.stringify(judgement.byFinding)} of ${judgement.images} images\n  ${texts.join('\n  ')}`;
}
