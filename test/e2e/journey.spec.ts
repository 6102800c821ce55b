import { expect, test } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { JOURNEY_AGENTS, decide, openPage, openUnclear, pathOf, skipOnboarding, startAll } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';

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
  await openPage(page, 'Needs you');
  await expect(page.getByRole('link', { name: /Journey/u })).toHaveCount(JOURNEY_AGENTS.length, { timeout: 30_000 });
  for (const agent of JOURNEY_AGENTS) expect(receiver.hits(pathOf(agent))).toBe(1);

  const expected = {
    'it-happened': [1, 'Done'],
    'send-again': [2, 'Done'],
    'stop-here': [1, 'Stopped'],
    'undo-then-send': [2, 'Done'],
  } as const;
  for (const agent of JOURNEY_AGENTS) {
    const [hits, state] = expected[agent.choice];
    await openUnclear(page, agent);
    await decide(page, agent.choice);
    await expect.poll(() => receiver.hits(pathOf(agent)), { timeout: 20_000 }).toBe(hits);
    await openPage(page, 'Runs');
    await expect(page.getByRole('row', { name: new RegExp(`${state}.*Journey ${agent.agentId}`, 'u') })).toBeVisible({
      timeout: 20_000,
    });
  }
  expect(receiver.hits('/compensable/undo-first-undo')).toBe(1);
  await second.kill('SIGTERM');
  await receiver.close();
});
