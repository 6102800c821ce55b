import { defineConfig } from 'vitest/config';

// One project per suite of scripts/test.mjs. Child processes share one machine, so suites that start them run one file
// at a time and wait longer.
const processes = { testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false };

export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.{ts,tsx}'] } },
      { extends: true, test: { name: 'arch', include: ['test/arch/**/*.test.ts'] } },
      { extends: true, test: { name: 'bridge', include: ['test/bridge/**/*.test.ts'], ...processes } },
      { extends: true, test: { name: 'contract', include: ['test/contract/**/*.test.ts'], ...processes } },
      { extends: true, test: { name: 'crash', include: ['test/crash/**/*.test.ts'], ...processes } },
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
