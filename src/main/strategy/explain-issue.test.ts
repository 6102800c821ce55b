import { describe, expect, test } from 'vitest';
import { parseStrategy } from './load-strategy.ts';

const POST = `    type: tool
    call:
      tool: http.request
      url: https://api.example.com/
`;
const THINK = '    type: model\n    model: small\n    prompt: p\n    onSuccess: end\n';
const MAILBOX = 'scope:\n  mailboxes:\n    me:\n      from: a@b.c\n';

/** Every problem of a strategy as an editor would show it: line, column, field and sentence. */
function problemsIn({ top = '', post = `${POST}    onSuccess: end\n` }: { top?: string; post?: string }): string[] {
  const text = `fencepost: 1\nid: demo\nname: Demo\nstart: post\n${top}states:\n  end:\n    type: done\n  post:\n${post}`;
  const parsed = parseStrategy('demo.yaml', text);
  return parsed.ok ? [] : parsed.error.map((each) => `${each.line}:${each.column} ${each.field}: ${each.message}`);
}

describe('an edge that is neither a name nor a list', () => {
  const WAYS = 'must be the name of a state, or a list of ways such as [{ to: end }]';
  const onSuccess = (value: string) => problemsIn({ post: `${POST}    onSuccess: ${value}\n` });

  test.each([
    ['7', `13:16 states.post.onSuccess: "onSuccess" ${WAYS}, not a number.`],
    ['{ to: end }', `13:5 states.post.onSuccess: "onSuccess" ${WAYS}, not a group of fields.`],
    ['', `13:16 states.post.onSuccess: "onSuccess" ${WAYS}, not empty.`],
    ['[]', '13:5 states.post.onSuccess: "onSuccess" must have at least 1 entry.'],
    ['[end]', '13:17 states.post.onSuccess.0: Entry 1 of "onSuccess" must be a group of fields, not text.'],
    ['[{ to: end }, { when: "true" }]', '13:30 states.post.onSuccess.1.to: The field "to" is missing.'],
    [
      '[{ whne: "true", to: end }]',
      '13:19 states.post.onSuccess.0.whne: There is no field "whne" here. Did you mean "when"?',
    ],
    ['[{ class: transient, to: end }]', '13:19 states.post.onSuccess.0.class: There is no field "class" here.'],
    [
      '[{ to: The End }]',
      '13:23 states.post.onSuccess.0.to: A state name has lower-case letters, digits and dashes, and begins with a letter.',
    ],
  ])('is not explained: %s', (value, problem) => {
    expect(onSuccess(value)).toEqual([problem]);
  });

  test('is not explained where it is about a failure', () => {
    const onFailure = (value: string) => problemsIn({ post: `${POST}    onSuccess: end\n    onFailure: ${value}\n` });
    expect(onFailure('true')).toEqual([`14:16 states.post.onFailure: "onFailure" ${WAYS}, not true or false.`]);
    expect(onFailure('[{ class: transent, to: end }]')).toEqual([
      '14:26 states.post.onFailure.0.class: "class" must be one of transient, permanent, authority, runtime. Did you mean "transient"?',
    ]);
  });
});

