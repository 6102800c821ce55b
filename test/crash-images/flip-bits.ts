import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { readRecord } from '../../src/main/store/read-record.ts';
import { Store } from '../../src/main/store/store.ts';
import { createFakeClock } from '../contract/fake-clock.ts';
import { AcknowledgedFacts } from './acknowledged.ts';
import { checkProfile, isDurableState } from './check-image.ts';
import type { Finding } from './check-image.ts';
import { readDiskLog } from './disk-log.ts';
import { DiskModel } from './disk-model.ts';
import { memoryFolder } from './disk-shim.ts';
import { liveThrough } from './judge-images.ts';
import { Random } from '../harness/random.ts';
import type { Recording } from './recording.ts';

/** Which file of a record has a bit that is not as it was written. */
type FlippedFile = 'fencepost.sqlite' | 'fencepost.sqlite-wal';

/**
 * What came of one flipped bit. `refused`: the record is not opened. `told`: it is, and *Check the record* says what is wrong.
 * `harmless`: nobody notices, and nothing that anybody was told is missing. `unnoticed`: nobody notices, and something is.
 */
export interface Flip {
  readonly fate: 'refused' | 'told' | 'harmless' | 'unnoticed';
  /** The code of the refusal. */
  readonly code: string | null;
  readonly findings: readonly Finding[];
}

/** Kills a host at so many moments of its life, flips one bit of what it left, and opens that as the product does. */
export function flipBits(
  recording: Recording,
  of: { readonly file: FlippedFile; readonly flips: number; readonly seed: number },
): Flip[] {
  const operations = readDiskLog(recording.log);
  const random = new Random(of.seed, 'flips');
  const cuts = Array.from({ length: of.flips }, () => Math.floor(operations.length * random.between(0.3, 1)));
  const disk = new DiskModel(isDurableState);
  const facts = new AcknowledgedFacts();
  const root = memoryFolder('flips');
  const flips: Flip[] = [];
  let at = 0;
  try {
    for (const cut of cuts.toSorted((one, other) => one - other)) {
      for (; at < cut; at += 1) liveThrough(operations[at], disk, facts);
      const folder = join(root, 'profile');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      disk.image('everything', random).write(folder);
      if (flipOne(join(folder, of.file), random)) flips.push(judgeFlip(folder, facts));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return flips;
}

/** Answers whether there was anything to flip. */
function flipOne(file: string, random: Random): boolean {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (bytes.length === 0) return false;
  const at = random.below(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at);
  writeFileSync(file, bytes);
  return true;
}

function judgeFlip(folder: string, facts: AcknowledgedFacts): Flip {
  const opened = Store.open(folder, { clock: createFakeClock(), timers: createHostTimers(), newId: randomUUID });
  if (!opened.ok) return { fate: 'refused', code: opened.error.code, findings: [] };
  const isTold = tells(opened.value);
  opened.value.close();
  const findings = checkProfile(folder, facts, { isRestarted: false, isEmbedded: true });
  const fate = isTold ? 'told' : findings.length === 0 ? 'harmless' : 'unnoticed';
  return { fate, code: null, findings };
}

/** Whether what a person finds under *Check the record* says that something is wrong. */
function tells(store: Store): boolean {
  const connection = store.connection();
  if (connection === null) return true;
  try {
    return [...readRecord(connection.db)].some(({ faults }) => faults.length > 0);
  } catch {
    return true;
  }
}
