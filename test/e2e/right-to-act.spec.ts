import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { AgentLease } from '../../src/shared/contract/lease-views.ts';
import { coordinatorView, embeddedView, FAILED_CHECKS, moveView, PASSED_CHECKS } from '../harness/window-devices.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { ATTIC, leasesView } from '../harness/window-leases.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 820 } });

const told = { sentence: 'Done. Nothing was sent.' };
let complaints: string[];

async function openAt(page: Page, place: string, answers: object = {}): Promise<void> {
  complaints = await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, place);
}
test.afterEach(() => expect(complaints).toEqual([]));

/** Changes one of the fixture's rights. */
async function changeLease(page: Page, agentName: string, change: Partial<AgentLease>): Promise<void> {
  await answerWith(page, { 'leases.list': leasesView(Date.now(), { [agentName]: change }) });
}

test.describe('taking over', () => {
  test('names the number that was shown, warns of an unclear step, and Enter leaves it', async ({ page }) => {
    await openAt(page, '/leases', { 'leases.takeOver': told });
    await page.getByRole('button', { name: 'Show Price watch' }).click();
    const open = page.getByRole('button', { name: 'Take over…' });
    await open.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Take over Price watch?' });
    await expect(dialog).toContainText('Taking over cuts it off');
    await expect(dialog).toContainText('you may have to decide about an unclear step');
    await expect(dialog.getByRole('button', { name: 'Leave it with Work-PC' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(open).toBeFocused();
    expect(await commandsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Done. Nothing was sent.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Price watch' })).toBeFocused();
    expect(await commandsOf(page)).toEqual([['leases.takeOver', { agentId: 'price-watch', seenEpoch: 42 }]]);
  });

  test('a right that changed meanwhile is not taken on an old look', async ({ page }) => {
    const problem = { code: 'changed', message: 'The right to act changed.', wayOut: 'Look again.' };
    await openAt(page, '/leases', { 'leases.takeOver': { problem } });
    await page.getByRole('button', { name: 'Show Price watch' }).click();
    await page.getByRole('button', { name: 'Take over…' }).click();
    const dialog = page.getByRole('alertdialog');
    await changeLease(page, 'Price watch', { epoch: 43, holder: ATTIC, sentence: 'Attic has it since 07:41.' });
    await expect(dialog).toContainText('It has changed meanwhile. Nothing was done.');
    await expect(dialog).toContainText('Attic has it since 07:41.');
    await dialog.getByRole('button', { name: 'Take over', exact: true }).press('Enter');
    expect(await commandsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Look at it as it is now' }).click();
    await expect(dialog.getByRole('button', { name: 'Leave it with Attic' })).toBeFocused();
    await dialog.getByRole('button', { name: 'Take over', exact: true }).click();
    await expect(dialog).toContainText('It has changed meanwhile. Nothing was done.');
    expect(await commandsOf(page)).toEqual([['leases.takeOver', { agentId: 'price-watch', seenEpoch: 43 }]]);
  });

  test('is switched to never by itself, and the press is undone where the host refuses it', async ({ page }) => {
    await openAt(page, '/leases', { 'leases.setTakeover': told });
    await page.getByRole('button', { name: 'Show Price watch' }).click();
    const never = page.getByRole('switch', { name: 'Never take over automatically' });
    await expect(never).not.toBeChecked();
    await never.focus();
    await changeLease(page, 'Price watch', { takeover: 'by-person' });
    await expect(never).toBeChecked();
    await page.keyboard.press('Space');
    expect(await commandsOf(page)).toEqual([['leases.setTakeover', { agentId: 'price-watch', takeover: 'automatic' }]]);
    // What is shown is what the host says, not what was pressed.
    await expect(never).toBeChecked();
  });
});

test.describe('the list of rights', () => {
  test('tells every state in words, and who may act only where that is known', async ({ page }) => {
    await openAt(page, '/leases');
    for (const [agent, words] of [
      ['Note gardener', 'Unsure after sleep'],
      ['Newsletter', 'Waits for a person'],
      ['Shop window', 'The record went back'],
      ['Inbox helper', 'Kept elsewhere now'],
      ['Domain keeper', 'Free'],
    ] as const) {
      await expect(page.getByRole('row', { name: new RegExp(`^Show ${agent}|${agent}`, 'u') })).toContainText(words);
    }
    await expect(page.getByRole('row', { name: /Inbox helper/u })).toContainText('Not known here');
    await changeLease(page, 'Garden', { holdOffMs: 90_000 });
    await expect(page.getByRole('row', { name: /Garden/u })).toContainText(/Acts in 1:[23]\d/u);
  });

  test('tells that a person is needed by colour alone, or not at all', async ({ page }) => {
    await openAt(page, '/leases');
    const now = (agent: RegExp) => page.getByRole('row', { name: agent }).getByRole('cell').last();
    await expect(now(/Morning report/u)).toHaveText('1 unclear step waits for you');
    await expect(now(/Archivist/u)).toHaveText('Waits for your approval');
    // Two shapes, each with its words.
    const shapes = [/Morning report/u, /Archivist/u].map((agent) => now(agent).locator('svg').innerHTML());
    expect(new Set(await Promise.all(shapes)).size).toBe(2);
    await expect(now(/Night backup/u).locator('svg')).toHaveCount(0);
  });

  test('raising after a restore asks first', async ({ page }) => {
    await openAt(page, '/leases', { 'leases.bump': told });
    await page.getByRole('button', { name: 'Show Shop window' }).click();
    await page.getByRole('button', { name: 'After a restore: raise it…' }).click();
    await expect(page.getByRole('button', { name: 'Leave it as it is' })).toBeFocused();
    await page.getByRole('button', { name: 'Raise it', exact: true }).click();
    expect(await commandsOf(page)).toEqual([['leases.bump', { agentId: 'shop-window' }]]);
  });
});

test.describe('the rights of a device', () => {
  test('cannot be chosen by keys, or are lost on the way back', async ({ page }) => {
    await openAt(page, '/leases');
    const rows = page.locator('.le-table .tr:not(.head)');
    await page.getByRole('button', { name: 'Any device' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitemcheckbox').first()).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('menuitemcheckbox', { name: 'Work-PC' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Device Work-PC' })).toBeFocused();
    await expect(rows).toHaveCount(3);
    await expect(page.locator('header.top')).toContainText('3 of 15 agents');
    // How many each device may act for is told of all.
    await expect(page.getByRole('list', { name: /^How many agents/u })).toContainText('This Mac6');
    await recordScreen(page, 'leases-of-a-device');
    await page.keyboard.press('j');
    await expect(page.getByRole('heading', { name: 'Bill payer' })).toBeVisible();
    await page.getByRole('link', { name: 'Open the agent' }).click();
    await page.goBack();
    await expect(page.getByRole('button', { name: 'Device Work-PC' })).toBeVisible();
  });

  test('say of a device without one that no agent ever started, or leave no way to the rest', async ({ page }) => {
    await openAt(page, '/leases');
    const rows = page.locator('.le-table .tr:not(.head)');
    await page.getByRole('button', { name: 'Any device' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Work-PC' }).click();
    await expect(rows).toHaveCount(3);
    const mac = { holder: { kind: 'device', deviceId: 'device-1', name: 'This Mac' }, isHere: true } as const;
    const moved = Object.fromEntries(['Bill payer', 'Invoice chaser', 'Price watch'].map((name) => [name, mac]));
    await answerWith(page, { 'leases.list': leasesView(Date.now(), moved) });
    await expect(page.getByRole('heading', { name: 'No agent now' })).toBeVisible();
    await recordScreen(page, 'leases-none');
    await expect(page.getByRole('button', { name: 'Device Work-PC' })).toBeVisible();
    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    await expect(rows).toHaveCount(15);
    await expect(page.getByRole('heading', { name: 'Right to act', level: 1 })).toBeFocused();
  });
});

test.describe('where the right to act is kept', () => {
  const postgres = {
    kind: 'postgres',
    host: 'db.example',
    port: 5_432,
    database: 'fencepost',
    user: 'fencepost',
    tls: 'verify',
    authorityPem: '',
  };

  test('PostgreSQL: nothing is moved that did not pass, and the password stands nowhere', async ({ page }) => {
    await openAt(page, '/settings', {
      'coordinator.get': embeddedView(),
      'coordinator.test': { checks: FAILED_CHECKS, isUsable: false },
      'coordinator.move': told,
      'coordinator.cancelMove': told,
    });
    await page.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(dialog.getByRole('radio', { name: 'The hub I’m paired with' })).toBeDisabled();
    await dialog.getByRole('radio', { name: 'PostgreSQL' }).click();
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByLabel('Host').fill('db.example');
    await dialog.getByRole('button', { name: 'Test it' }).click();
    await expect(dialog.getByText('This is needed.')).toHaveCount(2);
    await dialog.getByLabel('Database').fill('fencepost');
    await dialog.getByLabel('User').fill('fencepost');
    await dialog.getByLabel('Password').fill('wrong-horse');
    await dialog.getByRole('button', { name: 'Test it' }).click();
    const failed = dialog.getByRole('listitem').filter({ hasText: 'turned away the password' });
    await expect(failed).toContainText('Doesn’t work');
    await expect(failed).toContainText('Enter it again');
    await dialog.getByRole('button', { name: 'Go on' }).press('Enter');
    await expect(dialog.getByText('Does it work?')).toBeVisible();

    await answerWith(page, { 'coordinator.test': { checks: PASSED_CHECKS, isUsable: true } });
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByLabel('Password').fill('right-horse');
    await dialog.getByRole('button', { name: 'Test it' }).click();
    await expect(dialog).toContainText('Works, with a warning');
    expect(await page.content()).not.toContain('right-horse');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await expect(dialog.getByRole('button', { name: 'Don’t move' })).toBeFocused();
    await expect(dialog).toContainText('Each agent is drained first.');
    await dialog.getByRole('button', { name: 'Move all agents there' }).click();
    const secrets = { password: 'right-horse', privateKeyPem: '' };
    expect(((await commandsOf(page)) as unknown[]).slice(-2)).toEqual([
      ['coordinator.test', { choice: postgres, secrets }],
      ['coordinator.move', { choice: postgres, secrets }],
    ]);

    await answerWith(page, { 'coordinator.get': embeddedView({ move: moveView() }) });
    await expect(dialog.getByRole('region', { name: /^Moving to PostgreSQL/u })).toContainText('2 of 5 moved');
    await expect(dialog.getByRole('listitem').filter({ hasText: 'Bill payer' })).toContainText('Another device has it');
    await page.keyboard.press('Escape');
    const section = page.getByRole('region', { name: 'Where the right to act is kept' });
    await expect(section.getByRole('button', { name: 'Change…' })).toHaveCount(0);
    await section.getByRole('button', { name: 'Leave off the move' }).click();
    expect(((await commandsOf(page)) as unknown[]).at(-1)).toEqual(['coordinator.cancelMove', {}]);
    await answerWith(page, { 'coordinator.get': embeddedView({ move: moveView('done') }) });
    await expect(section).toContainText('Moved to PostgreSQL (db.example)');
  });
});

test.describe('the hub, and a server that was restored', () => {
  test('this device becomes the hub only after a word about it, at the port that was typed', async ({ page }) => {
    await openAt(page, '/settings', { 'coordinator.get': embeddedView(), 'hub.start': told, 'hub.stop': told });
    const hub = page.getByRole('switch', { name: 'This device is the hub', includeHidden: true });
    await hub.click();
    await expect(page.getByRole('button', { name: 'Leave it off' })).toBeFocused();
    await expect(hub).not.toBeChecked();
    await expect(page.getByLabel('Port')).toHaveValue('7411');
    await page.getByLabel('Port').fill('x');
    await expect(page.getByRole('button', { name: 'Make it the hub' })).toBeDisabled();
    await page.getByLabel('Port').fill('7500');
    await page.getByRole('button', { name: 'Make it the hub' }).click();
    expect(await commandsOf(page)).toEqual([['hub.start', { port: 7_500 }]]);
    await answerWith(page, { 'coordinator.get': coordinatorView() });
    await expect(hub).toBeChecked();
    await expect(page.getByText('192.168.1.20:7411')).toBeVisible();
    await hub.click();
    await expect(page.getByRole('alertdialog')).toContainText('keeps its own right to act in this hub as well');
    await page.getByRole('button', { name: 'Stop being the hub' }).click();
    expect(((await commandsOf(page)) as unknown[]).at(-1)).toEqual(['hub.stop', {}]);
  });

  test('a server that came back older is believed only when a person says so', async ({ page }) => {
    const view = coordinatorView({
      state: 'went-back',
      sentence: 'It answers with an older record than this device has seen. Nothing is sent.',
      canConfirmRestore: true,
    });
    await openAt(page, '/settings', { 'coordinator.get': view, 'coordinator.confirmRestore': told });
    await page.getByRole('button', { name: 'It is the right one…' }).click();
    await expect(page.getByRole('button', { name: 'Leave it', exact: true })).toBeFocused();
    await page.getByRole('button', { name: 'The server was restored; it is the right one' }).click();
    expect(await commandsOf(page)).toEqual([['coordinator.confirmRestore', {}]]);
    await expect(page.getByText('Done. Nothing was sent.')).toBeVisible();
  });
});
