import { rmSync } from 'node:fs';
import { test } from '@playwright/test';
import { createHome, launchApp } from '../harness/electron-launch.ts';
import { decideAll, skipOnboarding, startAll } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';

test('the app killed in the middle of four effects asks about each, and every answer does what it said', async () => {
  test.setTimeout(240_000);
  const receiver = await Receiver.start();
  const home = createHome();
  const first = await launchApp({ home });
  await skipOnboarding(first.window);
  await startAll(first.window, receiver);
  first.app.process().kill('SIGKILL');
  await first.close();

  const second = await launchApp({ home });
  await decideAll(second.window, receiver);
  await second.close();
  await receiver.close();
  rmSync(home, { recursive: true, force: true });
});
