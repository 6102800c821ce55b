import { describe, expect, it } from 'vitest';
import { tokenOf, useHeadlessBench } from './headless-bench.ts';

const bench = useHeadlessBench();

describe('without a session', () => {
  it.each(['/', '/index.html', '/assets/x.js', '/bridge', '/nothing', '/session', '/..%2f'])(
    'GET %s is 401',
    async (target) => {
      const answer = await bench().ask(target);
      expect(answer.status).toBe(401);
      expect(answer.body).not.toContain('the window');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  it('the start page is all there is, with the same policy and nothing inline', async () => {
    const page = await bench().ask('/start');
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/<script>|<style|\son\w+=/u);
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it.each(['', 'wrong', 'A'.repeat(43), '\u0000'])('the token %j is 401', async (token) => {
    bench().server.newLink();
    const answer = await bench().signIn(token);
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('a token works once', async () => {
    const token = bench().newToken();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const first = await bench().signIn(token);
    expect(first.status).toBe(200);
    expect(first.headers['set-cookie']?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/u);
    expect((await bench().signIn(token)).status).toBe(401);
  });

  it('two sign-ins at the same moment are one', async () => {
    const token = bench().newToken();
    const statuses = (await Promise.all([bench().signIn(token), bench().signIn(token), bench().signIn(token)])).map(
      (answer) => answer.status,
    );
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
  });

  it('a new link kills the one before it', async () => {
    const old = bench().newToken();
    bench().server.newLink();
    expect((await bench().signIn(old)).status).toBe(401);
  });

  it('a new link is for who can read the secret beside the data', async () => {
    expect((await bench().ask('/link', { method: 'POST' })).status).toBe(401);
    expect((await bench().ask('/link', { method: 'POST', headers: { authorization: 'Bearer x' } })).status).toBe(401);
    const given = await bench().ask('/link', {
      method: 'POST',
      headers: { authorization: `Bearer ${bench().server.linkSecret}` },
    });
    expect((await bench().signIn(tokenOf(given.body))).status).toBe(200);
  });

  it('no token and no secret is ever in the log', async () => {
    const token = bench().newToken();
    await bench().signIn(`${token}x`);
    const signedIn = await bench().cookie();
    await bench().ask('/', { headers: { cookie: signedIn } });
    const text = JSON.stringify(bench().log.lines);
    for (const secret of [token, bench().server.linkSecret, signedIn.split('=', 2)[1] ?? ''])
      expect(text).not.toContain(secret);
  });

  it.each([
    ['none', () => ''],
    ['a made-up one', () => `fencepost-${bench().server.port}=${'A'.repeat(43)}`],
    ['an empty one', () => `fencepost-${bench().server.port}=`],
    ['one of another port', () => `fencepost-1=${'A'.repeat(43)}`],
  ])('the socket with %s for a cookie is 401', async (_name, made) => {
    expect(await bench().connect({ cookie: made(), origin: bench().origin })).toBe(401);
  });
});
