import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseStrategy } from './load-strategy.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const published: unknown = JSON.parse(readFileSync(path.join(root, 'schemas/strategy.schema.json'), 'utf8'));
const validate = new AjvJsonSchemaValidator().getValidator(published as object);

/** Everything that the format has, once. */
const WHOLE = `fencepost: 1
id: whole
name: Whole
summary: For {{ input.who }}
input:
  who: { title: Who, default: ana }
scope:
  folders: ['{{ input.who }}']
  programs: [node]
  hosts: [api.example.com]
  recipients: ['@example.com']
  servers:
    files: { command: [node, server.js], secretEnv: { TOKEN: files-token }, effects: { read: { kind: read-only } } }
    remote: { url: 'https://mcp.example.com/', secretHeaders: { Authorization: { secret: remote, prefix: 'Bearer ' } } }
  mailboxes:
    me: { from: me@example.com, smtp: { host: h, port: 465 }, sent: { host: h, port: 993 } }
  models:
    small: { provider: openai, model: m, baseUrl: 'http://127.0.0.1:1/', inputPricePerMillion: 1, outputPricePerMillion: 2 }
triggers:
  schedules: [{ id: daily, cron: '0 9 * * *', timeZone: Europe/Berlin, missed: each }]
  files: [{ id: inbox, folder: /tmp/inbox, pattern: '*.txt', as: who }]
  webhooks: [{ id: hook, secret: hook-token, as: who }]
  afterRuns: [{ id: then, agent: other, endings: [done, stopped] }]
start: think
states:
  think:
    type: model
    model: small
    prompt: Help {{ input.who }}
    costBudget: 1
    retry: { attempts: 3 }
    tools:
      - { server: files, names: [read] }
      - name: post
        description: Posts
        parameters: { type: object }
        call: { tool: http.request, method: POST, url: 'https://api.example.com/{{ args.id }}' }
        effect: { kind: blind }
    onSuccess: [{ when: 'steps.think.output.turns > 1', to: each }, { to: split }]
    onFailure: [{ class: transient, to: pause }, { to: stop }]
    onUnclear: ask
  ask: { type: approve, question: Go on?, of: count, onSuccess: count, onFailure: stop }
  count:
    type: script
    call: { tool: script, interpreter: node, source: 'console.log(1)', args: ['{{ input.who }}'] }
    onSuccess: end
  each: { type: workset, items: steps.think.output.files, id: item.id, do: write, parallel: 2, onSuccess: split }
  write:
    type: tool
    call: { tool: mcp.call, server: files, name: write, arguments: { path: '{{ item.path }}', deep: [1, { a: null }] } }
    effect: { kind: compensable, undo: { tool: shell, argv: [node, undo.js] } }
    onSuccess: end
  split: { type: fork, branches: { mail: mail, pause: pause }, join: gather }
  mail:
    type: tool
    call: { tool: mail.send, mailbox: me, to: [ana@example.com], subject: Hello, text: Hello }
    effect: { kind: verifiable }
    onSuccess: gather
  gather: { type: join, need: any, onSuccess: pick }
  pick: { type: choice, branches: [{ when: 'input.who == "ana"', to: end }, { value: a, is: a, to: end }], otherwise: end }
  pause: { type: wait, forMs: 1000, onSuccess: gather }
  stop: { type: fail, reason: 'Because of {{ input.who }}' }
  end: { type: done }
`;

/** What an editor says, which reads the published schema, and what the host says. */
function opinionsOn(text: string): { editor: boolean; host: boolean } {
  return { editor: validate(parse(text)).valid, host: parseStrategy('a.yaml', text).ok };
}

describe('an editor that reads the published schema', () => {
  test('turns away what the host takes', () => {
    const parsed = parseStrategy('a.yaml', WHOLE);
    expect(parsed.ok ? [] : parsed.error).toEqual([]);
    expect(validate(parse(WHOLE)).errorMessage).toBeUndefined();
  });

  test.each([
    ['an unknown field in a state', 'forMs: 1000', 'forMs: 1000, whne: 1'],
    ['an unknown field in a server', "{ url: 'https://mcp", "{ urll: 1, url: 'https://mcp"],
    ['an unknown field in a mailbox', 'smtp: { host: h', 'smtp: { hots: h, host: h'],
    ['an unknown field in a model', '{ provider: openai', '{ baseURL: 1, provider: openai'],
    ['a server that is neither a program nor an address', 'command: [node, server.js], ', ''],
    ['an edge that is neither a name nor a list', 'of: count, onSuccess: count', 'of: count, onSuccess: 7'],
    ['a class of success', "[{ when: 'steps", "[{ class: transient, when: 'steps"],
    ['a class that does not exist', 'class: transient', 'class: transent'],
    ['a tool that does not exist', 'tool: mail.send', 'tool: mail.sent'],
    ['a question to a model as a tool', 'tool: shell', 'tool: model.call'],
    [
      'a script as a tool',
      '{ tool: mcp.call, server: files, name: write',
      '{ tool: script, interpreter: node, source: a',
    ],
    ['too many items at a time', 'parallel: 2', 'parallel: 9'],
    ['an attempt that is no repeat', 'attempts: 3', 'attempts: 1'],
    ['a join that needs something else', 'need: any', 'need: most'],
    ['a missed slot that is neither skipped nor made up for', 'missed: each', 'missed: all'],
  ])('takes %s, which the host turns away', (_, good, bad) => {
    expect(WHOLE).toContain(good);
    expect(opinionsOn(WHOLE.replace(good, bad))).toEqual({ editor: false, host: false });
  });
});
