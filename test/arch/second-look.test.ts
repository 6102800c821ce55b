import { describe, expect, it } from 'vitest';
import { isWaitThatRanOut, playwrightFailures, vitestFailures } from '../../scripts/failures.mjs';

const ofVitest = (message: string) =>
  vitestFailures({
    testResults: [
      {
        name: '/x.test.ts',
        status: 'failed',
        assertionResults: [{ status: 'failed', fullName: 'a hazard', failureMessages: [message] }],
      },
    ],
  });
const ofPlaywright = (message: string) =>
  playwrightFailures({
    config: { rootDir: '/' },
    suites: [
      {
        suites: [
          {
            specs: [
              { ok: false, file: 'x.spec.ts', title: 'a hazard', tests: [{ results: [{ errors: [{ message }] }] }] },
            ],
          },
        ],
      },
    ],
  });

describe('a second look', () => {
  it.each([
    'AssertionError: expected 2 to be 1',
    'Error: Ended with 2 effects. Not within 20000 ms: nothing',
    'Error: 3 violations; Test timed out in 5ms',
  ])('is given to what was seen to be wrong: %s', (message) => {
    expect([...ofVitest(message), ...ofPlaywright(message)].map(isWaitThatRanOut)).toEqual([false, false]);
  });

  it.each([
    'Error: Not within 20000 ms: the run ends. []',
    'Error: Test timed out in 60000ms.\nIf this is a long-running test',
  ])('is not given to a wait that ran out: %s', (message) => {
    expect(ofVitest(message).map(isWaitThatRanOut)).toEqual([true]);
  });

  it.each([
    '\u001B[31mTest timeout of 60000ms exceeded.\u001B[39m',
    'TimeoutError: locator.click: Timeout 30000ms exceeded.',
    'Error: expect(locator).toBeVisible() failed\n\nLocator: x\nExpected: visible\nTimeout: 10000ms\nError: element(s) not found',
  ])('is not given to a window that was waited for: %s', (message) => {
    expect(ofPlaywright(message).map(isWaitThatRanOut)).toEqual([true]);
  });

  it('misses a file that could not even be loaded', () => {
    const failures = vitestFailures({
      testResults: [{ name: '/x.test.ts', status: 'failed', message: 'SyntaxError: x', assertionResults: [] }],
    });
    expect(failures).toHaveLength(1);
    expect(failures.map(isWaitThatRanOut)).toEqual([false]);
  });
});
