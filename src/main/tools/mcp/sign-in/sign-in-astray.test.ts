import http from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { useSignInBench } from '../../testing/sign-in-bench.ts';
import { followPage } from '../../testing/sign-in-server.ts';

vi.setConfig({ testTimeout: 60_000 });
const at = useSignInBench();

describe('a server leads a sign-in', () => {
  const problemOf = async () => {
    const begun = await at().signIns.begin(at().server.address);
    return begun.ok ? `It led to ${begun.value.page.href}` : begun.error.message;
  };

  test.each([
    'file:///etc/passwd',
    'ms-settings:privacy',
    'javascript:alert(1)',
    'http://accounts.example.com/authorize',
    'https://accounts.example.com/$(calc)',
    'https://accounts.example.com/a;calc',
    'https://accounts.example.com/a&calc',
    'https://name:password@accounts.example.com/authorize',
  ])('to a page that is none: %s', async (endpoint) => {
    at().server.traits.metadata = { authorization_endpoint: endpoint };
    expect(await problemOf()).toContain('Not signed in.');
    expect(await at().facts()).toMatchObject({ isWaiting: false });
  });

  test.each(['`calc`', '?a=$(calc)', "?a='b'", '?a=`calc`', '?a=b;calc', '?a=b\ncalc', 'a b'])(
    'to a page whose address says something to a shell: %s',
    async (end) => {
      at().server.traits.metadata = { authorization_endpoint: `https://accounts.example.com/${end}` };
      // The SDK writes it into an address that codes such characters; whatever it left would have been refused.
      expect(await at().begin()).toMatch(/^https:\/\/accounts\.example\.com\/[\w\-.~?=&%]+$/u);
    },
  );

  test('with the code or the token to another address', async () => {
    const stolen: string[] = [];
    const other = http.createServer((request, response) => void (stolen.push(request.url ?? ''), response.end('{}')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://127.0.0.1:${(other.address() as { port: number }).port}/token`;
    const page = await at().begin();
    for (const location of [elsewhere, '/token2']) {
      at().server.traits.odd = (request, response) => {
        if (request.url !== '/token') return false;
        response.writeHead(307, { location }).end();
        return true;
      };
      const shown = await followPage(location === elsewhere ? page : await at().begin());
      expect(shown.text).toContain('sends its callers on to another address');
    }
    expect([stolen, await at().store.names()]).toEqual([[], []]);
    expect(at().server.seen).not.toContain('POST /token2');
    other.close();
  });

  test.each(['token_endpoint', 'registration_endpoint'])('out of encryption with its %s', async (endpoint) => {
    at().server.traits.metadata = { [endpoint]: 'http://accounts.example.com/a' };
    const begun = await at().signIns.begin(at().server.address);
    const said = begun.ok ? (await followPage(begun.value.page.href)).text : begun.error.message;
    expect(said).toContain('It leads to accounts.example.com without encryption.');
    expect(await at().store.names()).toEqual([]);
  });

  test('although it does not ask for one, or lets no program register', async () => {
    at().server.traits.metadata = { registration_endpoint: undefined };
    expect(await problemOf()).toContain('programs cannot register there by themselves');
    at().server.traits.odd = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return true;
    };
    await at().startAgain();
    expect(await problemOf()).toContain('answers without a sign-in');
  });
});

describe('a server elsewhere leads to this machine', () => {
  const metadata = {
    issuer: 'https://mcp.example.com',
    authorization_endpoint: 'https://accounts.example.com/authorize',
    token_endpoint: 'https://mcp.example.com/token',
    registration_endpoint: 'https://mcp.example.com/register',
    response_types_supported: ['code'],
  };
  let told: object = metadata;
  /** A server on the net as far as anybody here can tell. */
  const elsewhere = (to: string | URL) => {
    const { pathname } = new URL(to);
    if (pathname === '/mcp') return Promise.resolve(new Response('', { status: 401 }));
    const bodies: Readonly<Record<string, object>> = {
      '/.well-known/oauth-authorization-server': told,
      '/register': { client_id: 'client', redirect_uris: ['http://127.0.0.1:1/sign-in'] },
    };
    const body = bodies[pathname];
    return Promise.resolve(body === undefined ? new Response('', { status: 404 }) : Response.json(body));
  };
  const begin = async (change: object) => {
    told = { ...metadata, ...change };
    vi.stubGlobal('fetch', elsewhere);
    const begun = await at().signIns.begin('https://mcp.example.com/mcp');
    vi.unstubAllGlobals();
    return begun.ok ? begun.value.page.host : begun.error.message;
  };

  test('with its page, or with where this device registers', async () => {
    expect(await begin({})).toBe('accounts.example.com');
    expect(await begin({ authorization_endpoint: 'http://127.0.0.1:9/authorize' })).toContain(
      'is not one that is opened',
    );
    expect(await begin({ registration_endpoint: 'http://localhost:9/register' })).toContain('to this machine itself');
  });
});
