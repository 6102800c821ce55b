// The suites of `npm test`, in order, and how each is run and counted. A suite returns
// `{ passed, failed, skipped, failures?, waited? }`; what it prints on the way is its own tool's output. `isBeside`: no clock
// and no other process can change what it comes to, so it may run beside the others.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildIfStale } from './build.mjs';
import { findElectronRuntime } from './electron-runtime.mjs';
import { isWaitThatRanOut, playwrightFailures, vitestFailures } from './failures.mjs';
import { suiteLimitMs } from './limits.mjs';
import { findCommand, isLinux, projectEnv, requireNode, root, run, say } from './platform.mjs';

/** More waits than these that run out in one suite are no accident of a busy machine. */
const MOST_WAITS = 5;

/** What `npm run check` looks at besides the architecture test. Each is one test: it finds nothing, or it fails. */
const CHECKS = [
  { name: 'types', script: 'typescript/bin/tsc', args: ['--project', '.'] },
  { name: 'lint', script: 'oxlint/bin/oxlint', args: [] },
  { name: 'dead code', script: 'knip/bin/knip.js', args: ['--no-config-hints'] },
  { name: 'format', script: 'oxfmt/bin/oxfmt', args: ['--check'] },
];

export const SUITES = [
  { name: 'check', setup: 'deps', run: runChecks },
  { name: 'arch', setup: 'deps', run: runVitest },
  { name: 'unit', setup: 'deps', run: withSecondLook(runUnit) },
  { name: 'model', setup: 'deps', run: runVitest, isBeside: true },
  { name: 'bridge', setup: 'deps', run: withSecondLook(runVitest) },
  { name: 'contract', setup: 'deps', run: withSecondLook(runVitest) },
  { name: 'crash', setup: 'deps', run: withSecondLook(runVitest) },
  { name: 'agents', setup: 'deps', run: withSecondLook(runVitest) },
  { name: 'images', setup: 'deps', run: runVitest },
  { name: 'reports', setup: 'deps', run: withSecondLook(runVitest) },
  { name: 'lin', setup: 'deps', run: runVitest },
  { name: 'property', setup: 'deps', run: runVitest, isBeside: true },
  { name: 'sim', setup: 'deps', run: runVitest, isBeside: true },
  { name: 'soak', setup: 'deps', run: runVitest },
  { name: 'demo', setup: 'deps', run: runDemo },
  { name: 'e2e', setup: 'test', run: withSecondLook(runBrowser) },
  { name: 'electron', setup: 'test', run: withSecondLook(runElectron) },
];

const nothing = { passed: 0, failed: 0, skipped: 0 };

/** Runs one of the installed tools under the right Node; returns its exit code. */
function tool(script, args, options = {}) {
  const { env, wrapper = [], timeout = suiteLimitMs() } = options;
  const [command, ...rest] = [...wrapper, requireNode(), path.join(root, 'node_modules', script), ...args];
  return run(command, rest, { env: projectEnv(env), timeout });
}

function runChecks() {
  const counts = { ...nothing };
  for (const { name, script, args } of CHECKS) {
    say(`check: ${name}`);
    if (tool(script, args) === 0) counts.passed += 1;
    else counts.failed += 1;
  }
  return counts;
}

/**
 * Where nothing but a few waits ran out, their files are run once more, with nothing beside them, and what they say then
 * counts. It is never silent: the run ends with their names. Any other failure stands as it is.
 */
function withSecondLook(look) {
  return (suite, args) => {
    const first = look(suite, args);
    const { failures = [] } = first;
    const isUndecided = failures.length === first.failed && failures.every(isWaitThatRanOut);
    if (first.failed === 0 || first.failed > MOST_WAITS || !isUndecided) return first;
    const files = [...new Set(failures.map(({ file }) => file))];
    say(`${suite.name}: ${first.failed} waits ran out; once more, alone: ${files.join(', ')}`);
    const second = files.map((file) => look(suite, [file]));
    const failed = second.reduce((sum, each) => sum + each.failed, 0);
    return {
      ...first,
      passed: first.passed + Math.max(0, first.failed - failed),
      failed,
      failures: second.flatMap((each) => each.failures ?? []),
      waited: failures,
    };
  };
}

