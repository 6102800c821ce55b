import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DesktopFacts } from '../../shared/contract/desktop-views.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { createViewBench } from '../views/testing/view-bench.ts';
import type { ViewBench } from '../views/testing/view-bench.ts';
import { createHandlers } from './handlers.ts';

const INFO = { profileFolder: '/profile', surface: 'window', version: '0.1.0', electronVersion: null } as const;
const FACTS: DesktopFacts = {
  hasTray: true,
  canNotify: true,
  isNotifyBlocked: false,
  canStartAtLogin: true,
  startsAtLogin: false,
  leaving: null,
};
const CALLER = { surface: 'window', name: 'You' } as const;
const openFolder = () => Promise.resolve(ok(null));
let bench: ViewBench;
beforeEach(() => (bench = createViewBench()));
afterEach(() => bench.remove());

describe('how the desktop app behaves', () => {
  it('is polite before anybody chose: it asks, it tells, and it lets the system sleep', async () => {
    const handlers = createHandlers(bench.control, { ...INFO, platform: 'linux' });
    expect(await handlers['desktop.get']({}, CALLER)).toMatchObject({
      value: { onClose: 'ask', notifies: true, keepsAwake: false, desktop: null },
    });
  });

  it('forgets what was chosen, or changes what was not', async () => {
    const handlers = createHandlers(bench.control, { ...INFO, platform: 'linux' });
    await handlers['desktop.set']({ onClose: 'background' }, CALLER);
    await handlers['desktop.set']({ notifies: false, keepsAwake: true }, CALLER);
    expect(await handlers['desktop.get']({}, CALLER)).toMatchObject({
      value: { onClose: 'background', notifies: false, keepsAwake: true },
    });
  });

  it('says that it starts at sign-in although the system, or a host without a desktop, did not take it', async () => {
    const without = createHandlers(bench.control, { ...INFO, platform: 'linux' });
    const answer = await without['desktop.set']({ startsAtLogin: true, onClose: 'quit' }, CALLER);
    expect(answer).toMatchObject({ ok: false, error: { code: 'not-offered' } });
    const setStartsAtLogin = () => err(problem('internal', 'No.'));
    const refused = { facts: () => FACTS, openFolder, openLink: openFolder, setStartsAtLogin };
    const within = createHandlers(bench.control, { ...INFO, platform: 'linux', desktop: refused });
    expect((await within['desktop.set']({ startsAtLogin: true }, CALLER)).ok).toBe(false);
    // Nothing else of a request that was refused is kept.
    expect(await within['desktop.get']({}, CALLER)).toMatchObject({ value: { onClose: 'ask', desktop: FACTS } });
  });

  it('asks the system for what only the system keeps', async () => {
    const asked: boolean[] = [];
    const setStartsAtLogin = (isWanted: boolean) => (asked.push(isWanted), ok(null));
    const facts = () => ({ ...FACTS, startsAtLogin: asked.at(-1) ?? false });
    const desktop = { facts, openFolder, openLink: openFolder, setStartsAtLogin };
    const handlers = createHandlers(bench.control, { ...INFO, platform: 'linux', desktop });
    expect(await handlers['desktop.set']({ startsAtLogin: true }, CALLER)).toMatchObject({
      value: { desktop: { startsAtLogin: true } },
    });
    expect(asked).toEqual([true]);
  });
});
