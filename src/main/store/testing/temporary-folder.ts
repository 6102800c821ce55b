import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Result } from '../../../shared/lib/result.ts';

/** A fresh folder for each test that asks, gone after it. */
export function useTemporaryFolders(): () => string {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-store-'));
    made.push(folder);
    return folder;
  };
}

/** The value, or a failed test with the problem's own sentence. */
export function must<Value>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The problem, or a failed test. */
export function problemOf(result: Result<unknown, Problem>): Problem {
  if (result.ok) throw new Error('It worked, and should not have.');
  return result.error;
}
