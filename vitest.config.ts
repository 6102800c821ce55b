import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SUITE_LIMIT_MS } from './scripts/limits.mjs';

// Suites that start hundreds of processes from the sources: Node keeps what it made of them, so that a start takes half.
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) };

// One project per suite of scripts/test.mjs. Child processes share one machine, so suites that start them run one file
// at a time, unless they mostly wait, and wait longer.
const processes = { testTimeout: 300_000, hookTimeout: 300_000, fileParallelism: false, env };
// Searches take minutes by design, and what runs them ends one that hangs. The nightly ones take hours. No search has enough to
// do for two processors all the time.
const search = { testTimeout: SUITE_LIMIT_MS.perNight, hookTimeout: 600_000, env, maxWorkers: availableParallelism() };

export default defineConfig({
  test: {
    pool: 'forks',
    setupFiles: ['test/harness/property-seed.ts'],
    // A net, and no measure: what has to come in time says so itself.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      // Half of their time is waiting for real servers and programs, so more of them than there are processors.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          maxWorkers: availableParallelism() + 2,
        },
      },
      { extends: true, test: { name: 'arch', include: ['test/arch/**/*.test.ts'] } },
      { extends: true, test: { name: 'bridge', include: ['test/bridge/**/*.test.ts'], ...processes } },
      // Two thirds of their time is waiting for servers and for terms to run out.
      {
        extends: true,
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          ...processes,
          fileParallelism: true,
          maxWorkers: 3,
        },
      },
      // Half of their time is waiting for a term or a hold-off to be over.
      {
        extends: true,
        test: {
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          ...processes,
          fileParallelism: true,
          maxWorkers: 2,
          maxConcurrency: 6,
        },
      },
      { extends: true, test: { name: 'agents', include: ['test/agents/**/*.test.ts'], ...processes } },
      { extends: true, test: { name: 'model', include: ['test/model/**/*.test.ts'], ...search } },
      { extends: true, test: { name: 'property', include: ['test/property/**/*.test.ts'], ...search } },
      { extends: true, test: { name: 'sim', include: ['test/sim/**/*.test.ts'], ...search } },
      { extends: true, test: { name: 'images', include: ['test/crash-images/**/*.test.ts'], ...search } },
      // Clients, servers and cables are stopped for longer than they work.
      {
        extends: true,
        test: {
          name: 'lin',
          include: ['test/linearizability/**/*.test.ts'],
          ...search,
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'reports',
          include: ['test/field-reports/**/*.test.ts'],
          // Only nets: what has to come in time is measured by the clocks of the test.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          env,
          maxWorkers: 2,
          maxConcurrency: 12,
        },
      },
      { extends: true, test: { name: 'soak', include: ['test/soak/**/*.test.ts'], ...search } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,tsx}'],
      exclude: ['src/**/*.test.{ts,tsx}', 'src/**/*.d.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      // A decision that no test has taken is not finished.
      thresholds: { 'src/shared/core/**': { branches: 100 } },
    },
  },
});
