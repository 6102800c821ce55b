// A child process: makes so many images of one log, opens each as the product does, and says what it found.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AcknowledgedFacts } from './acknowledged.ts';
import { checkProfile, checkRegister, isDurableState, registerFileOf } from './check-image.ts';
import type { Finding } from './check-image.ts';
import { checkUpkeep } from './check-upkeep.ts';
import { readDiskLog } from './disk-log.ts';
import type { DiskOperation } from './disk-log.ts';
import { DiskModel, IMAGE_STYLES } from './disk-model.ts';
import type { DiskImage, ImageStyle } from './disk-model.ts';
import { memoryFolder } from './disk-shim.ts';
import { Random } from '../harness/random.ts';

/** Which images of which log. */
export interface JudgeOptions {
  readonly log: string;
  readonly kind: 'host' | 'host-and-register' | 'register' | 'upkeep';
  readonly seed: number;
  readonly images: number;
}

/** One image, named so that it can be made again. */
export interface ImageName {
  readonly cut: number;
  readonly style: ImageStyle;
  readonly seed: number;
}

/** What was found in all of them. */
export interface Judgement {
  readonly images: number;
  readonly byStyle: Readonly<Record<string, number>>;
  /** How many images had at least one finding of a kind. */
  readonly byFinding: Readonly<Record<string, number>>;
  /** The most acknowledged facts that one image had lost. */
  readonly worst: number;
  /** How many facts the whole log acknowledges, by the word they belong to. */
  readonly acknowledged: Readonly<Record<string, number>>;
  readonly examples: readonly { readonly name: ImageName; readonly findings: readonly Finding[] }[];
}

const EXAMPLES_KEPT = 5;
/** How often images are drawn anew in place of those that were the same as others. */
const DRAWS = 40;

/** Where a cut tells something: just before each operation that changes the disk, and at the end. */
function cutsOf(operations: readonly DiskOperation[]): number[] {
  const cuts = operations.flatMap((operation, index) => (operation.kind === 'mark' ? [] : [index]));
  return [...cuts, operations.length];
}

/** Draws the images: some cuts and styles at random, in the order of the cuts so that the disk is lived through once. */
function draw(operations: readonly DiskOperation[], of: { seed: number; images: number }): ImageName[] {
  const random = new Random(of.seed, 'images');
  const cuts = cutsOf(operations);
  const names = Array.from({ length: of.images }, (): ImageName => {
    const share = random.next();
    const style = IMAGE_STYLES[share < 0.1 ? 0 : share < 0.15 ? 1 : share < 0.5 ? 2 : 3] ?? 'torn';
    return { cut: cuts[random.below(cuts.length)] ?? 0, style, seed: random.below(2 ** 32) };
  });
  return names.toSorted((one, other) => one.cut - other.cut);
}

/** Makes and judges every image once; one that was seen already, with the same facts, does not count again. */
export async function judge(options: JudgeOptions): Promise<Judgement> {
  const operations = readDiskLog(options.log);
  const folder = memoryFolder('image');
  const counts: Mutable = { images: 0, worst: 0, byStyle: {}, byFinding: {} };
  const examples: { name: ImageName; findings: Finding[] }[] = [];
  const seen = new Set<string>();
  try {
    // Images that are the same are drawn again, under another seed, until there are enough.
    for (let pass = 0; pass < DRAWS && counts.images < options.images; pass += 1) {
      const disk = new DiskModel(isDurableState);
      const facts = new AcknowledgedFacts();
      let at = 0;
      const wanted = { seed: options.seed + pass, images: options.images - counts.images };
      for (const name of draw(operations, wanted)) {
        for (; at < name.cut; at += 1) liveThrough(operations[at], disk, facts);
        const image = disk.image(name.style, new Random(name.seed, 'images'));
        const signature = `${facts.count}|${image.signature}`;
        if (seen.has(signature)) continue;
        seen.add(signature);
        const findings = await judgeImage(image, { folder, facts, name, kind: options.kind });
        count(counts, name, findings);
        if (findings.length > 0 && examples.length < EXAMPLES_KEPT) examples.push({ name, findings });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...counts, acknowledged: acknowledgedIn(operations), examples };
}

/** By the word they belong to, what the whole log acknowledges. */
function acknowledgedIn(operations: readonly DiskOperation[]): Record<string, number> {
  const facts = new AcknowledgedFacts();
  for (const operation of operations) if (operation.kind === 'mark') facts.add(operation.text);
  return { ...facts.byWord(), hits: facts.hits.size, registers: facts.registers.size, copies: facts.copies.length };
}

interface Mutable {
  images: number;
  worst: number;
  byStyle: Record<string, number>;
  byFinding: Record<string, number>;
}

function count(counts: Mutable, name: ImageName, findings: readonly Finding[]): void {
  counts.images += 1;
  counts.byStyle[name.style] = (counts.byStyle[name.style] ?? 0) + 1;
  for (const kind of new Set(findings.map((finding) => finding.kind))) {
    counts.byFinding[kind] = (counts.byFinding[kind] ?? 0) + 1;
  }
  counts.worst = Math.max(counts.worst, findings.filter((finding) => finding.kind === 'lost').length);
}

/** One operation further. */
export function liveThrough(operation: DiskOperation | undefined, disk: DiskModel, facts: AcknowledgedFacts): void {
  if (operation === undefined) return;
  if (operation.kind === 'mark') facts.add(operation.text);
  else disk.apply(operation);
}

/** Puts an image into a folder and opens it. */
export async function judgeImage(
  image: DiskImage,
  of: { folder: string; facts: AcknowledgedFacts; name: ImageName; kind: JudgeOptions['kind'] },
): Promise<Finding[]> {
  const { facts, kind } = of;
  const put = (name: string): string => {
    const folder = join(of.folder, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    image.write(folder);
    return folder;
  };
  const isRestarted = of.name.seed % 2 === 0;
  if (kind === 'upkeep') return checkUpkeep(put, facts, isRestarted);
  const folder = put('profile');
  const inProfile =
    kind === 'register' ? [] : checkProfile(folder, facts, { isRestarted, isEmbedded: kind === 'host' });
  const inRegister = kind === 'host' ? [] : await checkRegister(registerFileOf(folder), facts);
  return [...inProfile, ...inRegister];
}

if (process.argv[2] !== undefined && process.send !== undefined) {
  process.send(await judge(JSON.parse(process.argv[2]) as JudgeOptions));
  process.disconnect();
}
