import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort, MailServer } from '../../../../test/harness/mail-server.ts';
import type { MailServerOptions, Refusals } from '../../../../test/harness/mail-server.ts';
import type { MailPlace } from '../../../../test/harness/mail-wire.ts';
import { context } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import { createMailBench, LOGIN, mailTo } from './testing/mail-bench.ts';

const MESSAGE_ID = '<fencepost.effect-1@example.com>';
const LOGIN_NAMES = { user: LOGIN.user, secret: 'mail-password' };
const TWO = ['ana@example.com', 'li@team.example'];
let server: MailServer;
let bench: ToolBench;

async function serve(options: MailServerOptions = {}): Promise<void> {
  await server?.stop();
  bench?.remove();
  server = await MailServer.start(options);
  bench = createMailBench({ port: server.port, ...(options.login === undefined ? {} : LOGIN_NAMES) });
}

beforeEach(async () => await serve({ login: LOGIN }));
afterEach(async () => {
  await server.stop();
  bench.remove();
});

describe('a message that is taken', () => {
  test('arrives twice, or at somebody else, or with another id', async () => {
    const run = await bench.run(mailTo(TWO, { cc: ['Li@example.com'], bcc: ['ana@example.com', 'boss@team.example'] }));
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(run.output).toEqual({ messageId: MESSAGE_ID, recipients: 4, response: '250 queued as 1' });
    expect(run.summary).toBe('127.0.0.1 took the message for 4 people.');
    expect(server.received).toHaveLength(1);
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'robot@example.com', messageId: MESSAGE_ID });
    expect(mail?.to).toEqual([...TWO, 'Li@example.com', 'boss@team.example']);
    expect(mail?.raw).toContain('\r\nX-Fencepost-Epoch: 7\r\n');
    // Who got a blind copy is nobody's business.
    expect(mail?.raw).not.toMatch(/bcc|boss/i);
  });

  test('has another id on the next attempt at the same effect', async () => {
    const prepared = await bench.prepare(mailTo());
    await bench.tools.perform(prepared, context());
    await bench.tools.perform(prepared, { ...context(), epoch: 8 });
    await bench.tools.perform(prepared, { ...context(), effectId: 'effect-2' });
    const ids = server.received.map(({ messageId }) => messageId);
    expect(ids).toEqual([MESSAGE_ID, MESSAGE_ID, '<fencepost.effect-2@example.com>']);
  });

  test('says something else than was approved', async () => {
    const subject = 'Zahlen für 株式会社 =?utf-8?q?x?= 👩‍💻';
    const text = `.\n..two\n.\r\n.\r\nMAIL FROM:<eve@evil.test>\n=3D ${'långt '.repeat(300)}\ttab \n\nend`;
    await bench.run(mailTo(undefined, { subject, text }));
    expect(server.received).toHaveLength(1);
    const raw = server.received[0]?.raw ?? '';
    const [head = '', ...body] = raw.split('\r\n\r\n');
    expect(decodedText(body.join('\r\n\r\n'))).toBe(text.replaceAll(/\r?\n/g, '\r\n'));
    expect(decodedSubject(head)).toBe(subject);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThan(998);
  });
});

