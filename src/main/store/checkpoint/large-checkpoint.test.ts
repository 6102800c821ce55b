import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { useTemporaryFolders } from '../testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
const PROGRAM = fileURLToPath(new URL('../testing/take-large-checkpoint.ts', import.meta.url));
const ENTRIES = 20_000;
const CHARACTERS = 5_000;
/** Too little for the checkpoint, enough for the program. */
const HEAP_MIB = 64;

it('a checkpoint has to fit into memory, to be looked at or to be taken', { timeout: 300_000 }, () => {
  const flags = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${HEAP_MIB}`];
  const args = [...flags, PROGRAM, newFolder(), String(ENTRIES), String(CHARACTERS)];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
  expect(JSON.parse(stdout)).toEqual({ ok: true, value: { journals: 1, entries: ENTRIES } });
  expect(ENTRIES * CHARACTERS).toBeGreaterThan(1.4 * HEAP_MIB * 1_048_576);
});
