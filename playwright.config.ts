import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { findCommand } from './scripts/platform.mjs';

// The system's Chromium where there is one; Playwright's own otherwise.
const browser =
  process.env.FENCEPOST_CHROMIUM ??
  findCommand('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');

export default defineConfig({
  outputDir: 'test-results',
  timeout: 60_000,
  globalTimeout: 35 * 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env.CI !== undefined,
  retries: 0,
  workers: availableParallelism(),
  use: { trace: 'retain-on-failure' },
  projects: [
    {
      name: 'e2e',
      testDir: 'test/e2e',
      use: {
        browserName: 'chromium',
        // Chromium's sandbox refuses root; the pages tested here are our own.
        launchOptions: { ...(browser ? { executablePath: browser } : {}), chromiumSandbox: process.getuid?.() !== 0 },
      },
    },
    // Windows on one screen: what one is given, another loses.
    { name: 'electron', testDir: 'test/electron', workers: 1 },
  ],
});
