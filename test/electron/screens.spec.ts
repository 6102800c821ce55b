import { expect, test } from '@playwright/test';
import { CALL_CHANNEL, CHANGE_CHANNEL } from '../../src/shared/contract/channels.ts';
import { DIALOG_CASES } from '../harness/dialog-cases.ts';
import { launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';
import { baseAnswers, SCREEN_CASES } from '../harness/screen-cases.ts';
import { lookAtDialog, lookAtScreen } from '../harness/screen-walk.ts';
import type { Stage, Theme } from '../harness/screen-walk.ts';
import { answerFrom } from '../harness/window-answer.ts';

// The same screens and dialogs as in Chromium, in the real window: its preload, its door, its policy and its sandbox. Only
// the host behind the door is a fixture.

/** Puts the fixture in the host's place; the window keeps its own bridge, and the page learns nothing of it. */
async function replaceHost(launched: LaunchedApp): Promise<void> {
  await launched.app.evaluate(
    ({ ipcMain }, { channel, answerText }) => {
      const held = { answers: {} };
      // oxlint-disable-next-line typescript/no-implied-eval -- the text of the fixture's own function
      const answer = new Function(`return (${answerText})`)() as typeof answerFrom;
      Object.assign(globalThis, { fixture: held });
      ipcMain.removeHandler(channel);
      ipcMain.handle(channel, (_event, route: string, request: object) => answer(held.answers, route, request));
    },
    { channel: CALL_CHANNEL, answerText: answerFrom.toString() },
  );
}

function answerOnly(launched: LaunchedApp, answers: object): Promise<void> {
  return launched.app.evaluate(
    ({ webContents }, { channel, next }) => {
      (globalThis as unknown as { fixture: { answers: object } }).fixture.answers = next;
      const notice = { sequence: 1, previousSequence: 0, runIds: [], agentIds: [] };
      for (const contents of webContents.getAllWebContents()) contents.send(channel, notice);
    },
    { channel: CHANGE_CHANNEL, next: answers },
  );
}

async function openStage(launched: LaunchedApp, theme: Theme): Promise<Stage> {
  const { app, window: page } = launched;
  await app.evaluate(({ BrowserWindow, nativeTheme }, themeSource) => {
    nativeTheme.themeSource = themeSource;
    BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 820);
  }, theme);
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' });
  // In the window, and not in a browser.
  const answer = (answers: { readonly 'overview.get'?: object }) =>
    answerOnly(launched, { ...answers, 'overview.get': { ...answers['overview.get'], surface: 'window' } });
  await answer(baseAnswers(Date.now()));
  await page.reload();
  return { page, theme, folder: 'electron', answer };
}

for (const theme of ['light', 'dark'] as const) {
  test.describe(`the window in its ${theme} theme`, () => {
    const complaints: string[] = [];
    let launched: LaunchedApp;
    let stage: Stage;
    test.beforeAll(async () => {
      launched = await launchApp();
      launched.window.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      launched.window.on('pageerror', (error) => complaints.push(String(error)));
      await replaceHost(launched);
      stage = await openStage(launched, theme);
    });
    test.afterAll(() => launched.close());
    test.afterEach(() => expect(complaints.splice(0)).toEqual([]));

    for (const screen of SCREEN_CASES) {
      test(`a part of ${screen.name} is cut off, or cannot be read by everybody`, () => lookAtScreen(stage, screen));
    }
    for (const dialog of DIALOG_CASES) {
      test(`${dialog.name} loses the focus, or cannot be read by everybody`, () => lookAtDialog(stage, dialog));
    }
  });
}
