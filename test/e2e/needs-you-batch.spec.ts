import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { HostProcess } from '../harness/host-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { temporaryFolder } from '../harness/strategies.ts';

// One person answers one queue: each step goes on from what the one before left.
test.describe.configure({ mode: 'serial' });

/** Asks before it posts what a run was started with. */
const AGENT = (host: string): string => `fencepost: 1
id: letter-writer
name: Letter writer
input: { to: { title: To, default: nobody } }
scope: { hosts: ['${host}'] }
start: ask
states:
  ask: { type: approve, question: 'Send the letter to {{ input.to }}?', of: send, onSuccess: send }
  send:
    type: tool
    title: Send a letter
    call: { tool: http.request, method: POST, url: 'http://${host}/letters', body: 'Dear {{ input.to }}' }
    effect: { kind: blind }
    onSuccess: finish
  finish: { type: done }
`;
/** One of them turns round the words after it: nobody sees that in a list. */
const NAMES = ['Ana', 'Li', 'Sam', 'Noor', 'Kim \u202Eeverybody'];

let receiver: Receiver;
let host: HeadlessProcess;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  receiver = await Receiver.start();
  receiver.behaviour = () => 'answer';
  const profileFolder = temporaryFolder();
  const seeding = await HostProcess.start({ profileFolder });
  const file = join(temporaryFolder(), 'letter-writer.yaml');
  writeFileSync(file, AGENT(`127.0.0.1:${receiver.port}`));
  await seeding.save(file);
  for (const to of NAMES)
    await seeding.control('startRun', { agentId: 'letter-writer', requestId: `to ${to}`, input: { to }, by: 'Test' });
  await seeding.until<object>(`SELECT 1 FROM approvals WHERE state = 'open'`, (rows) => rows.length === NAMES.length);
  await seeding.drain();
  host = await HeadlessProcess.start(profileFolder);
  page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
  await page.goto(host.link);
  await skipOnboarding(page);
  await openPage(page, 'Needs you');
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await receiver.close();
});

const dialog = () => page.getByRole('dialog');

test('what would be done is shown of each, what cannot be seen is left out, and closing decides nothing', async () => {
  const offer = page.getByRole('button', { name: 'Answer 5 of Letter writer together…' });
  await offer.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Decide later' })).toBeFocused();
  await expect(dialog().getByRole('listitem').filter({ hasText: 'Dear' })).toHaveCount(4);
  for (const name of ['Ana', 'Li', 'Sam', 'Noor']) await expect(dialog()).toContainText(`Dear ${name}`);
  await expect(dialog()).not.toContainText('Kim');
  await expect(dialog()).toContainText('1 is answered by itself');
  await recordScreen(page, 'needs-you-batch');
  await page.keyboard.press('Escape');
  await expect(dialog()).toHaveCount(0);
  await expect(offer).toBeFocused();
  expect(receiver.hits('/letters')).toBe(0);
});

test('each is answered by itself, and what came of it is told although nothing waits any more', async () => {
  await page.getByRole('link', { name: /Kim/u }).click();
  await page.getByRole('button', { name: 'Don’t allow', exact: true }).click();
  await page.getByRole('button', { name: 'Answer 4 of Letter writer together…' }).click();
  await expect(page.getByRole('button', { name: 'Allow these 4, once each' })).toBeVisible();
  await page.getByRole('button', { name: 'Allow these 4, once each' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog()).toContainText('4 allowed once.');
  await recordScreen(page, 'needs-you-batch-over');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect.poll(() => receiver.hits('/letters'), { timeout: 30_000 }).toBe(4);
  await expect(page.getByRole('button', { name: /together…/u })).toHaveCount(0);
});
