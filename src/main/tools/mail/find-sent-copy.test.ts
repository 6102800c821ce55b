import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ImapStandIn } from '../../../../test/harness/imap-stand-in.ts';
import { LOOPBACK_CERTIFICATE } from '../../../../test/harness/loopback-certificate.ts';
import { freePort, MailServer } from '../../../../test/harness/mail-server.ts';
import type { ProbeAnswer } from '../tool.ts';
import { context } from '../testing/tool-bench.ts';
import { createMailBench, LOGIN, mailTo } from './testing/mail-bench.ts';

const MESSAGE_ID = '<fencepost.effect-1@example.com>';
let folder: ImapStandIn;

beforeEach(async () => (folder = await ImapStandIn.start({ login: LOGIN })));
afterEach(async () => await folder.stop());

interface Look {
  readonly host?: string;
  readonly port?: number;
  readonly security?: 'tls' | 'starttls' | 'none';
  readonly user?: string;
  readonly secret?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

async function look(given: Look = {}): Promise<ProbeAnswer> {
  const { timeoutMs, signal, ...server } = given;
  const place = { host: '127.0.0.1', port: folder.port, security: 'none' as const, folder: 'Sent' };
  const sent = { ...place, user: LOGIN.user, secret: 'mail-password', ...server };
  const bench = createMailBench({ port: 9 }, { sent });
  const call = mailTo(undefined, timeoutMs === undefined ? {} : { timeoutMs });
  const answer = await bench.tools.verify(await bench.prepare(call), context(signal));
  bench.remove();
  return answer;
}

const SILENCE = 'It may have been sent all the same: the server may file no copy, or file it later.';

describe('a look into the folder of sent mail', () => {
  test('misses the copy, or changes something there', async () => {
    folder.messages.push('Message-ID: <other@example.com>', `message-id:\r\n ${MESSAGE_ID}`);
    expect(await look()).toEqual({ answer: 'happened', summary: 'The message is in the folder Sent on 127.0.0.1.' });
    const looking = new Set([
      'CAPABILITY',
      'LOGIN',
      'ID',
      'NAMESPACE',
      'LIST',
      'LSUB',
      'EXAMINE',
      'UID SEARCH',
      'UID FETCH',
    ]);
    expect(folder.said.filter((command) => !looking.has(command))).toEqual(['LOGOUT']);
  });

  test('finds what the sending left there, by the id that every attempt has', async () => {
    const server = await MailServer.start();
    const bench = createMailBench({ port: server.port });
    await bench.run(mailTo());
    folder.messages.push(`Message-ID: ${server.received[0]?.messageId ?? ''}`);
    bench.remove();
    await server.stop();
    expect((await look()).answer).toBe('happened');
  });

  test('takes an empty folder for a proof that nothing was sent', async () => {
    const summary = `The message is not in the folder Sent on 127.0.0.1. ${SILENCE}`;
    expect(await look()).toEqual({ answer: 'silent', summary });
    folder.messages.push('Message-ID: <fencepost.effect-2@example.com>');
    expect((await look()).answer).toBe('silent');
  });

  test('takes another message for this one because the server searches by words', async () => {
    folder.behaviour = { findsEverything: true };
    folder.messages.push(
      'Message-ID: <fencepost.effect-12@example.com>',
      `Message-ID: <x${MESSAGE_ID.slice(1)}`,
      `In-Reply-To: ${MESSAGE_ID}`,
    );
    expect((await look()).answer).toBe('silent');
  });
});

describe('a folder that cannot be looked into says something about the message', () => {
  test('when the server is away, or its name unknown', async () => {
    const away = await look({ port: await freePort() });
    expect(away).toEqual({
      answer: 'silent',
      summary: 'Nobody could look into the folder Sent on 127.0.0.1 (econnrefused).',
    });
    expect((await look({ host: 'no-such-host.invalid', security: 'tls' })).answer).toBe('silent');
  });

  test('when the login is refused, and the password is repeated', async () => {
    folder.messages.push(`Message-ID: ${MESSAGE_ID}`);
    const answer = await look({ user: 'somebody' });
    expect(answer.answer).toBe('silent');
    expect(answer.summary).toContain('(login-refused)');
    expect(JSON.stringify(answer)).not.toContain(LOGIN.password);
    const missing = await look({ secret: 'no-such-secret' });
    expect(missing).toMatchObject({
      answer: 'silent',
      summary: expect.stringContaining('(secret-missing)'),
    });
  });

  test.each(['EXAMINE', 'UID SEARCH', 'UID FETCH', 'NAMESPACE', 'LOGIN'])(
    'when %s is cut or refused',
    async (command) => {
      folder.messages.push(`Message-ID: ${MESSAGE_ID}`);
      folder.behaviour = { cutsAt: command };
      expect((await look()).answer).toBe('silent');
      folder.behaviour = { refusesAt: command };
      // Servers may have no namespaces.
      expect((await look()).answer).toBe(command === 'NAMESPACE' ? 'happened' : 'silent');
    },
  );

  test('when the server falls silent, or the look is aborted', async () => {
    folder.behaviour = { silentAt: 'UID SEARCH' };
    expect((await look({ timeoutMs: 200 })).summary).toContain('(timeout)');
    expect((await look({ signal: AbortSignal.timeout(100) })).summary).toContain('(aborted)');
    expect((await look({ signal: AbortSignal.abort() })).summary).toContain('(aborted)');
  });

  test('when the server says no goodbye', async () => {
    folder.messages.push(`Message-ID: ${MESSAGE_ID}`);
    folder.behaviour = { silentAt: 'LOGOUT' };
    expect((await look()).answer).toBe('happened');
  });

  test('when the mailbox names no folder', async () => {
    const bench = createMailBench({ port: 9 });
    const answer = await bench.tools.verify(await bench.prepare(mailTo()), context());
    bench.remove();
    expect(answer.summary).toBe('Nobody could look: the mailbox names no folder of sent mail.');
    expect(answer.answer).toBe('silent');
  });
});

describe('an encrypted look', () => {
  const trusted = tls.getCACertificates('default');
  afterEach(() => tls.setDefaultCACertificates(trusted));

  test('trusts a certificate that nobody vouches for, or does not work with a good one', async () => {
    const encrypted = await ImapStandIn.start({ login: LOGIN, isEncrypted: true });
    encrypted.messages.push(`Message-ID: ${MESSAGE_ID}`);
    const there = { host: 'localhost', port: encrypted.port, security: 'tls' as const };
    expect((await look(there)).summary).toContain('(depth_zero_self_signed_cert)');
    expect(encrypted.said).toEqual([]);
    tls.setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert]);
    expect((await look(there)).answer).toBe('happened');
    expect((await look({ ...there, host: '127.0.0.1' })).summary).toContain('(err_tls_cert_altname_invalid)');
    await encrypted.stop();
  });

  test('says the password in the clear where the server does not offer encryption', async () => {
    expect((await look({ host: 'localhost', security: 'starttls' })).answer).toBe('silent');
    expect(folder.said).not.toContain('LOGIN');
  });
});
