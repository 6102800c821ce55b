import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { QUICK, useHeadlessBench } from './headless-bench.ts';

const bench = useHeadlessBench();

describe('bodies and connections that do not end', () => {
  it('a large body is cut off at the limit', async () => {
    const answer = await bench()
      .signIn('x'.repeat(100_000))
      .catch((cause: NodeJS.ErrnoException) => cause.code);
    expect(typeof answer === 'object' ? answer.status : answer).toBeOneOf([413, 'ECONNRESET', 'EPIPE']);
    expect((await bench().ask('/start')).status).toBe(200);
  });

  it('a slow body gets 408 or a closed line, in time', async () => {
    const raw = net.connect(bench().server.port, '127.0.0.1');
    let received = '';
    raw.on('data', (part) => (received += part.toString()));
    raw.on('error', () => undefined);
    raw.write(
      `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${bench().server.port}\r\nOrigin: ${bench().origin}\r\nContent-Length: 43\r\n\r\n`,
    );
    const drip = setInterval(() => raw.write('a'), 100);
    const begun = performance.now();
    await new Promise((resolve) => raw.once('close', resolve));
    clearInterval(drip);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(received === '' || received.startsWith('HTTP/1.1 408')).toBe(true);
  });

  it('200 idle connections do not keep a browser out, and are closed', async () => {
    let open = 0;
    const sockets = Array.from({ length: 200 }, () => {
      const socket = net.connect(bench().server.port, '127.0.0.1', () => (open += 1));
      socket.resume().on('error', () => undefined);
      socket.once('close', () => (open -= 1));
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect((await bench().ask('/start')).status).toBe(200);
    await expect.poll(() => open).toBeLessThanOrEqual(QUICK.idleConnections);
    // And the rest when they have sent nothing in time.
    await expect.poll(() => open, { timeout: 5_000 }).toBe(0);
  });

  it('bytes that are no HTTP end the connection and nothing else', async () => {
    for (const bytes of [
      '\u0000\u0001',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n\r\n`,
      'CONNECT evil:1 HTTP/1.1\r\n\r\n',
    ]) {
      const raw = net.connect(bench().server.port, '127.0.0.1');
      raw.on('error', () => undefined);
      raw.resume().write(bytes);
      await new Promise((resolve) => raw.once('close', resolve));
    }
    expect((await bench().ask('/start')).status).toBe(200);
  });
});

it('listens on this machine’s own address only', async () => {
  const others = await Promise.allSettled([reach('::1'), reach('127.0.0.2')]);
  expect(others.map((one) => one.status)).toEqual(['rejected', 'rejected']);
});

function reach(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(bench().server.port, host, () => (socket.destroy(), resolve()));
    socket.once('error', reject);
  });
}
