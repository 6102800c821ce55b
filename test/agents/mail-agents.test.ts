import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ImapStandIn } from '../harness/imap-stand-in.ts';
import { MailServer } from '../harness/mail-server.ts';
import { FILESYSTEM_SERVER, Stage, strategyText } from './stage.ts';

const LOGIN = { user: 'robot@example.com', password: 'kahlköpfiger-Zebra-55' };
let stage: Stage;
let server: MailServer;
let sent: ImapStandIn;
beforeEach(async () => {
  server = await MailServer.start({ login: LOGIN });
  sent = await ImapStandIn.start({ login: LOGIN });
  stage = await Stage.start({ 'mail-password': LOGIN.password });
});
afterEach(async () => {
  await stage.close();
  await server.stop();
  await sent.stop();
});

function mailbox(more: object = {}): object {
  const login = { host: '127.0.0.1', security: 'none', user: LOGIN.user, secret: 'mail-password' };
  return { from: LOGIN.user, smtp: { ...login, port: server.port }, ...more };
}

function sentFolder(): object {
  return { sent: { host: '127.0.0.1', port: sent.port, security: 'none', user: LOGIN.user, secret: 'mail-password' } };
}

const MAIL = { tool: 'mail.send', mailbox: 'work', subject: 'Your file', text: 'It is there.' };

/** Every way in which a password can be written down. */
function forms(password: string): string[] {
  const bytes = Buffer.from(password);
  const plain = Buffer.from(`\0${LOGIN.user}\0${password}`);
  return [
    password,
    bytes.toString('latin1'),
    bytes.toString('base64'),
    plain.toString('base64'),
    encodeURIComponent(password),
  ];
}

describe('mail for each file of a folder', () => {
  test('one is refused: the others are not sent, sent twice, or it is called done; or the password is kept', async () => {
    const people = ['ana', 'ben', 'eve', 'zoe'];
    for (const name of people) writeFileSync(path.join(stage.folder, name), `For ${name}.`);
    server.refusals = { recipients: { 'eve@example.com': { status: 550, text: `no eve here, ${LOGIN.password}` } } };
    const list = { tool: 'mcp.call', server: 'files', name: 'list_directory', arguments: { path: stage.folder } };
    const names = String.raw`steps.list.output.structuredContent.content.split("\n").filter(x, x.startsWith("[FILE]")).map(x, x.substring(7))`;
    const files = stage.tapped('files', [FILESYSTEM_SERVER, stage.folder], { list_directory: { kind: 'read-only' } });
    const told =
      '{{ steps.each.output.done }} of {{ size(steps.each.output.items) }}, not {{ steps.each.output.failed }}';
    const runId = await stage.start(
      strategyText('letters', {
        scope: { hosts: stage.hosts, servers: { files }, recipients: ['@example.com'], mailboxes: { work: mailbox() } },
        start: 'list',
        states: {
          list: { type: 'tool', call: list, onSuccess: 'each' },
          each: { type: 'workset', items: names, do: 'send', parallel: 2, onSuccess: 'finish', onFailure: 'tell' },
          send: { type: 'tool', call: { ...MAIL, to: ['{{ item }}@example.com'] }, onSuccess: 'finish' },
          tell: {
            type: 'tool',
            call: { tool: 'http.request', method: 'POST', url: `${stage.receiver.origin}/told`, body: told },
            onSuccess: 'finish',
          },
        },
      }),
    );
    expect(await stage.bench.ended(runId)).toBe('done');

    expect(stage.callsAt('files')).toEqual(['list_directory']);
    expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(
      ['ana', 'ben', 'zoe'].map((name) => `${name}@example.com`),
    );
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).toBe(3);
    expect(stage.receiver.received.map(({ body }) => body)).toEqual(['3 of 4, not 1']);
    const output = stage.outputOf(runId, 'each') as { items: { id: string; ending: string; summary: string }[] };
    // A folder is listed in any order.
    const items = Object.fromEntries(output.items.map(({ id, ending, summary }) => [id, `${ending}: ${summary}`]));
    expect(Object.keys(items).toSorted()).toEqual(people);
    expect(items['zoe']).toMatch(/^done/u);
    expect(items['eve']).toMatch(/^failed-nothing-sent: .*refused eve@example\.com.*Nothing was sent to anybody/u);
    const kept = await stage.everythingKept();
    expect(kept).toContain('no eve here');
    for (const form of forms(LOGIN.password)) expect(kept).not.toContain(form);
  });
});

describe('mail whose answer is lost after the last dot', () => {
  function letter(): string {
    return strategyText('letter', {
      scope: { recipients: ['ana@example.com'], mailboxes: { work: mailbox(sentFolder()) } },
      start: 'send',
      states: { send: { type: 'tool', call: { ...MAIL, to: ['ana@example.com'] }, onSuccess: 'finish' } },
    });
  }

  test('although it lies in the folder of sent mail, it is sent again, or a person is asked', async () => {
    server.fault = { at: 'answer', how: 'cut' };
    // What a real server does: it has filed its copy before the connection is cut.
    void server
      .broken()
      .then(() => sent.messages.push(...server.received.map(({ messageId }) => `Message-ID: ${messageId}`)));
    const runId = await stage.start(letter());
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(server.received).toHaveLength(1);
    expect(stage.attempts().map((attempt) => attempt.settled_by)).toEqual(['probe']);
    expect(stage.doubts()).toEqual([expect.stringMatching(/^(?:closed|econnreset)$/u)]);
    for (const form of forms(LOGIN.password)) expect(await stage.everythingKept()).not.toContain(form);
  });

  test('and it is nowhere to be found: it is sent again without a person, or under another id', async () => {
    server.fault = { at: 'answer', how: 'cut' };
    void server.broken().then(() => (server.fault = null));
    const runId = await stage.start(letter());
    await stage.bench.reaches(runId, 'needs-recovery');
    await stage.bench.until('it was looked for', () => stage.bench.count('recovery.probed') === 1);
    expect(sent.said.filter((verb) => verb === 'UID SEARCH')).toHaveLength(1);
    expect(server.received).toHaveLength(1);
    await stage.answerUnclear(runId, 'send-again');
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(server.received).toHaveLength(2);
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).toBe(1);
  });
});
