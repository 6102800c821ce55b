import { expect, test } from '@playwright/test';
import { expectAccessible } from '../harness/journey.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 820 } });

const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);

test('what a step tells while it runs stands under the timeline, at its end, announced to nobody, and is gone afterwards', async ({
  page,
}) => {
  const answers = windowAnswers(Date.now());
  const run = answers['runs.get'];
  if (run === undefined) throw new Error('The fixture has a run.');
  const live = [{ attemptToken: 'token-1', title: 'Ask the model <b>small</b>', text: LINES.slice(0, 40).join('\n') }];
  const complaints = await openWindow(page, { ...answers, 'runs.get': { ...run, live } });
  await goTo(page, `/runs/${encodeURIComponent(run.row.runId)}`);
  const block = page.getByRole('region', { name: 'On its way now' });
  await expect(block).toContainText('Nothing of this is recorded yet.');
  await expect(block).toContainText('Ask the model <b>small</b>');
  await expect(block).toHaveAttribute('aria-live', 'off');
  await expect(block.getByText(/line 40$/u)).toBeVisible();
  await expectAccessible(page, 'live text');

  // More of it, as the host tells it: without a commit.
  const tell = async (text: string | null): Promise<void> =>
    await page.evaluate((said) => {
      type Fixture = {
        answers: { 'runs.get': { row: { runId: string }; live: object[] } };
        notify: (notice: object) => void;
      };
      const { fixture } = window as unknown as { fixture: Fixture };
      const view = fixture.answers['runs.get'];
      fixture.answers['runs.get'] = { ...view, live: said === null ? [] : [{ ...view.live[0], text: said }] };
      fixture.notify({ sequence: 1, previousSequence: 1, runIds: [view.row.runId], agentIds: [] });
    }, text);
  await tell(LINES.join('\n'));
  await expect(block.getByText(/line 60$/u)).toBeVisible();
  const scroller = page.getByRole('region', { name: /tells so far/u });
  const toEnd = await scroller.evaluate((element) => Math.abs(element.scrollTop));
  expect(toEnd).toBeLessThan(2);
  await scroller.focus();
  await expect(scroller).toBeFocused();
  await tell(null);
  await expect(block).toHaveCount(0);
  expect(complaints).toEqual([]);
});
