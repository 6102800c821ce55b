import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { DIALOG_CASES } from '../harness/dialog-cases.ts';
import { baseAnswers, SCREEN_CASES } from '../harness/screen-cases.ts';
import { lookAtDialog, lookAtScreen } from '../harness/screen-walk.ts';
import type { Stage } from '../harness/screen-walk.ts';
import { answerOnly, openWindow } from '../harness/window-page.ts';

for (const theme of ['light', 'dark'] as const) {
  test.describe(`the window in its ${theme} theme`, () => {
    let page: Page;
    let stage: Stage;
    let complaints: string[];
    test.beforeAll(async ({ browser }) => {
      page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      complaints = await openWindow(page, baseAnswers(Date.now()));
      stage = { page, theme, folder: 'chromium', answer: (answers) => answerOnly(page, answers) };
    });
    test.afterAll(() => page.close());
    test.afterEach(() => expect(complaints.splice(0)).toEqual([]));

    for (const screen of SCREEN_CASES) {
      test(`a part of ${screen.name} is cut off, or cannot be read by everybody`, () => lookAtScreen(stage, screen));
    }
    for (const dialog of DIALOG_CASES) {
      test(`${dialog.name} loses the focus, or cannot be read by everybody`, () => lookAtDialog(stage, dialog));
    }
  });
}
