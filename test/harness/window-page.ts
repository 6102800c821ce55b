import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { SECURITY_HEADERS } from '../../src/main/bridge/static-files.ts';
import { answerFrom } from './window-answer.ts';

const ORIGIN = 'http://fencepost.localhost';
const built = path.join(import.meta.dirname, '..', '..', 'out', 'renderer');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

/** Serves the built window with the real policy and a bridge that answers from a fixture; returns what was complained. */
export async function openWindow(page: Page, answers: object): Promise<string[]> {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.route(`${ORIGIN}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname;
    const file = path.join(built, name === '/' ? 'index.html' : name);
    await route.fulfill({
      body: await readFile(file),
      contentType: types[path.extname(file)] ?? 'text/plain',
      headers: { ...SECURITY_HEADERS },
    });
  });
  const content = `(${installBridge.toString()})(${JSON.stringify(answers)}, ${answerFrom.toString()})`;
  await page.addInitScript({ content });
  await page.goto(ORIGIN);
  return complaints;
}

/** Goes to a screen as a link would. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.goto(`${ORIGIN}/#${place}`);
}

/** Changes the list of runs and tells the window, as the host does after a commit. */
export async function addRuns(page: Page, titles: readonly string[]): Promise<void> {
  await page.evaluate((names) => {
    const { answers, notify } = (
      window as unknown as {
        fixture: {
          answers: Record<string, Record<string, unknown> & { rows: object[] }>;
          notify: (notice: object) => void;
        };
      }
    ).fixture;
    const list = answers['runs.list'];
    if (list === undefined) return;
    const rows = [...names.map((title) => ({ ...list.rows[0], runId: `new ${title}`, title })), ...list.rows];
    answers['runs.list'] = { ...list, sequence: 2, total: rows.length, shown: rows.length, rows };
    notify({ sequence: 2, previousSequence: 1, runIds: [], agentIds: [] });
  }, titles);
}

/** What the page asked the host to do, in order; looking is not told. */
export function commandsOf(page: Page): Promise<unknown> {
  return page.evaluate(() => (window as unknown as { fixture: { commands: unknown } }).fixture.commands);
}

/** Makes these the host's only answers, and tells the window so. */
export async function answerOnly(page: Page, answers: object): Promise<void> {
  await page.evaluate(() => {
    const { answers: held } = (window as unknown as { fixture: { answers: Record<string, unknown> } }).fixture;
    for (const route of Object.keys(held)) delete held[route];
  });
  await answerWith(page, answers);
}

/** Changes what the host answers from now on, and tells the window so. A value `{ problem }` is an expected failure. */
export async function answerWith(page: Page, changes: object): Promise<void> {
  await page.evaluate((next) => {
    const { answers, notify } = (
      window as unknown as { fixture: { answers: object; notify: (notice: object) => void } }
    ).fixture;
    Object.assign(answers, next);
    notify({ sequence: 1, previousSequence: 0, runIds: [], agentIds: [] });
  }, changes);
}

/** Runs in the page: the preload's two functions over plain data. */
function installBridge(answers: Record<string, unknown>, answer: typeof answerFrom): void {
  const listeners = new Set<(notice: object) => void>();
  const commands: [string, object][] = [];
  const bridge = {
    call: (route: string, request: object) => {
      if (!/\.(?:get|list)$/u.test(route)) commands.push([route, request]);
      return Promise.resolve(answer(answers, route, request));
    },
    onChange: (listener: (notice: object) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const notify = (notice: object) => {
    for (const listener of listeners) listener(notice);
  };
  Object.assign(window, { fencepost: bridge, fixture: { answers, notify, commands } });
}