/** Quoted-printable, decoded by the letter of RFC 2045 and not by the library that encoded it. */
function decodedText(encoded: string): string {
  const bytes = encoded
    .replace(/\r\n$/, '')
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function decodedSubject(head: string): string {
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const value = /^Subject: (.*)$/m.exec(unfolded)?.[1] ?? '';
  const words = value.replaceAll(/\?=\s+=\?/g, '?==?');
  const bytes = words.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, way: string, text: string) => {
    if (way.toUpperCase() === 'B') return Buffer.from(text, 'base64').toString('latin1');
    const blanks = text.replaceAll('_', ' ');
    return blanks.replaceAll(/=([0-9A-F]{2})/g, (__, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  });
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

describe('a refusal is taken for something else', () => {
  const no = { status: 550, text: 'no' };
  const later = { status: 451, text: 'later' };
  test.each<[string, Refusals, string, string, string]>([
    ['of the connection', { greeting: { status: 554, text: 'no' } }, 'permanent', 'smtp-554', 'refused the connection'],
    [
      'of the connection for now',
      { greeting: { status: 421, text: 'busy' } },
      'transient',
      'smtp-421',
      'the connection',
    ],
    ['of the login', { login: { status: 535, text: 'no' } }, 'authority', 'smtp-535', 'refused the sign-in'],
    ['of the login for now', { login: { status: 454, text: 'later' } }, 'transient', 'smtp-454', 'refused the sign-in'],
    ['of the sender', { sender: no }, 'permanent', 'smtp-550', 'refused the sender'],
    ['of the sender for now', { sender: later }, 'transient', 'smtp-451', 'refused the sender'],
    ['of the message', { message: no }, 'permanent', 'smtp-550', 'refused the message: "550 no"'],
    ['of the message for now', { message: later }, 'transient', 'smtp-451', 'refused the message'],
  ])('%s', async (_, refusals, failureClass, code, sentence) => {
    server.refusals = refusals;
    const run = await bench.run(mailTo());
    expect(run.outcome).toEqual({ kind: 'failure', class: failureClass, code, wasSent: false });
    expect(run.summary).toContain(sentence);
    expect(run.summary).toContain('Nothing was sent to anybody.');
    expect(server.received).toEqual([]);
  });

  test.each([no, later])(
    'of one recipient of several: the others get the message, or DATA is said (%j)',
    async (refusal) => {
      server.refusals = { recipients: { 'li@team.example': refusal } };
      const run = await bench.run(mailTo([...TWO, 'x@team.example']));
      const failureClass = refusal.status === 550 ? 'permanent' : 'transient';
      expect(run.outcome).toEqual({
        kind: 'failure',
        class: failureClass,
        code: `smtp-${refusal.status}`,
        wasSent: false,
      });
      expect(run.summary).toContain('refused li@team.example');
      expect(server.said.slice(0, 5)).toEqual(['EHLO', 'AUTH', 'MAIL', 'RCPT', 'RCPT']);
      expect(server.said).not.toContain('DATA');
      expect(server.received).toEqual([]);
    },
  );

  test('of the only recipient', async () => {
    server.refusals = { recipients: { 'ana@example.com': no } };
    expect((await bench.run(mailTo())).outcome).toMatchObject({ kind: 'failure', code: 'smtp-550', wasSent: false });
    expect(server.said).not.toContain('DATA');
  });

  test('by saying goodbye after the whole message, which says nothing about the message', async () => {
    server.refusals = { message: { status: 421, text: 'leaving' } };
    const run = await bench.run(mailTo());
    expect(run.outcome).toEqual({ kind: 'unclear', code: 'smtp-421' });
    expect(run.summary).toContain('no answer says whether it was taken');
  });

  test.each(['EHLO', 'DATA'])('of the command %s', async (command) => {
    await serve({ unknownCommands: command === 'EHLO' ? ['EHLO', 'HELO'] : [command] });
    const run = await bench.run(mailTo());
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'smtp-500', wasSent: false });
  });

  test('because of a login that is wrong or missing, and the password is repeated', async () => {
    await serve({ login: { user: LOGIN.user, password: 'another one' } });
    const wrong = await bench.run(mailTo());
    expect(wrong.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'smtp-535', wasSent: false });
    // The server repeats it; nobody else may.
    expect(wrong.summary).toContain('No such login: [secret mail-password]');
    expect(JSON.stringify(wrong)).not.toContain(LOGIN.password);
    const nameless = createMailBench({ port: server.port });
    expect((await nameless.run(mailTo())).outcome).toMatchObject({
      class: 'authority',
      code: 'smtp-530',
      wasSent: false,
    });
    nameless.remove();
    const missing = createMailBench({ port: server.port, user: 'robot', secret: 'no-such-secret' });
    const said = server.said.length;
    expect((await missing.run(mailTo())).outcome).toMatchObject({ code: 'secret-missing', wasSent: false });
    expect(server.said).toHaveLength(said);
    missing.remove();
  });

  test('because the message is larger than the server takes', async () => {
    await serve({ sizeLimit: 500 });
    const run = await bench.run(mailTo(undefined, { text: 'a'.repeat(600) }));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'too-large', wasSent: false });
  });
});

