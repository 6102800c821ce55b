import { describe, expect, it } from 'vitest';
import { outsideLink } from './outside-link.ts';

const BASE = 'https://accounts.example.com/authorize';

describe('an address that a server gave is opened', () => {
  it.each([
    ['by a shell that fills something in', `${BASE}?a=$(calc)`],
    ['by a shell, in another spelling', `${BASE}?a=\`calc\``],
    ['and a second command after it', `${BASE};calc`],
    ['and another one beside it', `${BASE}&calc`],
    ['and another one in its fragment', `${BASE}#a&calc`],
    ['and what a pipe leads to', `${BASE}?a|calc`],
    ['with a line break in it', `${BASE}\ncalc`],
    ['with a line break that is coded away', `${BASE}?a=\r\nb`],
    ['with a blank in it', `${BASE} --no-sandbox`],
    ['with quotes that end an argument', `${BASE}?a="b"`],
    ['with a quote that ends one in a script', `${BASE}?a='b'`],
    ['with a variable of Windows', `${BASE}?a=%PATH%^b`],
    ['as a file', 'file:///etc/passwd'],
    ['as a file of another machine', 'file://server/share/a.exe'],
    ['as a name of Windows for a program', 'ms-msdt:/id%20PCWDiagnostic'],
    ['as settings of the system', 'ms-settings:privacy'],
    ['as a script', 'javascript:alert(1)'],
    ['as data', 'data:text/html,a'],
    ['as a path of a share', String.raw`\\server\share\a.exe`],
    ['as an option', '--version'],
    ['unencrypted on the net', 'http://accounts.example.com/authorize'],
    ['unencrypted on what only begins like this machine', 'http://127.0.0.1.example.com/authorize'],
    ['with a name that hides the host', 'https://accounts.example.com@evil.test/authorize'],
    ['with characters that cannot be seen', `${BASE}?a=\u202Eb`],
    ['in another spelling than the one that was looked at', 'https:\\\\accounts.example.com\\authorize'],
    ['as nothing at all', ''],
  ])('%s', (_, text) => {
    expect(outsideLink(text)).toBeNull();
  });

  it.each([
    `${BASE}?response_type=code&client_id=a-b.c~d&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fsign-in&scope=a+b`,
    'http://127.0.0.1:4711/authorize?state=a',
    'http://localhost:4711/authorize',
    'https://login.example.com/%24tenant/authorize?a=%28b%29',
  ])('not although it is a plain one: %s', (text) => {
    expect(outsideLink(text)?.href).toBe(text);
  });
});
