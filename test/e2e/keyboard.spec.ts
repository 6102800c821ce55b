import { rmSync } from 'node:fs';
import { test } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { HubProcess } from '../harness/hub-in-terminal.ts';
import {
  decideByKeyboard,
  pairByKeyboard,
  permitByKeyboard,
  skipByKeyboard,
  stopByKeyboard,
} from '../harness/keyboard-journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { seedProfile } from '../harness/seeded-profile.ts';
import { temporaryFolder } from '../harness/strategies.ts';

test('by keyboard alone: permit an agent, run it, stop a run, decide an unclear payment, and pair', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const receiver = await Receiver.start();
  const folder = temporaryFolder();
  const hub = await HubProcess.start(folder);
  const host = await HeadlessProcess.start(await seedProfile(receiver));
  receiver.behaviour = () => 'answer';
  await page.goto(host.link);
  await skipByKeyboard(page);
  await permitByKeyboard(page);
  await stopByKeyboard(page);
  await decideByKeyboard(page, receiver);
  await pairByKeyboard(page, hub);
  await host.kill('SIGTERM');
  await hub.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});
