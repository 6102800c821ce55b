import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMailBench, LOGIN, mailTo } from './testing/mail-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';

const SENT = {
  host: '127.0.0.1',
  port: 1143,
  security: 'none' as const,
  folder: 'Sent',
  user: LOGIN.user,
  secret: 'mail-password',
};
let bench: ToolBench;

// Nothing listens on this port: preparing a message must not need a server.
beforeEach(() => (bench = createMailBench({ port: 9 })));
afterEach(() => bench.remove());

describe('a recipient', () => {
  test.each([
    ['a stranger', 'eve@evil.test'],
    ['another person of a domain of which one was granted', 'eve@example.com'],
    ['a subdomain of a granted domain', 'eve@sub.team.example'],
    ['a domain that only ends alike', 'eve@notteam.example'],
    ['a granted name in another case, which is another mailbox', 'Ana@example.com'],
  ])('gets mail though nobody granted it: %s', async (_, address) => {
    expect(await bench.refusal(mailTo([address]))).toBe(`This agent may not send mail to ${address}.`);
    expect(await bench.refusal(mailTo(undefined, { cc: [address] }))).toContain('may not send mail');
    expect(await bench.refusal(mailTo(undefined, { bcc: [address] }))).toContain('may not send mail');
  });

  test.each([
    ['a display name', 'Ana <ana@example.com>'],
    ['a display name that is an address', '"ana@example.com" <eve@evil.test>'],
    ['a list with a comma', 'ana@example.com,eve@evil.test'],
    ['a list with a semicolon', 'ana@example.com;eve@team.example'],
    ['a list with a blank', 'eve@evil.test ana@example.com'],
    ['two at signs', 'eve@evil.test@team.example'],
    ['a relay by per cent', 'eve%evil.test@team.example'],
    ['a relay by exclamation mark', 'evil.test!eve@team.example'],
    ['a source route', '@evil.test:ana@team.example'],
    ['a quoted name', '"eve@evil.test"@team.example'],
    ['a comment', 'ana(eve)@team.example'],
    ['a line break', 'ana@team.example\r\nRCPT TO:<eve@evil.test>'],
    ['a line break at the end', 'ana@example.com\n'],
    ['a NUL', 'ana@example.com\0'],
    ['brackets', '<ana@example.com>'],
    ['an address literal', 'ana@[127.0.0.1]'],
    ['an option for a mail program', '-oQ@team.example'],
    ['nothing', ''],
    ['only a domain', '@team.example'],
    ['a domain in another script', 'ana@еxample.com'],
    ['a name in another script', 'аna@team.example'],
    ['a zero-width space', 'ana\u200B@team.example'],
    ['a very long name', `${'a'.repeat(65)}@team.example`],
  ])('smuggles in another one by %s', async (_, address) => {
    expect(await bench.refusal(mailTo([address]))).toContain('is not one plain mail address.');
  });

  test('looks like somebody else in the refusal', async () => {
    expect(await bench.refusal(mailTo(['аna@example.com']))).toContain('"[U+0430]na@example.com"');
    expect(await bench.refusal(mailTo(['ana\u202E@example.com']))).toContain('"ana[U+202E]@example.com"');
  });

  test('is refused though it was granted', async () => {
    const all = await bench.prepare(
      mailTo(['ana@EXAMPLE.com'], { cc: ['Li@example.com'], bcc: ["o'brien+x@Team.Example"] }),
    );
    expect(all.target).toBe("to ana@example.com; cc Li@example.com; bcc o'brien+x@team.example");
    expect(all.title).toBe('Send mail to 3 people');
    expect((await bench.prepare(mailTo(undefined, { cc: ['ana@example.com'] }))).title).toBe(
      'Send mail to ana@example.com',
    );
  });
});