describe('a connection that breaks is taken for an answer', () => {
  const before: readonly MailPlace[] = ['connect', 'greeting', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'after-DATA'];
  test.each(before)('before the message: cut at %s', async (at) => {
    server.fault = { at, how: 'cut' };
    const run = await bench.run(mailTo(TWO));
    expect(run.outcome).toMatchObject({ kind: 'failure', class: 'transient', wasSent: false });
    expect(run.summary).toContain('Nothing was sent to anybody.');
    expect(server.received).toEqual([]);
  });

  test.each<[MailPlace, number]>([
    ['body', 0],
    ['answer', 1],
  ])('within or after the message: cut at the %s', async (at, count) => {
    server.fault = { at, how: 'cut' };
    const run = await bench.run(mailTo(TWO));
    expect(run.outcome).toMatchObject({ kind: 'unclear' });
    expect(run.output).toEqual({ messageId: MESSAGE_ID, recipients: 2, response: null });
    expect(server.received).toHaveLength(count);
  });

  test.each<MailPlace>(['greeting', 'AUTH', 'after-DATA'])('before the message: silence at %s', async (at) => {
    server.fault = { at, how: 'stall' };
    const run = await bench.run(mailTo(TWO, { timeoutMs: 200 }));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'transient', code: 'timeout', wasSent: false });
    expect(server.received).toEqual([]);
  });

  test.each<MailPlace>(['body', 'answer'])('within or after the message: silence at the %s', async (at) => {
    server.fault = { at, how: 'stall' };
    const run = await bench.run(mailTo(TWO, { timeoutMs: 200 }));
    expect(run.outcome).toEqual({ kind: 'unclear', code: 'timeout' });
  });

  test('when nobody listens', async () => {
    const away = createMailBench({ port: await freePort() });
    const run = await away.run(mailTo());
    away.remove();
    expect(run.outcome).toEqual({ kind: 'failure', class: 'transient', code: 'econnrefused', wasSent: false });
  });

  test('when the name is not known', async () => {
    const away = createMailBench({ host: 'no-such-host.invalid', port: 25, security: 'tls' });
    const run = await away.run(mailTo(undefined, { timeoutMs: 2_000 }));
    away.remove();
    expect(run.outcome).toMatchObject({ kind: 'failure', class: 'transient', wasSent: false });
  });
});

describe('a call that is aborted', () => {
  test('before it began still sends', async () => {
    const run = await bench.tools.perform(await bench.prepare(mailTo()), context(AbortSignal.abort()));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'aborted', wasSent: false });
    expect(server.said).toEqual([]);
  });

  test.each<MailPlace>(['greeting', 'RCPT', 'after-DATA'])(
    'before the message counts as unclear: at %s',
    async (at) => {
      const abort = new AbortController();
      server.fault = { at, how: 'stall' };
      void server.broken().then(() => abort.abort());
      const run = await bench.tools.perform(await bench.prepare(mailTo()), context(abort.signal));
      expect(run.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'aborted', wasSent: false });
      expect(server.received).toEqual([]);
    },
  );

  test.each<MailPlace>(['body', 'answer'])('within or after the message counts as not sent: at the %s', async (at) => {
    const abort = new AbortController();
    server.fault = { at, how: 'stall' };
    void server.broken().then(() => abort.abort());
    const run = await bench.tools.perform(await bench.prepare(mailTo()), context(abort.signal));
    expect(run.outcome).toEqual({ kind: 'unclear', code: 'aborted' });
  });
});
