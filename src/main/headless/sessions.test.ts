import { describe, expect, it } from 'vitest';
import { isOwnRequest } from './request-origin.ts';
import { createSessions, SESSION_IDLE_MS, SESSIONS_MAX } from './sessions.ts';

function setUp() {
  let now = 0;
  const sessions = createSessions(() => now);
  const signIn = () => sessions.signIn(sessions.newToken()) ?? '';
  return { sessions, signIn, pass: (ms: number) => (now += ms) };
}

describe('a session', () => {
  it('ends when nobody has used it for long, and lasts while somebody does', () => {
    const { sessions, signIn, pass } = setUp();
    const used = signIn();
    const forgotten = signIn();
    pass(SESSION_IDLE_MS);
    expect(sessions.find(used)).toBe('browser-1');
    pass(1);
    expect(sessions.find(used)).toBe('browser-1');
    expect(sessions.find(forgotten)).toBeNull();
    expect(sessions.find(forgotten)).toBeNull();
  });

  it('makes room for the next when there are too many', () => {
    const { sessions, signIn } = setUp();
    const first = signIn();
    const others = Array.from({ length: SESSIONS_MAX }, signIn);
    expect(sessions.find(first)).toBeNull();
    expect(others.every((one) => sessions.find(one) !== null)).toBe(true);
  });

  it('is not had with its name, its token or nothing', () => {
    const { sessions } = setUp();
    const token = sessions.newToken();
    const secret = sessions.signIn(token) ?? '';
    for (const wrong of [undefined, '', token, 'browser-1', secret.slice(1), `${secret}A`])
      expect(sessions.find(wrong)).toBeNull();
    expect(sessions.signIn('')).toBeNull();
  });
});

it('a name that begins or ends like ours is not ours', () => {
  const hosts = [
    '127.0.0.1:80',
    '127.0.0.1:80800',
    '0127.0.0.1:8080',
    '127.0.0.1:8080.',
    'x@127.0.0.1:8080',
    '127.1:8080',
    undefined,
  ];
  expect(hosts.map((host) => isOwnRequest({ headers: { host } }, 8080))).toEqual(hosts.map(() => false));
  expect(isOwnRequest({ headers: { host: '127.0.0.1:8080' } }, 8080)).toBe(true);
});
