// `npm test` runs every suite in order, `node scripts/test.mjs NAME [arguments for its tool]` one of them.
// Each suite ends with one line of figures; the last line of all is their sum. `--nightly` asks for the large numbers.
import { sayFailure } from './failures.mjs';
import { isEntry, Problem, runMain, say } from './platform.mjs';
import { setup } from './setup.mjs';
import { SUITES } from './suites.mjs';

/** What belongs to a suite's name besides itself: the architecture test is one of the checks. */
const TOGETHER = { check: ['check', 'arch'] };

function main() {
  const [name, ...args] = process.argv.slice(2).filter((argument) => argument !== '--nightly');
  // The large numbers, hours of them: see `scaled` in test/harness/figures.ts.
  if (process.argv.includes('--nightly')) process.env.FENCEPOST_NIGHTLY = '1';
  const names = name === undefined ? SUITES.map((suite) => suite.name) : (TOGETHER[name] ?? [name]);
  const chosen = SUITES.filter((suite) => names.includes(suite.name));
  if (chosen.length === 0) {
    throw new Problem(`There is no suite ${name}. There are: ${SUITES.map((suite) => suite.name).join(', ')}.`);
  }
  if (name !== undefined) setup(chosen.some((suite) => suite.setup === 'test') ? 'test' : 'deps');
  const total = { passed: 0, failed: 0, skipped: 0 };
  const ending = [];
  for (const suite of chosen) {
    const counts = runSuite(suite, args);
    for (const key of Object.keys(total)) total[key] += counts[key];
    ending.push(...tellings(suite, counts));
  }
  for (const line of ending) process.stdout.write(`${line}\n`);
  process.stdout.write(`${figures(total)}\n`);
  return total.failed === 0 && total.passed + total.skipped > 0 ? 0 : 1;
}

/** What the end of the whole log says of a suite. What failed without a report, such as a demo, is named by its suite. */
function tellings(suite, { failed, failures = [], waited = [] }) {
  const named = failed > 0 && failures.length === 0 ? [suite.name] : failures.map(sayFailure);
  return [
    ...waited.map((failure) => `waited in vain at first in ${suite.name}: ${sayFailure(failure)}`),
    ...named.map((text) => `failed in ${suite.name}: ${text}`),
  ];
}

function runSuite(suite, args) {
  say(`suite ${suite.name}`);
  const start = performance.now();
  const counts = attempt(suite, args);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${suite.name}: ${figures(counts)} in ${seconds} s\n\n`);
  return counts;
}

/** What stops one suite, such as a build that fails, must not hide the results of the others. */
function attempt(suite, args) {
  try {
    return suite.run(suite, args);
  } catch (error) {
    say(`${suite.name}: ${error instanceof Problem ? error.message : error.stack}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function figures({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

if (isEntry(import.meta.url)) await runMain(main);
