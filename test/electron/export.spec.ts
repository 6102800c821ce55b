import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { verifyLedger } from '../../src/main/cli/verify-ledger.ts';
import { launchApp } from '../harness/electron-launch.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';

test('the record goes into the file that the person chose, signed, and the page names no path', async () => {
  test.setTimeout(90_000);
  const { app, window, home, close } = await launchApp();
  await skipOnboarding(window);
  const file = path.join(home, 'my record.jsonl');
  // The dialog of the system is nobody’s to press in a test: it answers as one in which a file was chosen.
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, file);
  await openPage(window, 'Activity');
  await window.getByRole('button', { name: 'Export…' }).click();
  await window.getByRole('dialog').getByRole('button', { name: 'Export…' }).click();
  await expect(window.getByText('The record is exported.')).toBeVisible();
  await expect(window.getByRole('dialog')).toContainText('my record.jsonl');
  const command = (await window.getByRole('dialog').locator('pre').textContent()) ?? '';
  const [, deviceId = '', publicKey = ''] = /--key (\S+)=(\S+)$/u.exec(command) ?? [];
  const report = await verifyLedger(file, new Map([[deviceId, publicKey]]));
  expect(report).toMatchObject({ isSound: true, fileSignature: 'pinned', findings: [] });

  await app.evaluate(({ dialog }) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: true, filePath: '' });
  });
  await window.getByRole('button', { name: 'Export something else' }).click();
  await window.getByRole('dialog').getByRole('button', { name: 'Export…' }).click();
  // Nothing was chosen, so nothing was begun: the same question again.
  await expect(window.getByRole('dialog').getByRole('button', { name: 'Export…' })).toBeEnabled();
  expect(existsSync(`${file}.part`)).toBe(false);
  await close();
});
