import { rmSync } from 'node:fs';
import { test } from '@playwright/test';
import { giveToUser, launchApp } from '../harness/electron-launch.ts';
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

test('by keyboard alone: permit an agent, run it, stop a run, decide an unclear payment, and pair', async () => {
  test.setTimeout(240_000);
  const receiver = await Receiver.start();
  const folder = temporaryFolder();
  const hub = await HubProcess.start(folder);
  const profile = await seedProfile(receiver);
  giveToUser(profile);
  receiver.behaviour = () => 'answer';
  const launched = await launchApp({ env: { FENCEPOST_PROFILE: profile } });
  const { window: page } = launched;
  await skipByKeyboard(page);
  await permitByKeyboard(page);
  await stopByKeyboard(page);
  await decideByKeyboard(page, receiver);
  await pairByKeyboard(page, hub);
  await launched.close();
  await hub.stop();
  await receiver.close();
  for (const each of [profile, folder]) rmSync(each, { recursive: true, force: true });
});
