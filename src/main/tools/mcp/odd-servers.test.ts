import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StrategyScope, ToolServer } from '../../../shared/contract/scope.ts';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import { NO_SECRETS } from '../../secrets/no-secrets.ts';
import { createCallSecrets } from '../call-secrets.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import type { ToolRun } from '../tool.ts';
import { createMcpTool } from './mcp-tool.ts';
import type { McpCall } from './mcp-tool.ts';

// Every test starts a program, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ODD_SERVER = path.resolve('test/fixtures/servers/odd-server.mjs');
let place: string;
let bench: ToolBench;
beforeEach(() => {
  place = mkdtempSync(path.join(os.tmpdir(), 'fencepost-odd-'));
  bench = createBench({ servers: { odd: odd() } });
});
afterEach(async () => {
  await bench.tools.close();
  bench.remove();
  rmSync(place, { recursive: true, force: true });
});

function odd(more: Partial<ToolServer> = {}): ToolServer {
  const logFile = path.join(place, 'log');
  return { command: [process.execPath, ODD_SERVER], env: { ODD_LOG: logFile }, effects: {}, ...more };
}

function call(name: string, given: Record<string, string | number> = {}, timeoutMs?: number): ToolCall {
  return {
    tool: 'mcp.call',
    server: 'odd',
    name,
    arguments: given,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** What reached the server, in its own words. */
function seen(word: string): number {
  const logFile = path.join(place, 'log');
  const lines = existsSync(logFile) ? readFileSync(logFile, 'utf8').split('\n') : [];
  return lines.filter((line) => line === word).length;
}

function textOf(run: ToolRun): string {
  const { content } = run.output as unknown as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000, interval: 20 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that nobody reaped yet is dead all the same.
    return process.platform !== 'linux' || !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a call whose server misbehaves is taken for answered or for not sent', () => {
  test('when the server dies in the middle, and it is sent a second time', async () => {
    const run = await bench.run(call('die'));
    expect(run.outcome).toEqual({ kind: 'unclear', code: 'server-ended' });
    expect(run.summary).toContain('left for odd');
    expect(seen('die')).toBe(1);
    // The next call gets a fresh server; nothing of the one before is repeated.
    expect((await bench.run(call('echo', { word: 'again' }))).outcome).toEqual({ kind: 'success' });
    expect([seen('greeting'), seen('die'), seen('echo')]).toEqual([2, 1, 1]);
  });

  test('when the answer is the last thing it does', async () => {
    const run = await bench.run(call('die-after-answer'));
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(textOf(run)).toBe('last words');
  });

  test('when it never answers; it is told, and the next call finds a server that works', async () => {
    expect((await bench.run(call('hang', {}, 300))).outcome).toEqual({ kind: 'unclear', code: 'timeout' });
    await until(() => seen('cancelled') === 1);
    expect((await bench.run(call('echo', { word: 'a' }))).outcome).toEqual({ kind: 'success' });
    expect([seen('hang'), seen('greeting')]).toEqual([1, 1]);
  });

  test('when it stops working altogether, and every later call waits behind it', async () => {
    expect((await bench.run(call('freeze', {}, 300))).outcome).toEqual({ kind: 'unclear', code: 'timeout' });
    expect((await bench.run(call('echo', { word: 'a' }))).outcome).toEqual({ kind: 'success' });
    expect([seen('freeze'), seen('greeting')]).toEqual([1, 2]);
  });

  test('when it is aborted on its way', async () => {
    const abort = new AbortController();
    const running = bench.tools.perform(await bench.prepare(call('hang')), context(abort.signal));
    await until(() => seen('hang') === 1);
    abort.abort();
    expect((await running).outcome).toEqual({ kind: 'unclear', code: 'aborted' });
    await until(() => seen('cancelled') === 1);
  });

  test('when it is aborted before it leaves', async () => {
    const run = await bench.tools.perform(await bench.prepare(call('hang')), context(AbortSignal.abort()));
    expect(run.outcome).toMatchObject({ kind: 'failure', code: 'aborted', wasSent: false });
    expect(run.summary).toContain('Nothing was sent');
    expect(seen('hang')).toBe(0);
  });

  test('when the host ends meanwhile', async () => {
    const running = bench.tools.perform(await bench.prepare(call('hang')), context());
    await until(() => seen('hang') === 1);
    await bench.tools.close();
    expect((await running).outcome).toEqual({ kind: 'unclear', code: 'closed' });
    expect(await bench.refusal(call('echo', { word: 'a' }))).toContain('Nothing was sent');
  });

  test('when the answer never ends', async () => {
    expect((await bench.run(call('flood'))).outcome).toEqual({ kind: 'unclear', code: 'answer-too-large' });
  });

  test('when the answer is no result, stands among other things, or is nested so deeply that nobody could keep it', async () => {
    expect((await bench.run(call('no-result'))).outcome).toEqual({ kind: 'unclear', code: 'garbage' });
    const amongOthers = await bench.run(call('garbage'));
    expect(amongOthers.outcome).toEqual({ kind: 'success' });
    expect(textOf(amongOthers)).toBe('after the garbage');
    const deep = await bench.run(call('deep'));
    expect(deep.outcome).toEqual({ kind: 'success' });
    expect(deep.output).toMatchObject({ structuredContent: { omitted: 'nested too deeply' } });
  });

  test('when it reports an error, in a result or instead of one', async () => {
    const reported = await bench.run(call('report-error'));
    expect(reported.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'tool-error', wasSent: true });
    expect(reported.output).toMatchObject({ isError: true, content: [{ type: 'text', text: 'it went wrong' }] });
    // The last two are the codes by which the SDK names its own closed connection and its own time-out.
    for (const code of [-32_601, -32_602, -32_603, -32_000, -32_001]) {
      const run = await bench.run(call('error', { code }));
      const wasSent = code !== -32_601 && code !== -32_602;
      expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: `rpc${code}`, wasSent });
      expect(run.summary).toContain('no[U+202E]');
    }
  });
});

