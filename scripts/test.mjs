// `npm test` runs every suite, the searches beside the others, and `node scripts/test.mjs NAME [arguments for its tool]` one.
// Each suite ends with one line of figures; the last line of all is their sum. `--nightly` asks for the large numbers.
import { reportBeside, startBeside, stepBack } from './beside.mjs';
import { sayFailure } from './failures.mjs';
import { isEntry, Problem, runMain, say } from './platform.mjs';
import { setup } from './setup.mjs';
import { SUITES } from './suites.mjs';

/** What belongs to a suite's name besides itself: the architecture test is one of the checks. */
const TOGETHER = { check: ['check', 'arch'] };

async function main() {
  const [name, ...args] = process.argv.slice(2).filter((argument) => argument !== '--nightly');
  // The large numbers, hours of them: see `scaled` in test/harness/figures.ts.
  if (process.argv.includes('--nightly')) process.env.FENCEPOST_NIGHTLY = '1';
  const came = await runChosen(name, args);
  // Whoever began it says it once, for all.
  if (name === '--beside') return 0;
  for (const line of came.ending) process.stdout.write(`${line}\n`);
  process.stdout.write(`${figures(came.total)}\n`);
  return came.total.failed === 0 && came.total.passed + came.total.skipped > 0 ? 0 : 1;
}

async function runChosen(name, args) {
  if (name === '--beside') {
    stepBack();
    const came = runSuites(SUITES.filter((suite) => suite.isBeside));
    reportBeside(args[0], came);
    return came;
  }
  if (name === undefined) {
    const beside = startBeside();
    const came = runSuites(SUITES.filter((suite) => !suite.isBeside));
    say('the others are done; what ran beside them:');
    return sumOf([came, await beside.end()]);
  }
  const names = TOGETHER[name] ?? [name];
  const chosen = SUITES.filter((suite) => names.includes(suite.name));
  if (chosen.length === 0) {
    throw new Problem(`There is no suite ${name}. There are: ${SUITES.map((suite) => suite.name).join(', ')}.`);
  }
  setup(chosen.some((suite) => suite.setup === 'test') ? 'test' : 'deps');
  return runSuites(chosen, args);
}

/** What suites came to, one after the other: `{ total, ending }`, the sum and what the end of the log says of them. */
function runSuites(suites, args = []) {
  return sumOf(
    suites.map((suite) => {
      const counts = runSuite(suite, args);
      return { total: counts, ending: tellings(suite, counts) };
    }),
  );
}

function sumOf(parts) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const part of parts) for (const key of Object.keys(total)) total[key] += part.total[key];
  return { total, ending: parts.flatMap((part) => part.ending) };
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
