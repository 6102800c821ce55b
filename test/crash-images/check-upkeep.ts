import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBackup } from '../../src/main/store/backup.ts';
import { listBackups } from '../../src/main/store/list-backups.ts';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import { restoreBackup, restoreMarkOf } from '../../src/main/store/restore-backup.ts';
import type { AcknowledgedFacts } from './acknowledged.ts';
import { checkProfile } from './check-image.ts';
import type { Finding } from './check-image.ts';

/** Puts the same image into a new folder; opening one changes it. */
export type PutImage = (name: string) => string;

/**
 * After a cut during a migration, a checkpoint, a copy or a restore: the record is the old one or the new one, whole, or it is
 * refused in words that name the way back, and that way works. What a restore replaced is kept, whole.
 */
export function checkUpkeep(put: PutImage, facts: AcknowledgedFacts, isRestarted: boolean): Finding[] {
  const of = { isRestarted, isEmbedded: true };
  const copies = copyFindings(put('copies'), facts);
  const isReplacing = facts.phase === 'restoring' || facts.phase === 'restored';
  if (!isReplacing) return [...copies, ...checkProfile(put('profile'), facts, of)];
  const folder = put('profile');
  const isInterrupted = existsSync(restoreMarkOf(join(folder, 'fencepost.sqlite')));
  if (!isInterrupted && facts.phase === 'restoring') {
    const asBefore = checkProfile(folder, facts, of);
    if (asBefore.length === 0) return copies;
  }
  const restored = facts.afterRestore();
  const inCopy = isInterrupted ? interruptedFindings(folder, facts, of) : checkProfile(put('profile'), restored, of);
  return [...copies, ...inCopy, ...keptFindings(put('kept'), facts, of)];
}

/** A half-done restore is refused, says so, and is done by putting the copy back once more. */
function interruptedFindings(
  folder: string,
  facts: AcknowledgedFacts,
  of: { isRestarted: boolean; isEmbedded: boolean },
): Finding[] {
  if (facts.phase === 'restored' && facts.sinceRestore > 0)
    return [{ kind: 'lost', text: 'a finished restore is refused after facts were acknowledged' }];
  const [refused] = checkProfile(folder, facts, of);
  if (refused?.text.includes('Put the copy back once more') !== true) {
    return [{ kind: 'refused', text: `a half-done restore is not refused in words: ${refused?.text ?? 'it opened'}` }];
  }
  const copy = join(folder, facts.copies.at(-1)?.path ?? '');
  const again = restoreBackup(copy, join(folder, 'fencepost.sqlite'));
  if (!again.ok) return [{ kind: 'refused', text: `the way back does not work: ${again.error.message}` }];
  return checkProfile(folder, facts.afterRestore(), of);
}

/**
 * The record that a restore replaces is there with everything that was acknowledged in it: under its new name, or still in
 * its place, from where the way back would keep it.
 */
function keptFindings(
  folder: string,
  facts: AcknowledgedFacts,
  of: { isRestarted: boolean; isEmbedded: boolean },
): Finding[] {
  const names = readdirSync(folder).filter((name) => /^fencepost\.sqlite(?:\.replaced-[0-9TZ-]+)?$/u.test(name));
  let least: Finding[] = [{ kind: 'lost', text: 'there is neither the record nor what it was kept as' }];
  // The one that was kept last is the one that counts; an earlier restore has left its own.
  for (const name of names.toSorted().toReversed()) {
    const apart = join(folder, 'apart');
    rmSync(apart, { recursive: true, force: true });
    mkdirSync(apart);
    for (const part of ['', '-wal']) {
      const from = join(folder, `${name}${part}`);
      if (existsSync(from)) copyFileSync(from, join(apart, `fencepost.sqlite${part}`));
    }
    const found = checkProfile(apart, facts.beforeRestore(), of);
    if (found.length === 0) return [];
    if (name === names.toSorted().at(-1)) least = found;
  }
  return least.map(({ kind, text }) => ({ kind, text: `in what the restore replaced: ${text}` }));
}

/** A copy that was answered as made is there and sound; any that has its final name is whole. */
function copyFindings(folder: string, facts: AcknowledgedFacts): Finding[] {
  const findings: Finding[] = [];
  for (const { path } of facts.copies) {
    const problem = verifyBackup(join(folder, path));
    if (problem !== null) findings.push({ kind: 'lost', text: `the copy ${path}: ${problem.message}` });
  }
  for (const copy of listBackups(join(folder, 'fencepost.sqlite'))) {
    const db = openSqlite(copy, { isReadOnly: true, mustExist: true });
    try {
      const [first] = db.pragma('integrity_check(1)') as { integrity_check: string }[];
      if (first?.integrity_check !== 'ok') throw new Error(first?.integrity_check);
    } catch (cause) {
      findings.push({ kind: 'corrupt', text: `the copy ${copy} has its name and is not whole: ${String(cause)}` });
    } finally {
      db.close();
    }
  }
  return findings;
}
