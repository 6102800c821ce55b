import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../shared/contract/tool-calls.ts';
import { createBench } from '../tools/testing/tool-bench.ts';
import type { ToolBench } from '../tools/testing/tool-bench.ts';
import { createMailBench, LOGIN, mailTo } from '../tools/mail/testing/mail-bench.ts';
import { createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';
import { toolsView } from './tools.ts';

const SENT = {
  host: '127.0.0.1',
  port: 1143,
  security: 'none' as const,
  folder: 'Sent',
  user: LOGIN.user,
  secret: 'mail-password',
};
let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function kindOf(tool: string, when: string): string | undefined {
  const row = toolsView(bench.source).tools.find((each) => each.tool === tool);
  return row?.effects.find((effect) => effect.when === when)?.kind;
}

async function preparedBy(tools: ToolBench, call: ToolCall): Promise<string> {
  try {
    return (await tools.prepare(call)).effectKind;
  } finally {
    tools.remove();
  }
}

describe('the tools that are told of', () => {
  it('are others than an agent uses, or without who uses them', () => {
    const { tools } = toolsView(bench.source);
    const used = tools.filter(({ agents }) => agents.length > 0);
    expect(used.map(({ tool, agents }) => [tool, agents])).toEqual([
      ['file.write', [{ agentId: 'poster', name: 'Poster' }]],
      ['http.request', [{ agentId: 'poster', name: 'Poster' }]],
    ]);
    expect(new Set(tools.map(({ tool }) => tool)).size).toBe(7);
  });

  it.each([
    ['reading', { tool: 'http.request', method: 'GET', url: 'http://127.0.0.1:9/' }],
    ['changing', { tool: 'http.request', method: 'POST', url: 'http://127.0.0.1:9/' }],
    ['always', { tool: 'shell', argv: ['node', '-v'] }],
    ['always', { tool: 'script', interpreter: 'node', source: '1', args: [] }],
  ] as const)('have another kind here than when they act: %s, %o', async (when, call) => {
    const tools = createBench({ programs: ['node'], hosts: ['127.0.0.1:9'] });
    const told = kindOf(call.tool, when);
    expect(told).toBeDefined();
    expect(await preparedBy(tools, call as unknown as ToolCall)).toBe(told);
  });

  it('have another kind here than when they act: a file', async () => {
    const tools = createBench();
    const call: ToolCall = { tool: 'file.write', path: `${tools.folder}/a.txt`, content: 'a', mode: 'create' };
    expect(await preparedBy(tools, call)).toBe(kindOf('file.write', 'always'));
  });

  it.each([
    ['with-sent-folder', { sent: SENT }],
    ['without-sent-folder', {}],
  ] as const)('have another kind here than when they act: mail %s', async (when, mailbox) => {
    const told = kindOf('mail.send', when);
    expect(told).toBeDefined();
    expect(await preparedBy(createMailBench({ port: 9 }, mailbox), mailTo())).toBe(told);
  });
});