describe('a message', () => {
  test.each(['\r\nBcc: eve@evil.test', '\nX: y', '\r', '\0', '\u2028', '\u0085'])(
    'injects a header by %j',
    async (end) => {
      expect(await bench.refusal(mailTo(undefined, { subject: `Hello${end}` }))).toContain('line break');
    },
  );

  test('holds what cannot be sent as it was shown', async () => {
    expect(await bench.refusal(mailTo(undefined, { text: '\uD800' }))).toContain('half a character');
    expect(await bench.refusal(mailTo(undefined, { subject: '\uDC00' }))).toContain('half a character');
    expect(await bench.refusal(mailTo(undefined, { subject: 'a'.repeat(901) }))).toContain('longer than');
    expect(await bench.refusal(mailTo(undefined, { text: 'a'.repeat(1_000_001) }))).toContain('longer than');
  });

  test('is approved by something else than what leaves, or with the password in it', async () => {
    const own = createMailBench({ port: 9, user: LOGIN.user, secret: 'mail-password' }, { sent: SENT });
    const prepared = await own.prepare(mailTo(undefined, { bcc: ['x@team.example'] }));
    own.remove();
    expect(JSON.parse(prepared.inputText)).toEqual({
      tool: 'mail.send',
      from: 'robot@example.com',
      to: ['ana@example.com'],
      cc: [],
      bcc: ['x@team.example'],
      subject: 'Weekly numbers',
      text: 'All is well.\n',
      smtp: { host: '127.0.0.1', port: 9, security: 'none' },
    });
    expect(JSON.stringify(prepared)).not.toContain(LOGIN.password);
  });

  test('counts as safe to repeat because somebody said so', async () => {
    expect(await bench.prepare(mailTo())).toMatchObject({ effectKind: 'blind', isDestructive: true });
    const kinds = [
      { kind: 'read-only' },
      { kind: 'idempotent-by-key', dedupeWindowMs: 5 },
      { kind: 'verifiable' },
    ] as const;
    for (const declaration of kinds) {
      expect(await bench.prepare(mailTo(), declaration)).toMatchObject({ effectKind: 'blind', isDestructive: true });
    }
    const own = createMailBench({ port: 9 }, { sent: SENT });
    expect(await own.prepare(mailTo())).toMatchObject({ effectKind: 'verifiable', isDestructive: true });
    for (const declaration of kinds) expect((await own.prepare(mailTo(), declaration)).effectKind).toBe('verifiable');
    expect((await own.prepare(mailTo(), { kind: 'blind', destructive: false })).effectKind).toBe('blind');
    own.remove();
  });
});

describe('a mailbox', () => {
  test('is used though nobody granted it', async () => {
    expect(await bench.refusal(mailTo(undefined, { mailbox: 'private' }))).toContain('named "private"');
    expect(await bench.refusal(mailTo(undefined, { mailbox: 'constructor' }))).toContain('named "constructor"');
  });

  test.each([
    ['sends in the clear over the network', { host: 'mail.example.com' }, 'not be encrypted'],
    ['sends in the clear to an address that only looks local', { host: '127.0.0.1.evil.test' }, 'not be encrypted'],
    ['has a host that is none', { host: 'mail.example.com/x' }, 'not the name of a mail server'],
    ['has a user and no secret', { user: 'robot' }, 'only one of the two'],
    ['has a secret and no user', { secret: 'mail-password' }, 'only one of the two'],
  ])('%s', async (_, smtp, sentence) => {
    const own = createMailBench({ port: 9, ...smtp });
    expect(await own.refusal(mailTo())).toContain(sentence);
    own.remove();
  });

  test('has a sender or a folder that cannot be used', async () => {
    const bad = createMailBench({ port: 9 }, { sent: { ...SENT, host: 'imap.example.com' } });
    expect(await bad.refusal(mailTo())).toContain('imap.example.com would not be encrypted');
    bad.remove();
    const { user: _, secret: __, ...nobody } = SENT;
    const anonymous = createMailBench({ port: 9 }, { sent: nobody });
    expect(await anonymous.refusal(mailTo())).toContain('no user and secret');
    anonymous.remove();
    const smtp = { host: '127.0.0.1', port: 9, security: 'none' as const };
    const forged = createMailBench(smtp, { scope: { mailboxes: { work: { from: 'A <a@b.test>', smtp } } } });
    expect(await forged.refusal(mailTo())).toContain('sender of the mailbox');
    forged.remove();
  });
});
