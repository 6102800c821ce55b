import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { SECURITY_HEADERS } from '../../src/main/bridge/static-files.ts';

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
  await page.addInitScript(installBridge, answers);
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
function installBridge(answers: object): void {
  interface Row {
    readonly runId: string;
    readonly status: string;
    readonly title: string;
    readonly deviceName: string;
    readonly startedAtMs: number;
  }
  const all = answers as Record<string, { rows: Row[]; devices: { deviceId: string; name: string }[] }>;
  const listeners = new Set<(notice: object) => void>();
  const commands: [string, object][] = [];
  const listRuns = (request: {
    statuses?: string[];
    search?: string;
    runIds?: string[];
    deviceId?: string;
    sinceMs?: number;
    beforeMs?: number;
    offset?: number;
    limit?: number;
  }) => {
    const list = all['runs.list'];
    if (list === undefined) return null;
    const {
      statuses = [],
      search = '',
      runIds,
      deviceId,
      sinceMs = 0,
      beforeMs = Infinity,
      offset = 0,
      limit = 200,
    } = request;
    const device = list.devices.find((each) => each.deviceId === deviceId)?.name;
    const fits = (row: Row) =>
      (deviceId === undefined || row.deviceName === device) &&
      row.startedAtMs >= sinceMs &&
      row.startedAtMs < beforeMs &&
      (runIds === undefined || runIds.includes(row.runId)) &&
      (statuses.length === 0 || statuses.includes(row.status)) &&
      row.title.toLowerCase().includes(search.toLowerCase());
    const rows = list.rows.filter(fits);
    return { ...list, shown: rows.length, rows: rows.slice(offset, offset + limit) };
  };
  const bridge = {
    call: (route: string, request: object) => {
      const value = route === 'runs.list' ? listRuns(request) : all[route];
      if (!/\.(?:get|list)$/u.test(route)) commands.push([route, request]);
      // Views that tell of a problem themselves have a sequence as well.
      if (value !== undefined && value !== null && 'problem' in value && !('sequence' in value))
        return Promise.resolve({ ok: false, error: value.problem });
      return Promise.resolve(
        value === undefined
          ? { ok: false, error: { code: 'not-found', message: 'The fixture has no answer.', wayOut: '' } }
          : { ok: true, value },
      );
    },
    onChange: (listener: (notice: object) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const notify = (notice: object) => {
    for (const listener of listeners) listener(notice);
  };
  Object.assign(window, { fencepost: bridge, fixture: { answers: all, notify, commands } });
}
