import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { DialogCase } from './dialog-case.ts';
import { baseAnswers } from './screen-cases.ts';
import type { AnswersAt, ScreenCase } from './screen-cases.ts';

/** How every screen and every dialog is looked at, the same in Electron and in a browser. */

export type Theme = 'light' | 'dark';

/** A window without a host, whose answers a test decides. */
export interface Stage {
  readonly page: Page;
  readonly theme: Theme;
  /** Where the pictures go, below the results of the tests. */
  readonly folder: string;
  /** Makes these the only answers, and tells the window so. */
  readonly answer: (answers: object) => Promise<void>;
}

/** All that axe looks for, and whether what is read out begins with what is seen. Only what is wrong is told. */
const AXE = {
  resultTypes: ['violations' as const],
  rules: { 'label-content-name-mismatch': { enabled: true } },
};

/** Leads nowhere, so that nothing of the screen before is left. */
const BETWEEN = '/between';

async function goTo({ page }: Stage, place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), `#${place}`);
}

async function show(stage: Stage, place: string, answers: AnswersAt = () => ({})): Promise<void> {
  const nowMs = Date.now();
  await goTo(stage, BETWEEN);
  await stage.answer({ ...baseAnswers(nowMs), ...answers(nowMs) });
  await goTo(stage, place);
}

/** What axe finds, and whether something lies beyond the right edge. */
async function flaws({ page }: Stage): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).options(AXE).analyze();
  const beyond = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.dialog, .dialog-body')]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `wider than its place: ${element.className}`),
  );
  return [
    ...violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(', ')}`),
    ...beyond,
  ];
}

async function keepPicture({ page, folder, theme }: Stage, name: string): Promise<void> {
  await page.screenshot({ path: path.join('test-results', 'screenshots', folder, `${name}-${theme}.png`) });
}

/** Whether the page is drawn in the theme that is looked at. */
async function expectTheme({ page, theme }: Stage): Promise<void> {
  expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(theme === 'dark');
}

/** One screen: its heading and its title, nothing that axe finds, nothing cut off. */
export async function lookAtScreen(stage: Stage, screen: ScreenCase): Promise<void> {
  const { page } = stage;
  await show(stage, screen.at, screen.answers);
  await screen.before?.(page);
  await expect(screen.shows(page)).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(screen.heading);
  await expect(page).toHaveTitle(/^(?:\(\d+\) )?Fencepost$/u);
  await expectTheme(stage);
  await keepPicture(stage, screen.name);
  expect(await flaws(stage), `${screen.name}, ${stage.theme}`).toEqual([]);
}

/** One dialog: it takes the focus, has a name, and gives the focus back when Escape closes it. */
export async function lookAtDialog(stage: Stage, dialog: DialogCase): Promise<void> {
  const { page } = stage;
  await show(stage, dialog.at, dialog.answers);
  await dialog.before?.(page);
  const opener = dialog.opener(page);
  await expect(opener).toBeVisible();
  if (dialog.open === undefined) await opener.click();
  else await dialog.open(page, opener);
  const popup = page.locator('.dialog');
  await expect(popup).toHaveAccessibleName(dialog.title);
  await dialog.inside?.(popup);
  await expect(popup.locator(':focus')).toHaveCount(1);
  await keepPicture(stage, dialog.name);
  expect(await flaws(stage), `${dialog.name}, ${stage.theme}`).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(popup).toHaveCount(0);
  await expect(opener, `${dialog.name} gives the focus back`).toBeFocused();
}
