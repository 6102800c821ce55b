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
  const within = (suite) => [...(suite.suites ?? []).flatMap(within), ...(suite.specs ?? [])];
  return (report.suites ?? [])
    .flatMap(within)
    .filter((spec) => !spec.ok)
    .map((spec) => {
      const errors = spec.tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []));
      return told(spec.file, spec.title, errors.map((error) => error.message).join('\n'));
    });
}

function told(file, name, message = '') {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [`${file} › ${name}`, ...lines.slice(0, LINES_OF_A_MESSAGE).map((line) => `    ${line}`)].join('\n');
}
