import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Problem } from '../../../shared/contract/errors.ts';
import { writePairLink } from '../../hub/pair-link.ts';
import { hubFailureEnding, hubFailureSentence, NotConnectedError } from './hub-failure.ts';
import { pairWithHub } from './pair-with-hub.ts';

/** What no sentence for a person may hold: a code of the system, of a program, or what is in brackets. */
const CODE = /\b(?:E[A-Z]{3,}|ERR_\w+|SQLITE_\w+)\b|[(){}]|undefined/u;

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

/** Listens on a port of this device; answers the port. */
async function listen(answer: (socket: Socket) => void): Promise<number> {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

async function pairAt(address: string, port: number): Promise<Problem> {
  const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
  const invitation = { addresses: [address], port, fingerprint, invitationId: 'i'.repeat(22), secret: 's'.repeat(43) };
  const kept = new Map<string, string>();
  const paired = await pairWithHub({
    link: writePairLink(invitation),
    deviceId: 'device',
    name: 'Laptop',
    secrets: {
      read: (name) => Promise.resolve(kept.get(name) ?? null),
      write: (name, value) => {
        kept.set(name, value);
        return Promise.resolve({ ok: true, value: null });
      },
    },
    onWords: () => undefined,
  });
  if (paired.ok) throw new Error('Nobody is there.');
  return paired.error;
}

describe('pairing that does not reach its hub', () => {
  it('shows the code of the system, or no way out', async () => {
    const port = await listen(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    expect(await pairAt('127.0.0.1', port)).toEqual({
      code: 'register-unreachable',
      message: 'The hub of the link cannot be reached: nothing answers there.',
      wayOut: 'This device was not let in. Look that both are in one network and that the hub runs, then try again.',
    });
  });

  it('takes another program at that port for a hub that is silent', async () => {
    const port = await listen((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { message, wayOut } = await pairAt('127.0.0.1', port);
    expect(message).toBe('The hub of the link cannot be reached: what answers there is no hub.');
    expect(wayOut).toContain('was not let in');
  });

  it('shows what Node calls a connection that was closed at once', async () => {
    const port = await listen((socket) => socket.destroy());
    expect((await pairAt('127.0.0.1', port)).message).toBe(
      'The hub of the link cannot be reached: the connection was cut.',
    );
  });
});

describe('what went wrong on the way to a hub', () => {
  it.each([
    ['ECONNREFUSED', 'Nothing answers there.'],
    ['EHOSTUNREACH', 'There is no way to it in this network.'],
    ['ENOTFOUND', 'There is no machine of this name.'],
    ['ETIMEDOUT', 'No answer came in time.'],
    ['EADDRNOTAVAIL', 'This device has no such address.'],
    ['EPROTO', 'What answers there is no hub.'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'What answers there is no hub.'],
    ['ESOMETHINGNEW', 'The connection failed.'],
  ])('is told as %s', (code, sentence) => {
    expect(hubFailureSentence(Object.assign(new Error(`connect ${code} 10.0.0.1:7411`), { code }))).toBe(sentence);
    expect(sentence).not.toMatch(CODE);
  });

  it('is told in the words of a parser', () => {
    const parsed = z.object({ token: z.string() }).safeParse({});
    expect(hubFailureSentence(parsed.error)).toMatch(/^The hub gave an answer that cannot be read\./u);
    expect(hubFailureSentence(new SyntaxError('Unexpected token < in JSON'))).not.toContain('JSON');
    expect(hubFailureSentence(new Error('socket hang up'))).toBe('The connection failed.');
  });

  it('stands in the middle of a sentence as if it began one', () => {
    expect(hubFailureEnding(new NotConnectedError('Nobody answered in time.'))).toBe('nobody answered in time');
  });
});
