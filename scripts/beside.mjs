// Suites that nothing but their own work can change the outcome of run beside the others, at the lowest priority: they take
// the processors while the others wait for servers, windows and terms. What they print comes when the others are done.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { projectEnv, requireNode, root, say } from './platform.mjs';

const SCRIPT = fileURLToPath(new URL('test.mjs', import.meta.url));
const LOOK_MS = 1_000;

/** Begins them; `end` prints what they print, waits for them, and answers with what they came to. */
export function startBeside(script = SCRIPT) {
  const folder = mkdtempSync(path.join(tmpdir(), 'fencepost-beside-'));
  const report = path.join(folder, 'report.json');
  const log = openSync(path.join(folder, 'log'), 'w+');
  const child = spawn(requireNode(), [script, '--beside', report], {
    cwd: root,
    env: projectEnv(),
    stdio: ['ignore', log, log],
  });
  const ended = new Promise((resolve) => {
    child.once('error', (cause) => resolve(cause.message));
    child.once('close', (code, signal) => resolve(`it ended with ${code ?? signal}`));
  });
  return { end: () => end({ folder, report, log, ended }) };
}

/** Keeps what came of the suites for whoever began them. */
export function reportBeside(file, came) {
  writeFileSync(file, JSON.stringify(came));
}

/** From now on this process, and each that it starts, gets only what no other wants. */
export function stepBack() {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch (error) {
    say(`The searches run at the usual priority: ${error.message}`);
  }
}

async function end({ folder, report, log, ended }) {
  let how = null;
  void ended.then((said) => (how = said));
  for (let from = 0; ;) {
    const isLast = how !== null;
    from = printFrom(log, from);
    if (isLast) break;
    await setTimeout(LOOK_MS);
  }
  closeSync(log);
  const came = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null;
  rmSync(folder, { recursive: true, force: true });
  if (came !== null) return came;
  const message = `the suites beside the others left no report: ${how}`;
  say(message);
  return { total: { passed: 0, failed: 1, skipped: 0 }, ending: [`failed in ${message}`] };
}

/** Prints what a file has from there on, and answers where it ends. */
function printFrom(file, from) {
  const chunk = Buffer.alloc(65_536);
  for (let at = from; ;) {
    const count = readSync(file, chunk, 0, chunk.length, at);
    if (count === 0) return at;
    process.stdout.write(chunk.subarray(0, count));
    at += count;
  }
}
