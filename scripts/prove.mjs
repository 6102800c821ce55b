// `npm run prove`: the proof of the core by anybody, in one command. The model, the crash images and the histories of the register
// one after the other, and the simulator beside them: two processors are busy with it for about a quarter of an hour.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isEntry, requireNode, root, runMain, say } from './platform.mjs';
import { setup } from './setup.mjs';

const SCRIPT = fileURLToPath(new URL('test.mjs', import.meta.url));
const IN_TURN = ['model', 'images', 'lin'];
const BESIDE = 'sim';
const FIGURES = /^(\d+) passed, (\d+) failed, (\d+) skipped$/mu;

async function main() {
  setup('deps');
  const start = performance.now();
  const beside = prove(BESIDE, { isBeside: true });
  const said = [];
  for (const name of IN_TURN) said.push(await prove(name, { isBeside: false }));
  said.push(await beside);
  for (const { output } of said) process.stdout.write(linesOf(output));
  const sum = said.map(({ output }) => figuresOf(output)).reduce(add, [0, 0, 0]);
  say(`proved in ${((performance.now() - start) / 60_000).toFixed(1)} minutes`);
  process.stdout.write(`${sum[0]} passed, ${sum[1]} failed, ${sum[2]} skipped\n`);
  return said.every(({ code }) => code === 0) && sum[1] === 0 && sum[0] > 0 ? 0 : 1;
}

/** Runs one suite, and shows what it says: at once, or for the one beside the others, which would be mixed with them, if it fails. */
function prove(name, { isBeside }) {
  say(`suite ${name}${isBeside ? ', beside the others' : ''}`);
  const child = spawn(requireNode(), [SCRIPT, name], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  if (isBeside) stepBack(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output += text;
      if (!isBeside) process.stderr.write(text);
    });
  }
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve({ code: 1, output: `${name}: ${cause.message}\n` }));
    child.once('close', (code) => {
      if (isBeside && code !== 0) process.stderr.write(output);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** It gets what the others leave. */
function stepBack(child) {
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    say(`The simulator runs at the usual priority: ${error.message}`);
  }
}

/** What a suite says of itself: its figures, its counts and its time. */
function linesOf(output) {
  const names = [...IN_TURN, BESIDE].map((name) => `${name}: `);
  const lines = output.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
  return lines.map((line) => `${line}\n`).join('');
}

/** Passed, failed and skipped. A suite that came to none has failed. */
function figuresOf(output) {
  const found = FIGURES.exec(output);
  return found === null ? [0, 1, 0] : found.slice(1).map(Number);
}

function add(one, other) {
  return one.map((count, index) => count + other[index]);
}

if (isEntry(import.meta.url)) await runMain(main);
