import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { createViewBench } from '../views/testing/view-bench.ts';
import type { ViewBench } from '../views/testing/view-bench.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';

const newFolder = useTemporaryFolders();
const CALLER = { surface: 'window', name: 'You' } as const;
let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function infoOf(profileFolder: string) {
  return { profileFolder, surface: 'window', version: '0.1.0', electronVersion: null, platform: 'linux' } as const;
}

describe('the record, for the settings', () => {
  it('loses how long it is kept, or takes a length that there is not', async () => {
    const handlers = createHandlers(bench.control, infoOf(newFolder()));
    const router = createRouter({ handlers }, { log: { write: () => undefined } });
    expect(await router.dispatch('record.get', {}, CALLER)).toMatchObject({ value: { retention: '90-days' } });
    expect(await router.dispatch('record.keep', { retention: '7-days' }, CALLER)).toMatchObject({ ok: false });
    expect(await router.dispatch('record.keep', { retention: 'for-ever' }, CALLER)).toMatchObject({ ok: true });
    expect(await router.dispatch('record.get', {}, CALLER)).toMatchObject({ value: { retention: 'for-ever' } });
  });

  it('counts nothing where there is something, or copies where there are none', async () => {
    const handlers = createHandlers(bench.control, infoOf(newFolder()));
    const answer = await handlers['record.get']({}, CALLER);
    expect(answer).toMatchObject({ value: { backups: { count: 0, bytes: 0, newestAtMs: null }, check: null } });
    const view = answer.ok ? answer.value : null;
    expect(view?.journalEntries).toBeGreaterThan(3);
    expect(view?.databaseBytes).toBeGreaterThan(4_096);
  });

  it('is said to be checked by a host that checks nothing', async () => {
    const handlers = createHandlers(bench.control, infoOf(newFolder()));
    expect(await handlers['record.check']({}, CALLER)).toMatchObject({ ok: false, error: { code: 'not-offered' } });
  });
});

describe('the text for whoever helps', () => {
  it('tells a name, an address, a path or a payload', async () => {
    const profileFolder = path.join(newFolder(), 'of-ana');
    bench.send();
    bench.doubt('token-1', 'timeout');
    const handlers = createHandlers(bench.control, infoOf(profileFolder));
    const answer = await handlers['diagnostics.get']({}, CALLER);
    const text = answer.ok ? answer.value.text : '';
    expect(text).toContain('version: 0.1.0');
    expect(text).toContain('runs: 1, open: 1');
    expect(text).toMatch(/right to act: kept by a file, ready/u);
    expect(text).not.toMatch(/Poster|poster|Laptop|api\.example|Reports|of-ana|POST|You/u);
  });

  it('leaves out what was logged last', async () => {
    const profileFolder = newFolder();
    const line = { at: new Date(1_000).toISOString(), event: 'tick-failed', message: 'a word of Ana' };
    writeFileSync(path.join(profileFolder, 'host.log'), `${JSON.stringify(line)}\n`);
    const answer = await createHandlers(bench.control, infoOf(profileFolder))['diagnostics.get']({}, CALLER);
    const text = answer.ok ? answer.value.text : '';
    expect(text).toContain('1970-01-01T00:00:01.000Z host.log event=tick-failed');
    expect(text).not.toContain('Ana');
  });

  it('opens another folder than that of the profile, or passes for open where there is no desktop', async () => {
    const alone = createHandlers(bench.control, infoOf('/profile'));
    expect(await alone['diagnostics.openFolder']({}, CALLER)).toMatchObject({ error: { code: 'not-offered' } });
    const opened: string[] = [];
    const desktop = {
      facts: () => ({
        hasTray: true,
        canNotify: true,
        canStartAtLogin: true,
        startsAtLogin: false,
        isNotifyBlocked: false,
        leaving: null,
      }),
      setStartsAtLogin: () => ok(null),
      openLink: () => Promise.resolve(ok(null)),
      openFolder: (folder: string) => {
        opened.push(folder);
        return Promise.resolve(opened.length === 1 ? ok(null) : err(problem('internal', 'No.')));
      },
    };
    const within = createHandlers(bench.control, { ...infoOf('/profile'), desktop });
    expect(await within['diagnostics.openFolder']({}, CALLER)).toMatchObject({ ok: true });
    expect(await within['diagnostics.openFolder']({}, CALLER)).toMatchObject({ ok: false });
    expect(opened).toEqual(['/profile', '/profile']);
  });
});