describe('a mistake inside a part that may have several forms', () => {
  const server = (lines: string) => problemsIn({ top: `scope:\n  servers:\n    files: ${lines}\n` });
  const tools = (lines: string) => problemsIn({ post: `${THINK}    tools: ${lines}\n` });

  test.each([
    ['{ comand: [node] }', '7:14 scope.servers.files.comand: There is no field "comand" here. Did you mean "command"?'],
    ['{ command: [node], enw: {} }', '7:31 scope.servers.files.enw: There is no field "enw" here. Did you mean "env"?'],
    ['{ command: node server.js }', '7:23 scope.servers.files.command: "command" must be a list, not text.'],
    [
      '{ command: [node], url: "https://x.example/" }',
      '7:5 scope.servers.files: "files" cannot have "url" and "command" together.',
    ],
    ['{}', '7:5 scope.servers.files: "files" needs "command" or "url".'],
    ['node', '7:12 scope.servers.files: "files" must be a group of fields, not text.'],
    [
      '{ url: nowhere }',
      '7:19 scope.servers.files.url: "url" must be a whole web address, such as https://example.com/.',
    ],
    [
      '{ command: [node], effects: { write: { kind: blnd } } }',
      '7:57 scope.servers.files.effects.write.kind: "kind" must be one of read-only, idempotent-by-key, verifiable, compensable, blind. Did you mean "blind"?',
    ],
    [
      '{ command: [node], secretEnv: { TOKEN: My Token } }',
      '7:51 scope.servers.files.secretEnv.TOKEN: "TOKEN" must begin with a lower-case letter and have at most 64 lower-case letters, digits and dashes.',
    ],
  ])('is not explained in a server: %s', (lines, problem) => {
    expect(server(lines)).toEqual([problem]);
  });

  test.each([
    [
      'smtp: { host: h, port: 25, secrity: tls }',
      '9:34 scope.mailboxes.me.smtp.secrity: There is no field "secrity" here. Did you mean "security"?',
    ],
    ['smtp: { host: h, port: "25" }', '9:30 scope.mailboxes.me.smtp.port: "port" must be a number, not text.'],
    [
      'smtp: { host: h, port: 25, security: ssl }',
      '9:44 scope.mailboxes.me.smtp.security: "security" must be one of tls, starttls, none.',
    ],
  ])('is not explained in a mailbox: %s', (lines, problem) => {
    expect(problemsIn({ top: `${MAILBOX}      ${lines}\n` })).toEqual([problem]);
  });

  test.each([
    [
      '{ provider: openai, model: m, baseURL: "http://x" }',
      '7:42 scope.models.small.baseURL: There is no field "baseURL" here. Did you mean "baseUrl"?',
    ],
    [
      '{ provider: opnai, model: m }',
      '7:24 scope.models.small.provider: "provider" must be one of openai, anthropic. Did you mean "openai"?',
    ],
    ['{ provider: openai }', '7:5 scope.models.small.model: The field "model" is missing.'],
  ])('is not explained in a model: %s', (lines, problem) => {
    expect(problemsIn({ top: `scope:\n  models:\n    small: ${lines}\n` })).toEqual([problem]);
  });

  test.each([
    ['[files]', '13:13 states.post.tools.0: Entry 1 of "tools" must be a group of fields, not text.'],
    [
      '[{ server: files, nmes: [a] }]',
      '13:30 states.post.tools.0.nmes: There is no field "nmes" here. Did you mean "names"?',
    ],
    [
      '[{ name: a, description: d, parameters: {}, call: { tool: shell, argv: a } }]',
      '13:83 states.post.tools.0.call.argv: "argv" must be a list, not text.',
    ],
  ])('is not explained in the tools of a model: %s', (lines, problem) => {
    expect(tools(lines)).toEqual([problem]);
  });

  test('is not explained where a value may be a word or a number', () => {
    const need = (value: string) => problemsIn({ post: `    type: join\n    need: ${value}\n    onSuccess: end\n` });
    expect(need('most')).toEqual(['10:11 states.post.need: "need" must be all, any or a number, not text.']);
    expect(need('0')).toEqual(['10:11 states.post.need: "need" must be at least 1.']);
  });

  test('is not explained where a value may be anything that JSON has', () => {
    const post =
      '    type: tool\n    call: { tool: mcp.call, server: a, name: b, arguments: { n: .nan } }\n    onSuccess: end\n';
    expect(problemsIn({ post })[0]).toContain(
      '10:65 states.post.call.arguments.n: "n" must be text, a number, true or false, empty, a list or a group of fields, not NaN.',
    );
  });
});

describe('a mistake that only the core can see', () => {
  test('does not say where', () => {
    const top = 'scope:\n  recipients:\n    - "{{ steps.post.output.body }}"\n';
    expect(problemsIn({ top })).toEqual([
      '7:7 scope.recipients.0: The scope is written as it is, without {{ }}: a person must be able to read what is granted.',
    ]);
    expect(
      problemsIn({ post: `${POST}    onSuccess:\n      - when: 1 +\n        to: end\n      - to: end\n` }),
    ).toEqual(['14:15 states.post.onSuccess.0.when: This expression cannot be used: Unexpected token: EOF']);
    const post =
      '    type: tool\n    call:\n      tool: shell\n      argv:\n        - echo\n        - "{{ 1 + }}"\n    onSuccess: end\n';
    expect(problemsIn({ post })).toEqual([
      '14:11 states.post.call.argv.1: A place in this text cannot be filled: Unexpected token: EOF',
    ]);
  });
});

describe('a hostile part that may have several forms', () => {
  test('holds up the host, or fills the window with problems', () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => `k${index}: .nan`).join(', ');
    const post = `    type: tool\n    call: { tool: mcp.call, server: a, name: b, arguments: { n: { ${fields} } } }\n    onSuccess: end\n`;
    expect(problemsIn({ post })).toHaveLength(50);
  }, 20_000);

  test.each([65, 700, 1_500, 20_000])('overflows the stack of what reads it, %i deep', (depth) => {
    const nested = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    const post = `    type: tool\n    call: { tool: mcp.call, server: a, name: b, arguments: { n: ${nested} } }\n    onSuccess: end\n`;
    expect(problemsIn({ post })[0]).toContain('The file is nested too deeply.');
  });
});
