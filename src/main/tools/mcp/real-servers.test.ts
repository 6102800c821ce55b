import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StrategyScope, ToolServer } from '../../../shared/contract/scope.ts';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';
import type { ToolRun } from '../tool.ts';
import { resultOutput } from './result-output.ts';

const require = createRequire(import.meta.url);
// Servers are programs of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
let bench: ToolBench;
let scope: StrategyScope;
beforeAll(() => {
  bench = createBench();
  mkdirSync(bench.folder);
  scope = {
    ...bench.scope,
    servers: {
      everything: server([process.execPath, everything]),
      // A folder that only its arguments name: what the agent itself may write is another matter.
      files: server([process.execPath, filesystem, bench.folder]),
    },
  };
});
afterAll(async () => {
  await bench.tools.close();
  bench.remove();
});

function server(command: string[], more: Partial<ToolServer> = {}): ToolServer {
  return { command, effects: {}, ...more };
}

type McpCall = Extract<ToolCall, { tool: 'mcp.call' }>;
function call(of: string, name: string, given: McpCall['arguments'] = {}, more: Partial<McpCall> = {}): McpCall {
  return { tool: 'mcp.call', server: of, name, arguments: given, ...more };
}

async function prepare(of: McpCall, within: StrategyScope = scope) {
  const prepared = await bench.tools.prepare(of, undefined, within);
  if (!prepared.ok) throw new Error(`${prepared.error.code}: ${prepared.error.message}`);
  return prepared.value;
}

async function run(of: McpCall): Promise<ToolRun> {
  return await bench.tools.perform(await prepare(of), context());
}

interface McpOutput {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent: Json;
  readonly isError: boolean;
}
function outputOf(of: ToolRun): McpOutput {
  return of.output as unknown as McpOutput;
}

describe('a call', () => {
  test('does something else than was prepared, or does it while it is prepared', async () => {
    const file = path.join(bench.folder, 'note.txt');
    const prepared = await prepare(call('files', 'write_file', { path: file, content: 'as it is' }));
    expect(existsSync(file)).toBe(false);
    expect(prepared).toMatchObject({
      effectKind: 'blind',
      isDestructive: true,
      title: 'Call write_file on files',
      target: `write_file on ${[process.execPath, filesystem, bench.folder].join(' ')}`,
    });
    const written = await bench.tools.perform(prepared, context());
    expect(written.outcome).toEqual({ kind: 'success' });
    expect(readFileSync(file, 'utf8')).toBe('as it is');
    const read = outputOf(await run(call('files', 'read_text_file', { path: file })));
    expect(read).toMatchObject({ content: [{ type: 'text', text: 'as it is' }], isError: false });
  });

  test('is taken for a success when the server reports an error', async () => {
    const outside = path.join(bench.outside, 'other.txt');
    writeFileSync(outside, 'not yours');
    const read = await run(call('files', 'read_text_file', { path: outside }));
    expect(read.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'tool-error', wasSent: true });
    expect(JSON.stringify(read.output)).not.toContain('not yours');
  });

  test('loses its structured result', async () => {
    const weather = await run(call('everything', 'get-structured-content', { location: 'Chicago' }));
    expect(weather.outcome).toEqual({ kind: 'success' });
    expect(outputOf(weather).structuredContent).toMatchObject({ conditions: expect.any(String) as string });
  });

  test('is answered too late although the server tells of its progress', async () => {
    const words: string[] = [];
    const slow = call(
      'everything',
      'trigger-long-running-operation',
      { duration: 30, steps: 100 },
      { timeoutMs: 1_500 },
    );
    const late = await bench.tools.perform(await prepare(slow), {
      ...context(),
      onProgress: (text) => words.push(text),
    });
    expect(late.outcome).toEqual({ kind: 'unclear', code: 'timeout' });
    expect(words[0]).toMatch(/^\d+ of 100$/u);
  });

  test('gets the answer of another one that runs at the same time', async () => {
    const sums = await Promise.all(
      [1, 2, 3, 4, 5].map(
        async (a) => outputOf(await run(call('everything', 'get-sum', { a, b: 100 }))).content[0]?.text,
      ),
    );
    expect(sums.map((sum) => /is (\d+)/u.exec(sum ?? '')?.[1])).toEqual(['101', '102', '103', '104', '105']);
  });
});