/** A selection cannot reach the coverage that the whole suite must have, so it is measured only without one. */
function runUnit(suite, args) {
  return runVitest(suite, args.length === 0 ? ['--coverage'] : args);
}

function runVitest(suite, args) {
  return withReport((report) => {
    const figures = path.dirname(report);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = tool(
      'vitest/vitest.mjs',
      ['run', '--project', suite.name, '--passWithNoTests', ...reporters, ...args],
      { env: { FENCEPOST_FIGURES: figures }, timeout: suiteLimitMs(suite) },
    );
    printFigures(suite, figures);
    const found = readReport(report);
    const counts = found
      ? {
          passed: found.numPassedTests,
          failed: found.numFailedTests,
          skipped: found.numPendingTests + found.numTodoTests,
          failures: vitestFailures(found),
        }
      : nothing;
    return settle(suite, counts, code);
  });
}

/** The story over a hub, and once more over a register file. */
function runDemo() {
  const demo = path.join(root, 'scripts', 'demo.ts');
  const counts = { ...nothing };
  for (const more of [[], ['--register-file']]) {
    const args = ['--disable-warning=ExperimentalWarning', demo, ...more];
    const code = run(requireNode(), args, { env: projectEnv(), timeout: suiteLimitMs() });
    if (code === 0) counts.passed += 1;
    else counts.failed += complain(`demo ${more.join(' ')}: exit code ${code}`);
  }
  return counts;
}

function runBrowser(suite, args) {
  return runPlaywright(suite, args, []);
}

function runElectron(suite, args) {
  if (process.env.FENCEPOST_WITHOUT_ELECTRON === '1') {
    say('electron: skipped, because FENCEPOST_WITHOUT_ELECTRON=1');
    return { ...nothing, skipped: 1 };
  }
  if (!findElectronRuntime()) {
    const way = 'set FENCEPOST_WITHOUT_ELECTRON=1 to test without it';
    return { ...nothing, failed: complain(`electron: no Electron could be had on this machine; ${way}`) };
  }
  const xvfb = isLinux ? findCommand('xvfb-run') : null;
  return runPlaywright(suite, args, xvfb ? [xvfb, '-a', '-s', '-screen 0 1600x1200x24'] : []);
}

function runPlaywright(suite, args, wrapper) {
  buildIfStale();
  return withReport((report) => {
    const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report };
    const options = ['test', `--project=${suite.name}`, '--reporter=list,json', '--pass-with-no-tests', ...args];
    const code = tool('@playwright/test/cli.js', options, { env, wrapper });
    const found = readReport(report);
    const stats = found?.stats;
    const counts = stats
      ? {
          passed: stats.expected + stats.flaky,
          failed: stats.unexpected,
          skipped: stats.skipped,
          failures: playwrightFailures(found),
        }
      : nothing;
    return settle(suite, counts, code);
  });
}

/** The figures that the tests of a suite put down (see test/harness/figures.ts), added up, in one line. */
function printFigures(suite, folder) {
  const sums = new Map();
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.figures.json')) continue;
    for (const [label, value] of Object.entries(JSON.parse(readFileSync(path.join(folder, name), 'utf8')))) {
      sums.set(label, (sums.get(label) ?? 0) + value);
    }
  }
  // A rate does not add up: it is that of one process, from what all of them did in the time that all of them took.
  const seconds = sums.get('seconds of search') ?? 0;
  if (seconds > 0) sums.set('states per second and process', Math.round((sums.get('states') ?? 0) / seconds));
  const parts = [...sums].map(
    ([label, value]) => `${label} ${value.toLocaleString('en', { maximumFractionDigits: 2 })}`,
  );
  if (parts.length > 0) process.stdout.write(`${suite.name}: ${parts.join(', ')}\n`);
}

/** What the tool's exit code says beyond its counts: a threshold missed, a crash, or nothing at all having been run. */
function settle(suite, counts, code) {
  if (counts.failed > 0) return counts;
  if (code !== 0) return { ...counts, failed: complain(`${suite.name}: exit code ${code} although no test failed`) };
  if (counts.passed > 0) return counts;
  return { ...counts, failed: complain(`${suite.name}: no test was run`) };
}

function complain(sentence) {
  say(sentence);
  return 1;
}

function withReport(use) {
  const folder = mkdtempSync(path.join(tmpdir(), 'fencepost-report-'));
  try {
    return use(path.join(folder, 'report.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}
