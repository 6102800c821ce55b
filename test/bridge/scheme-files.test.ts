import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRequestPath, readStaticFile } from '../../src/main/bridge/static-files.ts';
import { answerSchemeRequest, isWindowDocument } from '../../src/main/electron/electron-scheme.ts';
import { problem } from '../../src/shared/contract/errors.ts';

const SECRET = 'outside of the bundle';
let folder = '';
let rendererFolder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-scheme-'));
  rendererFolder = path.join(folder, 'renderer');
  mkdirSync(path.join(rendererFolder, 'assets'), { recursive: true });
  mkdirSync(path.join(folder, 'renderer-other'));
  mkdirSync(path.join(rendererFolder, 'folder.html'));
  writeFileSync(path.join(folder, 'secret.txt'), SECRET);
  writeFileSync(path.join(folder, 'renderer-other', 'secret.txt'), SECRET);
  writeFileSync(path.join(rendererFolder, 'index.html'), '<!doctype html>window');
  writeFileSync(path.join(rendererFolder, 'assets', 'index-a_b-C.js'), 'script');
  writeFileSync(path.join(rendererFolder, '.hidden.txt'), SECRET);
  writeFileSync(path.join(rendererFolder, 'no-type'), SECRET);
  symlinkSync(path.join(folder, 'secret.txt'), path.join(rendererFolder, 'link.txt'));
  symlinkSync(folder, path.join(rendererFolder, 'up'));
  symlinkSync(path.join(rendererFolder, 'assets'), path.join(rendererFolder, 'inside'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const get = (url: string, method = 'GET') =>
  answerSchemeRequest({ url, method }, { rendererFolder, startProblem: () => null });

describe('the files of the window', () => {
  it.each([
    ['app://fencepost/', 'text/html; charset=utf-8', '<!doctype html>window'],
    ['app://fencepost/index.html#/runs', 'text/html; charset=utf-8', '<!doctype html>window'],
    ['app://fencepost/assets/index-a_b-C.js?v=1', 'text/javascript; charset=utf-8', 'script'],
    ['app://fencepost/assets/../index.html', 'text/html; charset=utf-8', '<!doctype html>window'],
  ])('%s is served with the policy', async (url, type, body) => {
    const answer = await get(url);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, type, body]);
    expect(answer.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('paths that lead elsewhere', () => {
  const corpus = [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/..%2Fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%5c..%5csecret.txt',
    '/..%252fsecret.txt',
    '/%252e%252e%252fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/....//secret.txt',
    '/..;/secret.txt',
    '/..%c0%afsecret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/..%e0%80%afsecret.txt',
    '/%uff0e%uff0e/secret.txt',
    '/%',
    '/．．／secret.txt',
    '/..%ef%bc%8fsecret.txt',
    '/..%e2%88%95secret.txt',
    '/index.html%00',
    '/secret.txt%00.html',
    '/index.html%00.js',
    '/%00',
    '//server/share/secret.txt',
    '///etc/passwd',
    '/%2f%2fserver%2fshare',
    '/%5c%5cserver%5cshare%5csecret.txt',
    '/%2fetc%2fpasswd',
    '/%3f%3f%5cC%3a%5csecret.txt',
    '/C:/secret.txt',
    '/C%3a%5csecret.txt',
    '/c:secret.txt',
    '/index.html::$DATA',
    '/index.html%3a%3a%24DATA',
    '/index.html:stream.html',
    '/assets::$INDEX_ALLOCATION/index-a_b-C.js',
    '/index.html.',
    '/index.html%20',
    '/index.html/',
    '/assets/',
    '/assets',
    '/.',
    '/./index.html%2f..',
    '/index.html/.',
    '/INDEX~1.HTM',
    '/con.html',
    '/NUL.txt',
    '/aux.html',
    '/COM1.txt',
    '/lpt9.css',
    '/.hidden.txt',
    '/no-type',
    '/folder.html',
    '/link.txt',
    '/up/secret.txt',
    '/up/renderer/index.html',
    '/inside/index-a_b-C.js',
    '/../renderer-other/secret.txt',
    '/..%2frenderer-other%2fsecret.txt',
    `/${'a'.repeat(5_000)}.html`,
    '/$(id).html',
    '/`id`.html',
    '/index.html;.js',
    '/*.html',
    '/index.htm?',
    '/\u202Eindex.html',
  ];
  it.each(corpus.map((one) => [one]))('%j is not found', async (one) => {
    expect(await readStaticFile(rendererFolder, one)).toBeNull();
    const answer = await get(`app://fencepost${one}`);
    // An address parser may have resolved the dots to a file of the window; never to anything else.
    if (answer.status !== 404) expect(readRequestPath(new URL(`app://fencepost${one}`).pathname)).not.toBeNull();
    expect(await answer.text()).not.toContain(SECRET);
  });

  it('whatever the path is, nothing from outside is served', async () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2E%2e',
      '/',
      '%2f',
      '\\',
      '%5c',
      '%00',
      ':',
      'secret.txt',
      'up',
      'link.txt',
      'assets',
      '%25',
      '//',
      ' ',
    );
    const anyPath = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 12 })
      .map((pieces) => `/${pieces.join('')}`);
    await fc.assert(
      fc.asyncProperty(anyPath, async (one) => {
        const direct = await readStaticFile(rendererFolder, one);
        expect(Buffer.from(direct?.body ?? []).toString()).not.toContain(SECRET);
        const answer = await get(`app://fencepost${one}`);
        expect(await answer.text()).not.toContain(SECRET);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'app://evil/index.html',
    'app://fencepost.evil/index.html',
    'app://user@fencepost/index.html',
    'app://fencepost:1/index.html',
    'file:///etc/passwd',
    'http://fencepost/index.html',
    'app:index.html',
    'nonsense',
  ])('%s is not ours', async (url) => {
    expect((await get(url)).status).toBe(404);
    expect(isWindowDocument(url)).toBe(false);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not allowed', async (method) => {
    expect((await get('app://fencepost/index.html', method)).status).toBe(405);
  });
});

it('says why the host did not start, with the code and the way out, and runs nothing it was told', async () => {
  const startProblem = () => problem('profile-in-use', '<script>alert(1)</script> is using this data.', 'Close "it".');
  const answer = await answerSchemeRequest(
    { url: 'app://fencepost/problem', method: 'GET' },
    { rendererFolder, startProblem },
  );
  const page = await answer.text();
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; is using this data.');
  expect(page).toContain('Close &quot;it&quot;.');
  expect(page).toContain('profile-in-use');
  expect(page).not.toContain('<script');
  const window = await answerSchemeRequest(
    { url: 'app://fencepost/index.html', method: 'GET' },
    { rendererFolder, startProblem },
  );
  expect(window.status).toBe(404);
});
