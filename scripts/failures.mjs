// What failed, from the reports of Vitest and Playwright: said again at the very end, where a long log is read first.
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './platform.mjs';

const LINES_OF_A_MESSAGE = 6;

/** The failures in a Vitest report, each with its file, its full name and the first lines of what it said. */
export function vitestFailures(report) {
  return (report.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed');
    const file = path.relative(root, name);
    // A file that cannot even be loaded has no test that could fail.
    if (failed.length === 0) return status === 'failed' ? [told(file, 'the file itself', message)] : [];
    return failed.map(({ fullName, failureMessages }) => told(file, fullName, failureMessages.join('\n')));
  });
}

/** The failures in a Playwright report. */
export function playwrightFailures(report) {
  const { rootDir = root } = report.config ?? {};
  const within = (suite) => [...(suite.suites ?? []).flatMap(within), ...(suite.specs ?? [])];
  return (report.suites ?? [])
    .flatMap(within)
    .filter((spec) => !spec.ok)
    .map((spec) => {
      const errors = spec.tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []));
      return told(
        path.relative(root, path.resolve(rootDir, spec.file)),
        spec.title,
        errors.map((error) => error.message).join('\n'),
      );
    });
}

function told(file, name, message = '') {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return { file, name, lines };
}

/** One failure as text: what it was, and the first lines of what it said. */
export function sayFailure({ file, name, lines }) {
  return [`${file} › ${name}`, ...lines.slice(0, LINES_OF_A_MESSAGE).map((line) => `    ${line}`)].join('\n');
}

const RAN_OUT =
  /^(?:\w*Error: )?(?:Not within \d+ ms|(?:Test|Hook) timed out in \d+ms|Test timeout of \d+ms exceeded|The headless host printed no link in time|.*Timeout \d+ms exceeded)/u;
const RAN_OUT_OF_AN_EXPECTATION = /^Timeout: +\d+ms$/u;

/**
 * Whether only a wait ran out. On a machine that does other things as well that is no verdict: nobody knows whether it would
 * have come. What was seen to be wrong, such as an effect that came twice, never counts as this.
 */
export function isWaitThatRanOut({ lines }) {
  return RAN_OUT.test(lines[0] ?? '') || lines.some((line) => RAN_OUT_OF_AN_EXPECTATION.test(line.trim()));
}
