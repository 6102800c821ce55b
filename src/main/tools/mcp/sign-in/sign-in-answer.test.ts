import http from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { useSignInBench } from '../../testing/sign-in-bench.ts';
import { followPage } from '../../testing/sign-in-server.ts';

vi.setConfig({ testTimeout: 60_000 });
const at = useSignInBench();

/** A request of the listener's own making, with headers that `fetch` does not let through. */
async function ask(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<number> {
  const { hostname, port, pathname, search } = new URL(url);
  return await new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path: `${pathname}${search}`, method, headers });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('the answer of the browser is taken', () => {
  const answerOf = async () => {
    const page = new URL(await at().begin());
    const to = new URL(page.searchParams.get('redirect_uri') ?? '');
    const state = page.searchParams.get('state') ?? '';
    const redirect = await fetch(page, { redirect: 'manual' });
    return { to, state, right: redirect.headers.get('location') ?? '' };
  };

  test('without its state, with another one, or with two', async () => {
    const { to, state, right } = await answerOf();
    expect(Buffer.from(state, 'base64url')).toHaveLength(32);
    expect(to.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in$/u);
    for (const wrong of [
      '',
      '?code=a',
      '?code=a&state=',
      `?code=a&state=${'a'.repeat(43)}`,
      `?state=${state}&state=${state}`,
    ]) {
      expect(await ask(`${to.href}${wrong}`)).toBe(403);
    }
    expect(await ask(right)).toBe(200);
    expect(await at().facts()).toMatchObject({ standing: 'signed-in' });
  });

  test('under another name, from another page, or in another way', async () => {
    const { to, right } = await answerOf();
    const { port } = to;
    for (const host of ['localhost:' + port, `evil.test:${port}`, `127.0.0.1`, '127.0.0.1:1']) {
      expect(await ask(right, { host })).toBe(403);
    }
    expect(await ask(right, { origin: 'https://evil.test' })).toBe(403);
    expect(await ask(right, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await ask(right, {}, 'POST')).toBe(405);
    expect(await ask(right, {}, 'HEAD')).toBe(405);
    for (const elsewhere of ['/', '/sign-in/', '/sign-in/x', '/SIGN-IN', '/problem.css']) {
      expect(await ask(right.replace('/sign-in', elsewhere))).toBe(404);
    }
    expect(at().tokenRequests()).toBe(0);
    const coming = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await ask(right, coming)).toBe(200);
  });

  test('for the second time, or long after', async () => {
    const { right } = await answerOf();
    const both = await Promise.all([ask(right), ask(right).catch(() => 410)]);
    expect(new Set(both)).toEqual(new Set([200, 410]));
    await expect(ask(right)).rejects.toThrow('ECONNREFUSED');
    expect(at().tokenRequests()).toBe(1);

    await at().startAgain(3_000);
    const late = await answerOf();
    const problem = async () => (await at().facts()).problem?.message;
    await vi.waitFor(async () => expect(await problem()).toContain('Nobody answered within five'), { timeout: 30_000 });
    await expect(ask(late.right)).rejects.toThrow('ECONNREFUSED');
    expect(await at().facts()).toMatchObject({ isWaiting: false });
  });

  test('after it was called off, or another one was begun', async () => {
    const { right } = await answerOf();
    at().signIns.cancel(at().server.address);
    await expect(ask(right)).rejects.toThrow('ECONNREFUSED');
    const older = await answerOf();
    const newer = await answerOf();
    await expect(ask(older.right)).rejects.toThrow('ECONNREFUSED');
    expect(await ask(newer.right)).toBe(200);
    expect(at().server.given).toHaveLength(2);
  });

  test('although the person refused, or the answer is that of another server', async () => {
    at().server.traits.agrees = false;
    const shown = await followPage(await at().begin());
    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('did not agree') as string });
    await vi.waitFor(async () => expect(await at().facts()).toMatchObject({ standing: 'asks', isWaiting: false }));
    expect((await at().facts()).problem?.message).toContain('did not agree');
    at().server.traits.agrees = true;
    const { right } = await answerOf();
    expect(await ask(`${right}&iss=https%3A%2F%2Fevil.test`)).toBe(200);
    expect((await at().facts()).problem?.message).toContain('another server');
    expect([at().tokenRequests(), await at().store.names()]).toEqual([0, []]);
  });

  test('with markup in it, and the page runs it', async () => {
    const { to, state } = await answerOf();
    const error = encodeURIComponent('<img src=x onerror=alert(1)>\u202E');
    const shown = await fetch(`${to.href}?state=${state}&error=${error}`);
    const text = await shown.text();
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;[U+202E]');
    expect(text).not.toContain('<img');
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
  });
});