describe('a call leaves for a tool that is not what was prepared', () => {
  test.each(['change', 'change-silently'])('after the server did %s', async (how) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const prepared = await bench.prepare(call('echo', { word: 'a' }));
      await bench.run(call(how));
      if (how === 'change-silently') vi.advanceTimersByTime(61_000);
      const run = await bench.tools.perform(prepared, context());
      expect(run.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'tool-changed', wasSent: false });
      expect(seen('echo')).toBe(0);
      const again = await bench.prepare(call('echo', { word: 'a' }));
      expect(again.inputText).not.toBe(prepared.inputText);
      expect((await bench.tools.perform(again, context())).outcome).toEqual({ kind: 'success' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('what a server says about itself relaxes what a person decided', () => {
  const readOnly = { kind: 'read-only' } as const;

  test('where nobody decided, or the server contradicts', async () => {
    expect(await bench.prepare(call('claims-to-read'))).toMatchObject({ effectKind: 'blind', isDestructive: false });
    expect(await bench.prepare(call('claims-to-read'), readOnly)).toMatchObject({ effectKind: 'read-only' });
    // Silence is no contradiction: what a person said stands.
    expect(await bench.prepare(call('echo', { word: 'a' }), readOnly)).toMatchObject({ effectKind: 'read-only' });
    expect(await bench.prepare(call('admits-to-write'), readOnly)).toMatchObject({ effectKind: 'blind' });
    const destroying = await bench.prepare(call('admits-to-destroy'), readOnly);
    expect(destroying).toMatchObject({ effectKind: 'blind', isDestructive: true });
  });

  test('where the step says less than the server entry', async () => {
    const scope: StrategyScope = {
      ...bench.scope,
      servers: {
        odd: odd({
          effects: {
            hang: { kind: 'idempotent-by-key', dedupeWindowMs: 1_000 },
            die: { kind: 'read-only' },
            change: { kind: 'compensable', undo: call('echo') as McpCall },
          },
        }),
      },
    };
    const kindOf = async (name: string, declaration?: Parameters<ToolBench['prepare']>[1]) => {
      const prepared = await bench.tools.prepare(call(name), declaration, scope);
      return prepared.ok ? [prepared.value.effectKind, prepared.value.dedupeWindowMs] : prepared.error.message;
    };
    expect(await kindOf('hang')).toEqual(['idempotent-by-key', 1_000]);
    expect(await kindOf('hang', readOnly)).toEqual(['idempotent-by-key', 1_000]);
    expect(await kindOf('hang', { kind: 'idempotent-by-key', dedupeWindowMs: 5_000 })).toEqual([
      'idempotent-by-key',
      1_000,
    ]);
    expect(await kindOf('hang', { kind: 'blind', destructive: false })).toEqual(['blind', null]);
    expect(await kindOf('die')).toEqual(['read-only', null]);
    // The host looks for an undo at the step, so one that stands at the server may not be offered.
    const undone = await bench.tools.prepare(call('change'), undefined, scope);
    expect(undone.ok ? undone.value : null).toMatchObject({ effectKind: 'compensable', undo: null });
  });

  test('where its answer would count as a check', async () => {
    const probe = call('pid') as McpCall;
    expect(await bench.refusal(call('hang'), { kind: 'verifiable', probe })).toContain('cannot serve as a check');
  });
});

test('a pattern of the server runs for ever on the arguments', async () => {
  const prepared = await bench.prepare(call('echo', { word: `${'a'.repeat(40)}!` }));
  expect(prepared.effectKind).toBe('blind');
});

test('a server that nobody uses runs for ever, or is missed when it is used again', async () => {
  const tool = createMcpTool({ protectedFolders: [], homeFolder: place }, 50);
  const { signal } = new AbortController();
  const { reader: secrets } = createCallSecrets(NO_SECRETS, signal);
  const pid: McpCall = { tool: 'mcp.call', server: 'odd', name: 'pid', arguments: {} };
  for (let time = 1; time <= 2; time += 1) {
    const prepared = await tool.prepare(pid, undefined, bench.scope);
    if (!prepared.ok) throw new Error(prepared.error.message);
    const run = await tool.perform(prepared.value, { ...context(), secrets });
    await until(() => !isAlive(Number(textOf(run))));
    expect(seen('pid')).toBe(time);
  }
  await tool.close();
});

test.each(['the host', 'its server'])('a child of a server outlives %s', async (whom) => {
  const pids = textOf(await bench.run(call('parent')))
    .split(' ')
    .map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.every(isAlive)).toBe(true);
  if (whom === 'the host') await bench.tools.close();
  else process.kill(pids[0] ?? 0, 'SIGKILL');
  await until(() => !pids.some(isAlive));
});

describe('a secret is told', () => {
  beforeEach(() => {
    process.env['FENCEPOST_TEST_TOKEN'] = 'host-token';
    bench.remove();
    const secrets = new Map([['odd-key', 'open-sesame']]);
    bench = createBench(
      {
        servers: {
          odd: odd({ secretEnv: { ODD_KEY: 'odd-key' } }),
          missing: odd({ secretEnv: { ODD_KEY: 'no-such' } }),
          dead: odd({
            command: [process.execPath, ODD_SERVER, '--dead-on-arrival'],
            secretEnv: { ODD_KEY: 'odd-key' },
          }),
        },
      },
      { ...NO_SECRETS, read: async (name) => secrets.get(name) ?? null },
    );
  });
  afterEach(() => delete process.env['FENCEPOST_TEST_TOKEN']);

  test('by the prepared call, by the output, or the environment of the host goes along', async () => {
    const prepared = await bench.prepare(call('environment'));
    expect(JSON.stringify(prepared)).not.toContain('open-sesame');
    expect(prepared.inputText).toContain('odd-key');
    const run = await bench.tools.perform(prepared, context());
    expect(JSON.stringify(run)).not.toContain('open-sesame');
    const environment = JSON.parse(textOf(run)) as Record<string, string>;
    expect(environment).toMatchObject({ ODD_KEY: '[secret odd-key]' });
    expect(Object.keys(environment).filter((name) => /TOKEN|NODE_|LD_|VITEST/u.test(name))).toEqual([]);
  });

  test('by the last words of a server that cannot start, or a missing one goes unnoticed', async () => {
    const dead = await bench.refusal({ tool: 'mcp.call', server: 'dead', name: 'echo', arguments: {} });
    expect(dead).toContain('cannot start with [secret odd-key] Nothing was sent');
    const missing = await bench.refusal({ tool: 'mcp.call', server: 'missing', name: 'echo', arguments: {} });
    expect(missing).toContain('no secret named no-such');
  });
});
