import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { holdLine } from '../harness/held-line.ts';
import { HostProcess } from '../harness/host-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder, writeStrategy } from '../harness/strategies.ts';

test.use({ viewport: { width: 1280, height: 820 } });

const AGENT = 'sender';
const PATH = `/blind/${AGENT}`;
const OFFLINE = /^Not connected to Fencepost\. What you see may be old/u;
const SLOW = 'Fencepost has not answered for a while. What you see may be old.';

let receiver: Receiver;
let folder: string;
let host: HeadlessProcess;
/** Lets the receiver answer. */
let answer: () => void;

test.beforeEach(async () => {
  test.setTimeout(180_000);
  receiver = await Receiver.start();
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  receiver.answerAfter = () => answered;
  folder = temporaryFolder();
  const first = await HostProcess.start({ profileFolder: folder });
  const saved = JSON.stringify(
    await first.save(
      writeStrategy({ agentId: AGENT, kind: 'blind', origin: receiver.origin, path: PATH, timeoutMs: 60_000 }),
    ),
  );
  expect(saved).toContain('"ok":true');
  await first.drain();
  host = await HeadlessProcess.start(folder);
});
test.afterEach(async () => {
  answer();
  await host.kill('SIGKILL');
  await receiver.close();
});

/** Starts a run of the agent in the window; its request has arrived when this returns. */
async function startRun(page: Page): Promise<void> {
  const arrived = receiver.next((request) => request.path === PATH);
  await openPage(page, 'Agents');
  await page.getByRole('link', { name: 'Test blind' }).first().click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('button', { name: 'Run it now' }).click();
  await expect(page.getByRole('tab', { name: /Timeline/u })).toBeVisible();
  await arrived;
}

async function open(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await skipOnboarding(page);
}

test('a page that is read again in mid-run shows nothing of it, or starts it once more', async ({ page }) => {
  await open(page, host.link);
  await startRun(page);
  await expect(page.getByText(/^Running on/u)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/^Running on/u)).toBeVisible();
  await expect(page.getByRole('tab', { name: /Timeline/u })).toBeVisible();
  answer();
  await expect(page.getByText(/^Done, /u)).toBeVisible();
  expect(receiver.hits(PATH)).toBe(1);
});

test('a host that was killed under the window still looks as if it were there, and after its restart as if it had gone on', async ({
  page,
}) => {
  await open(page, host.link);
  await startRun(page);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const status = page.getByRole('contentinfo');
  await expect(status).toContainText('keeps the right to act');
  await host.kill('SIGKILL');
  await expect(page.getByText(OFFLINE)).toBeVisible();
  await expect(status).toContainText('Not connected');
  await expect(status).not.toContainText('right to act');
  await expect(page.getByText('Live', { exact: true })).toHaveCount(0);
  // What a person presses now is not done, and they are told so.
  await page.getByRole('button', { name: 'Stop…' }).click();
  await page.getByRole('button', { name: 'Stop this run' }).click();
  await expect(page.getByText('This page is not connected to Fencepost, so nothing was asked.')).toBeVisible();
  await page.keyboard.press('Escape');

  // On the same address, as somebody would who gave it a port: the page is signed out, and goes on saying so.
  host = await HeadlessProcess.start(folder, { FENCEPOST_PORT: new URL(host.origin).port });
  await expect
    .poll(() => readFileSync(path.join(folder, 'browser.log'), 'utf8'), { timeout: 40_000 })
    .toContain('"socket-refused","status":401');
  await expect(page.getByText(OFFLINE)).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toHaveCount(0);
  await page.goto(host.link);
  await openPage(page, 'Needs you');
  await expect(page.getByRole('link', { name: /Test blind/u }).first()).toBeVisible();
  expect(receiver.hits(PATH)).toBe(1);
});

test('a slow host lets the window show as current what is not, or an older answer replaces a newer one', async ({
  page,
}) => {
  const line = await holdLine(page);
  await open(page, host.link);
  await startRun(page);
  await expect(page.getByText(/^Running on/u)).toBeVisible();
  const live = page.getByText('Live', { exact: true });
  await expect(live).toBeVisible();
  line.hold();
  answer();
  // The host has told that something happened; what it was is not answered.
  await expect.poll(() => line.waiting).toBeGreaterThan(0);
  await expect(page.getByText(SLOW)).toBeVisible();
  await expect(live).toHaveCount(0);
  // They come in the wrong order, and the newest state stands.
  line.release();
  await expect(page.getByText(/^Done, /u)).toBeVisible();
  await expect(page.getByText(SLOW)).toHaveCount(0);
  await openPage(page, 'Runs');
  await expect(page.getByRole('row', { name: /Done.*Test blind/u })).toBeVisible();
  expect(receiver.hits(PATH)).toBe(1);
});
