import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { signsOfSelection } from '../harness/selection-signs.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 820 } });
// axe looks at each screen in both themes.
test.describe.configure({ timeout: 150_000 });

const PLACES = [
  '/needs',
  '/runs',
  '/runs/run-1490/timeline/110',
  '/runs/run-1490/steps',
  '/runs/run-1490/evidence',
  '/runs/run-1490/why',
  '/refusals',
  '/leases',
  '/agents',
  '/schedules',
  '/devices',
  '/activity',
  '/activity/40',
  '/search',
  '/settings',
];
let complaints: string[];

test.beforeEach(async ({ page }) => {
  complaints = await openWindow(page, windowAnswers(Date.now()));
});
test.afterEach(() => expect(complaints).toEqual([]));

/** Text with less than 7:1 in either theme, as axe finds it. */
async function faintText(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode(true)
      .withRules(['color-contrast-enhanced'])
      .analyze();
    const nodes = violations.flatMap((each) => each.nodes);
    found.push(...nodes.map((node) => `${colorScheme}: ${node.target.join(' ')} ${node.any[0]?.message ?? ''}`));
  }
  return found;
}

/** What axe finds. Both themes are one here: the system's. */
async function flaws(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** What an animation or a transition would move. */
function moving(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .flatMap((element) => ['', '::before', '::after'].map((part) => [element, part] as const))
      .filter(([element, part]) => {
        const { animationName, transitionDuration, transitionProperty } = getComputedStyle(element, part);
        const isStill = transitionDuration.split(',').every((each) => Number.parseFloat(each) === 0);
        return animationName !== 'none' || (!isStill && transitionProperty !== 'none');
      })
      .map(([element, part]) => `${element.tagName}.${element.getAttribute('class') ?? ''}${part}`),
  );
}

const isHigh = (page: Page) => page.evaluate(() => document.documentElement.dataset['contrast'] === 'high');

test.describe('where the system asks for more contrast and less motion', () => {
  for (const place of PLACES) {
    test(`${place} has no text that some cannot read, and moves nothing`, async ({ page }) => {
      await page.emulateMedia({ contrast: 'more', reducedMotion: 'reduce' });
      await goTo(page, place);
      await expect(page.getByRole('main')).not.toBeEmpty();
      await expect.poll(() => isHigh(page)).toBe(true);
      expect(await faintText(page)).toEqual([]);
      expect(await moving(page)).toEqual([]);
    });
  }
});

test.describe('where the system forces its colours', () => {
  for (const place of PLACES) {
    test(`${place} shows what is selected, and each state by its shape`, async ({ page }) => {
      await page.emulateMedia({ forcedColors: 'active' });
      await goTo(page, place);
      await expect(page.getByRole('main')).not.toBeEmpty();
      expect(await flaws(page)).toEqual([]);
      expect(await signsOfSelection(page)).toEqual({ unsigned: [], unseen: [] });
    });
  }

  test('a row that needs a person is moved out of line with the others', async ({ page }) => {
    const left = (row: string) => {
      const mark = page.locator(`.runs-body${row} .st`).first();
      return mark.evaluate((element) => Math.round(element.getBoundingClientRect().left));
    };
    await goTo(page, '/runs');
    const usual = await left('.you');
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await left('.you')).toBe(usual);
    expect(await left(':not(.you)')).toBe(usual);
  });

  test('the focus is seen, and told from what is selected', async ({ page }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await goTo(page, '/settings');
    await page.getByRole('radio', { name: 'Dark' }).focus();
    const focused = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
      return { outlineStyle, outlineWidth };
    });
    expect(focused).toEqual({ outlineStyle: 'solid', outlineWidth: '3px' });
    await goTo(page, '/runs');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await signsOfSelection(page)).toEqual({ unsigned: [], unseen: [] });
  });
});

test.describe('the setting', () => {
  test('asks for more contrast where the system does not, and takes it back', async ({ page }) => {
    await goTo(page, '/settings');
    const appearance = page.getByRole('region', { name: 'Appearance' });
    const contrast = appearance.getByRole('radiogroup', { name: 'Contrast' });
    await expect(contrast.getByRole('radio', { name: 'Like the system' })).toBeChecked();
    expect(await isHigh(page)).toBe(false);
    await contrast.getByRole('radio', { name: 'High' }).click();
    expect(await commandsOf(page)).toEqual([['settings.set', { contrast: 'high' }]]);
    const settings = windowAnswers(Date.now())['settings.get'];
    await answerWith(page, { 'settings.get': { ...settings, contrast: 'high' } });
    await expect.poll(() => isHigh(page)).toBe(true);
    expect(await faintText(page)).toEqual([]);
    await answerWith(page, { 'settings.get': settings });
    await expect.poll(() => isHigh(page)).toBe(false);
  });

  test('follows a system that changes its mind', async ({ page }) => {
    await goTo(page, '/runs');
    await page.emulateMedia({ contrast: 'more' });
    await expect.poll(() => isHigh(page)).toBe(true);
    await page.emulateMedia({ contrast: 'no-preference' });
    await expect.poll(() => isHigh(page)).toBe(false);
  });
});
