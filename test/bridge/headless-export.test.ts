import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { LedgerDownload } from '../../src/main/ledger/ledger-exports.ts';
import { useHeadlessBench } from './headless-bench.ts';

const bench = useHeadlessBench();

/** What the host hands over, once, to the browser that asked. */
function offer(body: () => Readable) {
  const told: { ended: unknown[]; asked: string[] } = { ended: [], asked: [] };
  let isTaken = false;
  bench().application.takeExport = (exportId, callerName): LedgerDownload | null => {
    told.asked.push(`${exportId} ${callerName}`);
    if (isTaken || exportId !== 'one' || callerName !== 'browser-1') return null;
    isTaken = true;
    return { fileName: 'ledger.jsonl', body: body(), ended: (cause) => told.ended.push(cause) };
  };
  return told;
}

describe('an export over the loopback server', () => {
  it('is shown in the page, kept by a cache, or handed out twice', async () => {
    const told = offer(() => Readable.from(['{"a":1}\n', '{"b":2}\n']));
    const cookie = await bench().cookie();
    expect((await bench().ask('/export/one', { method: 'HEAD', headers: { cookie } })).status).toBe(404);
    const answer = await bench().ask('/export/one', { headers: { cookie } });
    expect([answer.status, answer.body]).toEqual([200, '{"a":1}\n{"b":2}\n']);
    expect(answer.headers).toMatchObject({
      'content-disposition': 'attachment; filename="ledger.jsonl"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(told.ended).toEqual([null]);
    expect((await bench().ask('/export/one', { headers: { cookie } })).status).toBe(404);
  });

  it('goes to somebody who is not signed in, to another browser, or to another page', async () => {
    const told = offer(() => Readable.from(['secret']));
    expect((await bench().ask('/export/one')).status).toBe(401);
    const first = await bench().cookie();
    const second = await bench().cookie();
    const foreign = { cookie: first, 'sec-fetch-site': 'cross-site' };
    expect((await bench().ask('/export/one', { headers: foreign })).status).toBe(403);
    expect(told.asked).toEqual([]);
    expect((await bench().ask('/export/one', { headers: { cookie: second } })).status).toBe(404);
    expect(told.asked).toEqual(['one browser-2']);
  });

  it('that breaks off passes for a whole file', async () => {
    const told = offer(() =>
      Readable.from(
        (function* broken() {
          yield '{"a":1}\n';
          throw new Error('the disk');
        })(),
      ),
    );
    const cookie = await bench().cookie();
    await expect(bench().ask('/export/one', { headers: { cookie } })).rejects.toThrow(/aborted|hang up|reset/u);
    expect(told.ended).toMatchObject([{ message: 'the disk' }]);
  });
});
