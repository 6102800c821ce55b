import { execFileSync, fork } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The shim is preloaded by the dynamic linker of Linux; nothing like it is built for other systems. */
export const canWatchDisks = process.platform === 'linux';
/** Said once by every file of the suite that does not run. */
export const WHY_SKIPPED =
  'crash images: Linux only, since the shim that watches the disk is preloaded with LD_PRELOAD';

const TMPFS = 0x01021994;
const COMPILER = process.env['CC'] ?? 'gcc';

/** A folder in memory where there is one, so that ten thousand small files cost no disk. */
export function memoryFolder(name: string): string {
  return mkdtempSync(join(isMemory('/dev/shm') ? '/dev/shm' : tmpdir(), `fencepost-${name}-`));
}

function isMemory(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return statfsSync(folder).type === TMPFS;
  } catch {
    return false;
  }
}

/**
 * Builds the shim in a folder and returns its path.
 * @throws Error when there is no C compiler: a suite that cannot watch has not passed.
 */
export function buildShim(folder: string): string {
  const source = fileURLToPath(new URL('disk-shim.c', import.meta.url));
  const library = join(folder, 'disk-shim.so');
  execFileSync(COMPILER, ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread'], { stdio: 'pipe' });
  return library;
}

/** Where a watched process works, and where its log goes (`null`: it is only made to fail, not written down). */
export interface Watched {
  readonly library: string;
  readonly root: string;
  readonly log: string | null;
}

/** Runs a file of this folder in a watched process and answers with the last message it sent. */
export function runWatched<Answer>(
  of: Watched & { readonly file: URL; readonly given: unknown; readonly limitMs: number },
): Promise<Answer> {
  mkdirSync(of.root, { recursive: true });
  if (of.log !== null) rmSync(of.log, { force: true });
  return runChild<Answer>(of.file, of.given, {
    limitMs: of.limitMs,
    variables: {
      LD_PRELOAD: of.library,
      FENCEPOST_DISK_ROOT: of.root,
      FENCEPOST_DISK_LOG: of.log ?? '',
      UV_USE_IO_URING: '0',
    },
  });
}

/** Runs a file in a process of its own; a process that says nothing, or not in time, is a failure. */
export function runChild<Answer>(
  file: URL,
  given: unknown,
  of: { readonly limitMs: number; readonly variables?: Readonly<Record<string, string>> },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...of.variables };
    const child = fork(fileURLToPath(file), [JSON.stringify(given)], {
      env,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    let answer: { readonly value: Answer } | null = null;
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`Not within ${of.limitMs} ms: ${fileURLToPath(file)} ${JSON.stringify(given)}`));
    }, of.limitMs);
    child.on('message', (message) => (answer = { value: message as Answer }));
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      if (answer === null || code !== 0) {
        reject(new Error(`${fileURLToPath(file)} ended with ${code ?? signal}: ${JSON.stringify(given)}`));
      } else resolve(answer.value);
    });
  });
}
