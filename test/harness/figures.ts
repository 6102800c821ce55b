import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Puts figures down for the line that a suite prints at its end (scripts/suites.mjs adds those of all its files up). A test
 * that is run by hand, outside a suite, prints them itself.
 */
export function reportFigures(figures: Readonly<Record<string, number>>): void {
  const folder = process.env['FENCEPOST_FIGURES'];
  const text = JSON.stringify(figures);
  if (folder === undefined) process.stdout.write(`${text}\n`);
  else writeFileSync(join(folder, `${randomUUID()}.figures.json`), text);
}

/** Whether the large numbers were asked for: `npm run test:nightly`. */
const isNightly = process.env['FENCEPOST_NIGHTLY'] === '1';

/** A size: one for each commit, one for a night. */
export function scaled(perCommit: number, perNight: number): number {
  return isNightly ? perNight : perCommit;
}