describe('preparing allows what could not be', () => {
  test.each([
    ['a server that was not granted', call('other', 'echo'), /may not use a tool server/u],
    ['a server by the name of what every object has', call('constructor', 'echo'), /may not use a tool server/u],
    ['a tool that is not there', call('everything', 'no-such-tool'), /no tool named "no-such-tool"/u],
    ['arguments that do not fit', call('everything', 'get-sum', { a: 'one', b: 2 }), /do not fit/u],
    ['arguments that are missing', call('everything', 'echo'), /do not fit/u],
  ])('%s', async (_, wrong, sentence) => {
    const prepared = await bench.tools.prepare(wrong, undefined, scope);
    expect(prepared.ok ? '' : prepared.error.message).toMatch(sentence);
  });

  test.each([
    ['a program that is not there', { command: ['no-such-program'] }, /no program no-such-program/u],
    ['a program by a path from somewhere', { command: ['./server'] }, /full path/u],
    ['a program that is no server', { command: [process.execPath, '-e', '0'] }, /ended before .* Nothing was sent/u],
    ['a folder outside', { command: [process.execPath, everything], cwd: '/' }, /outside the folders/u],
    ['an argument that is cut short', { command: [process.execPath, 'a\0b'] }, /cannot take/u],
  ])('%s', async (_, definition, sentence) => {
    const within = { ...scope, servers: { odd: server([], definition) } };
    const prepared = await bench.tools.prepare(call('odd', 'echo', { message: 'a' }), undefined, within);
    expect(prepared.ok ? '' : prepared.error.message).toMatch(sentence);
  });

  test('a command line that is another one than was approved', async () => {
    const echo = call('everything', 'echo', { message: 'a' });
    const texts = [];
    for (const command of [
      [process.execPath, everything],
      [process.execPath, everything, 'stdio'],
    ]) {
      texts.push((await prepare(echo, { ...scope, servers: { everything: server(command) } })).inputText);
    }
    expect(new Set(texts).size).toBe(2);
    expect(texts[1]).toContain(JSON.stringify([process.execPath, everything, 'stdio']));
    // What was prepared for one command line is not carried out with another.
    const prepared = await prepare(echo);
    const other = { ...scope, servers: { everything: server([process.execPath, everything, 'stdio']) } };
    const performed = await bench.tools.perform({ ...prepared, scope: other }, context());
    expect(performed.outcome).toMatchObject({ kind: 'failure', code: 'tool-changed', wasSent: false });
  });
});

test('a model is offered tools that the server does not have', async () => {
  const described = await bench.tools.describeTools('files', scope);
  if (!described.ok) throw new Error(described.error.message);
  const write = described.value.find(({ name }) => name === 'write_file');
  expect(write).toMatchObject({ parameters: { type: 'object', required: ['path', 'content'] } });
  expect(write?.description).toContain('overwrite');
  expect((await bench.tools.describeTools('other', scope)).ok).toBe(false);
});

test('a result fills the memory, or a picture is cut in two', () => {
  const big = 'ä'.repeat(OUTPUT_LIMIT_BYTES);
  const output = resultOutput({
    content: [
      { type: 'text', text: 'small' },
      { type: 'image', data: 'A'.repeat(OUTPUT_LIMIT_BYTES), mimeType: 'image/png' },
      { type: 'text', text: big },
    ],
    structuredContent: { big },
  }) as unknown as McpOutput;
  expect(output).toMatchObject({ structuredContent: null, structuredContentOmittedBytes: 2 * OUTPUT_LIMIT_BYTES + 10 });
  expect(output.content[0]).toEqual({ type: 'text', text: 'small' });
  expect(output.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  expect(output.content[1]).not.toHaveProperty('data');
  expect(output.content[2]?.text).toMatch(/^ä+\n\[cut after \d+ bytes\]$/u);
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(OUTPUT_LIMIT_BYTES + 1_000);
});
