// Builds the application into out/, but only when something that goes into it has changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isEntry, Problem, projectEnv, requireNode, root, run, runMain, say } from './platform.mjs';

const stampFile = path.join(root, 'out', '.built-from');
const INPUTS = ['src', 'resources', 'electron.vite.config.ts', 'package.json', 'package-lock.json', 'tsconfig.json'];

export function buildIfStale() {
  const stamp = currentStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say('building the application');
  const command = path.join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const options = { env: projectEnv(), stdio: ['ignore', 2, 2] };
  if (run(requireNode(), [command, 'build', '--logLevel', 'warn'], options) !== 0) {
    throw new Problem('The application did not build; see the lines above.');
  }
  writeFileSync(stampFile, stamp);
}

function currentStamp() {
  const hash = createHash('sha256');
  for (const input of INPUTS.map((name) => path.join(root, name)).filter((file) => existsSync(file))) {
    for (const file of filesOf(input)) hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
  }
  return `${hash.digest('hex')}\n`;
}

function filesOf(input) {
  if (statSync(input).isFile()) return [input];
  const names = readdirSync(input).filter((name) => !/\.test\.tsx?$/.test(name));
  names.sort();
  return names.flatMap((name) => filesOf(path.join(input, name)));
}

if (isEntry(import.meta.url)) await runMain(() => buildIfStale());
