import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Route } from '../../shared/contract/api.ts';
import type { HostControl } from '../host/control.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import type { ChoosableSecrets } from '../secrets/create-secrets.ts';
import { createViewBench } from '../views/testing/view-bench.ts';
import type { ViewBench } from '../views/testing/view-bench.ts';
import { createEventLog } from './event-log.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';

const INFO = {
  profileFolder: '/profile',
  surface: 'window',
  version: '0',
  electronVersion: null,
  platform: 'linux',
} as const;
const VALUE = 'correct-horse-battery';

let folder: string;
let bench: ViewBench;
let secrets: ChoosableSecrets;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-secret-door-'));
  bench = createViewBench();
  secrets = createSecrets({
    file: path.join(folder, 'secrets.json'),
    keychain: null,
    withoutKeychain: 'session',
    fromEnvironment: new Map([['outside', 'from-outside']]),
  });
});
afterEach(() => {
  bench.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks through the router, as the doors do, with a log in a file. */
async function ask(route: Route, request: unknown, more: Partial<HostControl> = {}): Promise<string> {
  const handlers = createHandlers({ ...bench.control, secrets, ...more }, INFO);
  const router = createRouter({ handlers }, { log: createEventLog(path.join(folder, 'door.log')) });
  return JSON.stringify(await router.dispatch(route, request, { surface: 'browser', name: 'page-1' }));
}

function logged(): string {
  try {
    return readFileSync(path.join(folder, 'door.log'), 'utf8');
  } catch {
    return '';
  }
}

describe('a secret through a door', () => {
  it.each([
    [`${VALUE}\n`, VALUE],
    [`${VALUE}\r\n`, VALUE],
    [`${VALUE}\n\n`, `${VALUE}\n`],
    [` ${VALUE} `, ` ${VALUE} `],
    [`first\n${VALUE}`, `first\n${VALUE}`],
  ])('keeps the line break that was copied with it, or loses more than that: %j', async (given, kept) => {
    expect(await ask('secrets.set', { name: 'api-key', value: given })).toContain('"ok":true');
    expect(await secrets.read('api-key')).toBe(kept);
    expect(await ask('secrets.list', {})).toContain('"name":"api-key"');
    expect(await ask('secrets.remove', { name: 'api-key' })).toContain('"ok":true');
    expect(await ask('secrets.list', {})).not.toContain('api-key');
  });

  it('is answered or logged: kept, refused, too large, badly formed, or where the host breaks', async () => {
    const broken = {
      secrets: { ...secrets, write: (_: string, value: string) => Promise.reject(new TypeError(typeof value)) },
    };
    const answers = [
      await ask('secrets.set', { name: 'api-key', value: VALUE }),
      await ask('secrets.set', { name: 'Not A Name', value: VALUE }),
      await ask('secrets.set', { name: 'outside', value: VALUE }),
      await ask('secrets.set', { name: 'api-key', value: `${VALUE}\0` }),
      await ask('secrets.set', { name: 'api-key', value: VALUE.repeat(5_000) }),
      await ask('secrets.set', { name: 'api-key', value: [VALUE] }),
      await ask('secrets.set', { name: 'api-key', value: VALUE, more: VALUE }),
      await ask('secrets.set', VALUE),
      await ask('secrets.set', { name: 'api-key', value: VALUE }, broken),
      await ask('secrets.list', {}),
      await ask('settings.get', {}),
    ];
    expect(answers.filter((answer) => answer.includes(VALUE.slice(0, 8)))).toEqual([]);
    expect(answers.map((answer) => answer.includes('"ok":true'))).toEqual([
      true,
      ...Array.from({ length: 8 }, () => false),
      true,
      true,
    ]);
    expect(logged()).toContain('handler-threw');
    expect(logged()).not.toContain(VALUE.slice(0, 8));
  });

  it('of the environment seems to be changed', async () => {
    expect(await ask('secrets.set', { name: 'outside', value: VALUE })).toContain('FENCEPOST_SECRET_OUTSIDE');
    expect(await ask('secrets.remove', { name: 'outside' })).toContain('FENCEPOST_SECRET_OUTSIDE');
    expect(await secrets.read('outside')).toBe('from-outside');
  });

  it('stands on the disk before that was chosen', async () => {
    await ask('secrets.set', { name: 'api-key', value: VALUE });
    const file = path.join(folder, 'secrets.json');
    expect(() => readFileSync(file)).toThrow('ENOENT');
    expect(await ask('secrets.choose', { kind: 'plain-file' })).toContain('unencrypted');
    expect(readFileSync(file, 'utf8')).toContain('api-key');
    expect(await ask('secrets.choose', { kind: 'keychain' })).toContain('"ok":false');
  });

  it('makes the list a crash once the file is damaged, or the words quote the file', async () => {
    writeFileSync(path.join(folder, 'secrets.json'), `{"version":1,"secrets":{"${VALUE}`);
    const answer = await ask('secrets.list', {});
    expect(answer).toContain('store-unsure');
    expect(answer).not.toContain(VALUE);
    expect(logged()).toBe('');
  });
});
