import { test } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { decideAll, skipOnboarding, startAll } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';

// aaif-goose/goose#7972
test('a host killed in the middle of four effects asks about each, and every answer does what it said', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const receiver = await Receiver.start();
  const profile = temporaryFolder();
  const first = await HeadlessProcess.start(profile);
  await page.goto(first.link);
  await skipOnboarding(page);
  await startAll(page, receiver);
  await first.kill('SIGKILL');

  const second = await HeadlessProcess.start(profile);
  await page.goto(second.link);
  await decideAll(page, receiver);
  await second.kill('SIGTERM');
  await receiver.close();
});
