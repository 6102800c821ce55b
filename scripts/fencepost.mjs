#!/usr/bin/env node
// The `fencepost` command, straight from the sources: Node strips the types. What it was given goes to the command.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { hostFlags, projectEnv, requireNode, root, runMain } from './platform.mjs';

const entry = path.join(root, 'src', 'main', 'cli', 'index.ts');

function main() {
  const args = [...hostFlags, entry, ...process.argv.slice(2)];
  const child = spawn(requireNode(), args, { stdio: 'inherit', env: projectEnv() });
  // The terminal tells both of Ctrl-C; the command ends in its own time.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

await runMain(main);
