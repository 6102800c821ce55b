import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelFault } from '../../../../test/harness/model-dialects.ts';
import type { ModelServer } from '../../../../test/harness/model-server.ts';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';
import { createModelBench, KEY } from './testing/model-bench.ts';
import type { ModelBench } from './testing/model-bench.ts';

let bench: ModelBench;
let server: ModelServer;

async function listen(on: http.Server | net.Server): Promise<string> {
  await new Promise<void>((resolve) => on.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(on.address() as AddressInfo).port}`;
}

describe.each(['openai', 'anthropic'] as const)(
  'the outcome of a turn with %s is misread, or it is sent again',
  (provider) => {
    beforeEach(async () => {
      bench = await createModelBench(provider);
      server = bench.server;
      // Whoever asks again gets an answer, so that a repeated request would look like a success.
      server.otherwise = { text: 'Asked again.' };
    });
    afterEach(async () => await bench.close());

    test.each([
      [400, 'permanent'],
      [401, 'authority'],
      [403, 'authority'],
      [404, 'permanent'],
      [408, 'transient'],
      [409, 'permanent'],
      [413, 'permanent'],
      [429, 'transient'],
      [500, 'transient'],
      [503, 'transient'],
      [529, 'transient'],
    ])('when the endpoint answers %d', async (status, failureClass) => {
      const message = `No: ${KEY} ${'x'.repeat(5_000)}`;
      server.script({ status, error: { type: 'some_error', message } });
      const run = await bench.ask();
      expect(run.outcome).toEqual({ kind: 'failure', class: failureClass, code: `http-${status}`, wasSent: true });
      expect(run.output).toMatchObject({
        text: '',
        calls: [],
        error: expect.stringContaining('No: [secret') as string,
      });
      expect(JSON.stringify(run)).not.toContain(KEY);
      expect(JSON.stringify(run.output).length).toBeLessThan(3_000);
      expect(server.requests).toHaveLength(1);
    });

    test.each<[ModelFault, string]>([
      ['refuse', 'econnreset'],
      ['cut', 'stream-cut'],
      ['end', 'stream-ended-early'],
      ['garbage', 'stream-malformed'],
      ['wrong-shape', 'stream-malformed'],
      ['invalid-utf8', 'invalid-text'],
      ['wrong-content-type', 'not-a-stream'],
    ])('when the fault is %s', async (fault, code) => {
      server.script({ text: 'Half an answer.', calls: [{ name: 'pay', arguments: '{}' }], fault });
      const run = await bench.ask();
      expect(run.outcome).toEqual({ kind: 'unclear', code: fault === 'refuse' ? expect.any(String) : code });
      expect(run.output).toMatchObject({ text: '', calls: [] });
      expect(run.summary).toContain('was asked, and no whole answer came back');
      expect(server.requests).toHaveLength(1);
    });

    test('when the stream ends in order but gives no reason', async () => {
      server.script({ text: 'All of it?', finish: null });
      expect((await bench.ask()).outcome).toEqual({ kind: 'unclear', code: 'stream-ended-early' });
    });

    test.each<ModelFault>(['hang', 'stall'])('when the fault is %s and the time is up', async (fault) => {
      server.script({ text: 'Half an answer.', fault });
      const run = await bench.ask({ timeoutMs: 300 });
      expect(run.outcome).toEqual({ kind: 'unclear', code: 'timeout' });
      expect(server.requests).toHaveLength(1);
    });

    test('when the answer drips for longer than it may', async () => {
      server.script({ text: 'x'.repeat(1_000), pieceCharacters: 1, pieceEveryMs: 10 });
      expect((await bench.ask({ timeoutMs: 300 })).outcome).toEqual({ kind: 'unclear', code: 'timeout' });
    });

    test.each<ModelFault>(['hang', 'stall'])(
      'when it is called off before it left, or while it is at %s',
      async (fault) => {
        const abort = new AbortController();
        server.script({ text: 'Half an answer.', fault });
        const during = bench.ask({}, { signal: abort.signal });
        await server.received(1);
        abort.abort();
        expect((await during).outcome).toEqual({ kind: 'unclear', code: 'aborted' });
        const before = await bench.ask({}, { signal: abort.signal });
        expect(before.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'aborted', wasSent: false });
        expect(before.summary).toContain('Nothing was sent.');
        expect(server.requests).toHaveLength(1);
      },
    );

    test.each<ModelFault>(['endless', 'endless-line'])('when the answer is %s', async (fault) => {
      server.script({ fault });
      const run = await bench.ask();
      expect(run.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'answer-too-long', wasSent: true });
      expect(JSON.stringify(run.output).length).toBeLessThan(1_000);
    });

    test('when the answer is just small enough, or just too large', async () => {
      const text = 'x'.repeat(OUTPUT_LIMIT_BYTES);
      server.script({ text, pieceCharacters: 100_000 }, { text: `${text}.`, pieceCharacters: 100_000 });
      expect((await bench.answer()).text).toHaveLength(OUTPUT_LIMIT_BYTES);
      expect((await bench.ask()).outcome).toMatchObject({ kind: 'failure', code: 'answer-too-long' });
    });

    test('when it asks for more calls than anybody would look at', async () => {
      const calls = Array.from({ length: 129 }, () => ({ name: 'look', arguments: '{}' }));
      server.script({ calls: calls.slice(1) }, { calls });
      expect((await bench.answer()).calls).toHaveLength(128);
      expect((await bench.ask()).outcome).toMatchObject({ kind: 'failure', code: 'answer-too-long' });
    });

    test('when a call has no name', async () => {
      server.script({ calls: [{ name: '', arguments: '{}' }] });
      expect((await bench.ask()).outcome).toEqual({ kind: 'unclear', code: 'stream-malformed' });
    });

    test.each([
      ['rate_limit_error', { kind: 'failure', class: 'transient', code: 'said-rate-limit-error', wasSent: true }],
      [
        'invalid_request_error',
        { kind: 'failure', class: 'permanent', code: 'said-invalid-request-error', wasSent: true },
      ],
      ['toString', { kind: 'unclear', code: 'stream-error' }],
    ])('when the endpoint says %s in the middle of an answer', async (type, outcome) => {
      server.script({ text: 'Half an answer.', fault: 'error', error: { type, message: `No: ${KEY}` } });
      const run = await bench.ask();
      expect(run.outcome).toEqual(outcome);
      expect(run.output).toMatchObject({ text: '', error: expect.stringContaining('No: [secret') as string });
      expect(server.requests).toHaveLength(1);
    });

    test.each([302, 307, 308])('when it is sent elsewhere with %d and takes the key along', async (status) => {
      const elsewhere: string[] = [];
      const other = http.createServer((request, response) => {
        elsewhere.push(request.url ?? '');
        response.end();
      });
      const location = `${await listen(other)}/v1/chat/completions`;
      server.script({ status, headers: { location } }, { status, headers: { location: '/v1/chat/completions' } });
      for (const _ of ['to another server', 'to itself']) {
        const { outcome } = await bench.ask();
        expect(outcome).toEqual({ kind: 'failure', class: 'permanent', code: `http-${status}`, wasSent: true });
      }
      other.close();
      expect(elsewhere).toEqual([]);
      expect(server.requests).toHaveLength(2);
    });

    test('when nobody listens, or the name is not known', async () => {
      const gone = net.createServer();
      const baseUrl = await listen(gone);
      await new Promise((resolve) => gone.close(resolve));
      const expected = { kind: 'failure', class: 'transient', wasSent: false };
      for (const [address, code] of [
        [baseUrl, 'econnrefused'],
        ['http://no-such-host.invalid', expect.stringMatching(/^(?:enotfound|eai_again)$/u) as string],
      ] as const) {
        const own = await createModelBench(provider, { baseUrl: address });
        const run = await own.ask();
        await own.close();
        expect(run.outcome).toEqual({ ...expected, code });
        expect(run.summary).toContain('Nothing was sent.');
        expect(run.output).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 } });
      }
    });

    test('when the handshake fails before the request left', async () => {
      const baseUrl = server.origin.replace('http:', 'https:');
      const own = await createModelBench(provider, { baseUrl });
      const run = await own.ask();
      await own.close();
      expect(run.outcome).toMatchObject({ kind: 'failure', wasSent: false });
      expect(server.requests).toEqual([]);
    });

    test.each([
      ['speaks no HTTP', '220 smtp ready\r\n'],
      ['has an odd status', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nno'],
      ['has nothing to say', 'HTTP/1.1 204 No Content\r\n\r\n'],
      ['wants another protocol', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'],
    ])('when the server %s', async (_, bytes) => {
      let connections = 0;
      const raw = net.createServer((socket) => {
        connections += 1;
        socket.on('error', () => {});
        socket.once('data', () => socket.end(bytes));
      });
      const own = await createModelBench(provider, { baseUrl: await listen(raw) });
      const run = await own.ask();
      raw.close();
      await own.close();
      expect(run.outcome.kind).not.toBe('success');
      expect(run.outcome).not.toMatchObject({ wasSent: false });
      expect(connections).toBe(1);
    });
  },
);
