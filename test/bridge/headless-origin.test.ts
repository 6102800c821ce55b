import { describe, expect, it } from 'vitest';
import { useHeadlessBench } from './headless-bench.ts';

const bench = useHeadlessBench();

describe('from elsewhere', () => {
  it.each([
    'evil.example',
    'evil.example:80',
    'localhost',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1.evil.example',
    '[::1]',
    '127.0.0.1@evil.example',
  ])('the host %j (DNS rebinding) is 403, signed in or not', async (host) => {
    const signedIn = await bench().cookie();
    expect((await bench().ask('/', { headers: { host, cookie: signedIn } })).status).toBe(403);
    expect((await bench().ask('/start', { headers: { host } })).status).toBe(403);
    expect((await bench().signIn(bench().newToken(), { host, origin: bench().origin })).status).toBe(403);
    expect(await bench().connect({ host, cookie: signedIn, origin: bench().origin })).toBe(403);
  });

  it.each([
    'http://evil.example',
    'null',
    'https://127.0.0.1',
    'http://127.0.0.1',
    'http://localhost:1',
    'file://',
    '',
  ])('the origin %j is 403, also with the cookie', async (foreign) => {
    const signedIn = await bench().cookie();
    expect((await bench().ask('/', { headers: { origin: foreign, cookie: signedIn } })).status).toBe(403);
    const token = bench().newToken();
    expect((await bench().signIn(token, { origin: foreign })).status).toBe(403);
    expect(await bench().connect({ cookie: signedIn, origin: foreign })).toBe(403);
    // Refused before it was looked at, the token still works.
    expect((await bench().signIn(token)).status).toBe(200);
  });

  it('a socket or a sign-in without an origin is 403', async () => {
    expect(await bench().connect({ cookie: await bench().cookie() })).toBe(403);
    expect((await bench().signIn(bench().newToken(), {})).status).toBe(403);
  });

  it('a page of another site or port may not embed or fetch anything, only link to it', async () => {
    const signedIn = await bench().cookie();
    for (const site of ['cross-site', 'same-site']) {
      const headers = { cookie: signedIn, 'sec-fetch-site': site };
      expect(
        (await bench().ask('/', { headers: { ...headers, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' } }))
          .status,
      ).toBe(403);
      expect(
        (await bench().ask('/', { headers: { ...headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } }))
          .status,
      ).toBe(403);
      expect(
        (
          await bench().ask('/start', {
            headers: { ...headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
          })
        ).status,
      ).toBe(200);
    }
  });

  it('no answer allows another origin', async () => {
    const answer = await bench().ask('/start', {
      method: 'OPTIONS',
      headers: { origin: bench().origin, 'access-control-request-method': 'POST' },
    });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
