import { describe, expect, test, vi } from 'vitest';
import { useSignInBench } from '../../testing/sign-in-bench.ts';

vi.setConfig({ testTimeout: 60_000 });
const at = useSignInBench();
const NEVER_SENT = 'Nothing was sent.';

describe('a server that asks for a sign-in', () => {
  test('is not named with what to do, or a page is opened or a client registered by a run', async () => {
    expect(await at().refusal()).toContain('asks for a sign-in. Sign in under Settings, Tools.');
    const described = await at().tools.tools.describeTools('private', at().scope);
    expect(described).toMatchObject({ error: { message: expect.stringContaining(NEVER_SENT) as string } });
    expect(await at().facts()).toEqual({
      standing: 'asks',
      signedInAtMs: null,
      attempt: 0,
      isWaiting: false,
      problem: null,
    });
    expect(at().server.seen.filter((each) => !each.endsWith('/mcp'))).toEqual([]);
  });

  test('is called without a token after the sign-in, or tells it back', async () => {
    await at().signIn();
    const done = await at().run();
    expect(done.outcome).toEqual({ kind: 'success' });
    expect(at().server.acts()).toBe(1);
    expect(JSON.stringify(done.output)).toContain('done for Bearer [secret of the sign-in]');
    expect(await at().facts()).toMatchObject({ standing: 'signed-in', signedInAtMs: at().nowMs, isWaiting: false });
    expect(at().server.clients).toMatchObject([{ client_name: 'Fencepost', token_endpoint_auth_method: 'none' }]);
    // It holds for the next start too, and for this address alone.
    await at().startAgain();
    expect((await at().run()).outcome).toEqual({ kind: 'success' });
    expect(await at().signIns.kept.find(`${at().server.origin}/other`)).toBeNull();
  });

  test('is given the token of another address, or of a scope with a key of its own', async () => {
    await at().signIn();
    const seen: (string | undefined)[] = [];
    at().server.traits.odd = (request) => (seen.push(request.headers.authorization), false);
    at().scope = { ...at().scope, servers: { private: { url: `${at().server.address}?a=b`, effects: {} } } };
    expect(await at().refusal()).toContain('asks for a sign-in');
    const headers = { AUTHORIZATION: 'Bearer own-key' };
    at().scope = { ...at().scope, servers: { private: { url: at().server.address, headers, effects: {} } } };
    expect(await at().refusal()).toContain('does not take the key that the agent gives it');
    expect(new Set(seen)).toEqual(new Set([undefined, 'Bearer own-key']));
  });

  test('is signed out of while the token stays, here or there', async () => {
    await at().signIn();
    expect((await at().run()).outcome).toEqual({ kind: 'success' });
    const prepared = await at().prepare();
    expect(await at().signIns.signOut(at().server.address)).toMatchObject({
      value: expect.stringContaining('here and there') as string,
    });
    expect(at().server.revoked).toEqual([at().server.given[1]]);
    expect(await at().store.names()).toEqual([]);
    const after = await at().perform(prepared);
    expect(after.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'sign-in-needed', wasSent: false });
    expect(after.summary).toContain('Sign in under Settings, Tools.');
    expect(at().server.acts()).toBe(1);
    expect(await at().facts()).toMatchObject({ standing: 'asks' });
  });

  test('is called without the token because the file of tokens is damaged', async () => {
    await at().signIn();
    const prepared = await at().prepare();
    at().damageFile();
    await at().startAgain();
    const seen = at().server.seen.length;
    const run = await at().perform(prepared);
    expect(run.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'sign-in-unreadable', wasSent: false });
    expect(at().server.seen).toHaveLength(seen);
    await expect(at().facts()).rejects.toThrow('damaged');
  });

  test('cannot be told of the end, and stays signed in for want of that', async () => {
    await at().signIn();
    at().server.traits.odd = (request, response) => {
      if (request.url !== '/revoke') return false;
      response.writeHead(500).end();
      return true;
    };
    expect(await at().signIns.signOut(at().server.address)).toMatchObject({
      value: expect.stringContaining('could not be told') as string,
    });
    expect(await at().store.names()).toEqual([]);
    expect(await at().facts()).toMatchObject({ standing: 'asks' });
  });
});

describe('a token that has run out', () => {
  test('is shown although it is known to be over', async () => {
    await at().signIn();
    at().nowMs += 3_600_000;
    at().server.expireAll();
    expect((await at().run()).outcome).toEqual({ kind: 'success' });
    expect(at().tokenRequests()).toBe(2);
    // The new one is kept, with the new token for renewing it: the old one works no more.
    await at().startAgain();
    at().nowMs += 3_600_000;
    expect((await at().run()).outcome).toEqual({ kind: 'success' });
    expect(at().tokenRequests()).toBe(3);
  });

  test('ends what only reads, or sends a call for the second time', async () => {
    at().server.traits.expiresIn = undefined;
    await at().signIn();
    const prepared = await at().prepare();
    at().server.expireAll();
    // The list of tools is known, so the call itself meets the 401.
    const first = await at().perform(prepared);
    expect(first.outcome).toEqual({ kind: 'failure', class: 'transient', code: 'sign-in-run-out', wasSent: false });
    expect(first.summary).toContain(NEVER_SENT);
    expect([at().server.acts(), at().tokenRequests()]).toEqual([0, 1]);
    expect((await at().perform(prepared)).outcome).toEqual({ kind: 'success' });
    expect([at().server.acts(), at().tokenRequests()]).toEqual([1, 2]);
    await at().startAgain();
    at().server.expireAll();
    expect((await at().run()).outcome).toEqual({ kind: 'success' });
    expect(at().tokenRequests()).toBe(3);
  });

  test('is renewed by two calls at once, which spends the token for renewing twice', async () => {
    await at().signIn();
    at().nowMs += 3_600_000;
    at().server.expireAll();
    const runs = await Promise.all([at().run(), at().run(), at().run()]);
    expect(runs.map(({ outcome }) => outcome.kind)).toEqual(['success', 'success', 'success']);
    expect(at().tokenRequests()).toBe(2);
  });

  test('is not renewed any more, and nobody is told', async () => {
    await at().signIn();
    const prepared = await at().prepare();
    at().nowMs += 3_600_000;
    at().server.expireAll();
    at().server.endRefreshing();
    const over = await at().perform(prepared);
    expect(over.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'sign-in-lapsed', wasSent: false });
    expect(over.summary).toContain('Sign in again under Settings, Tools. Nothing was sent.');
    expect(await at().facts()).toMatchObject({ standing: 'lapsed', signedInAtMs: null });
    expect(await at().store.names()).toEqual([]);
    // No client is registered by itself, and no page is looked for.
    expect(at().server.clients).toHaveLength(1);
    expect(at().server.acts()).toBe(0);
  });

  test('is thrown away because its server could not answer for a moment', async () => {
    await at().signIn();
    at().nowMs += 3_600_000;
    at().server.traits.odd = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await at().refusal()).toContain('could not be renewed now');
    at().server.traits.odd = null;
    expect((await at().run()).outcome).toEqual({ kind: 'success' });
  });

  test('cannot be renewed at all, and is shown for ever', async () => {
    at().server.traits.hasRefreshTokens = false;
    await at().signIn();
    const prepared = await at().prepare();
    at().server.expireAll();
    const over = await at().perform(prepared);
    expect(over.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'sign-in-needed', wasSent: false });
    expect(over.summary).toContain('Sign in again');
    expect(await at().facts()).toMatchObject({ standing: 'lapsed' });
  });
});
