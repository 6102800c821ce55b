import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegisterUnderTest } from './describe-linearizability.ts';

/** A new folder for each register, in which it is at `place`. */
export function inFolder(place: (folder: string) => string): RegisterUnderTest['begin'] {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-register-'));
    return { place: place(folder), end: async () => rmSync(folder, { recursive: true, force: true }) };
  };
}
