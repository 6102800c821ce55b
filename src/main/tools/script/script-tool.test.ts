import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scopeSchema } from '../../../shared/contract/scope.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import { createTools } from '../create-tools.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import type { Tools } from '../tool.ts';

type ScriptCall = Extract<ToolCall, { tool: 'script' }>;

const node = process.execPath;
let bench: ToolBench;
let scripts: string;
let tools: Tools;
let scope: StrategyScope;
beforeEach(() => {
  bench = createBench({ programs: [node, 'sh'] });
  mkdirSync(bench.folder);
  scripts = path.join(bench.outside, 'scripts');
  tools = createTools({ protectedFolders: [scripts], homeFolder: bench.outside, scriptFolder: scripts });
  scope = scopeSchema.parse(bench.scope);
});
afterEach(() => bench.remove());

function script(source: string, more: Partial<ScriptCall> = {}): ScriptCall {
  return { tool: 'script', interpreter: node, source, args: [], ...more };
}

async function run(call: ScriptCall, signal?: AbortSignal) {
  const prepared = await tools.prepare(call, undefined, scope);
  if (!prepared.ok) throw new Error(prepared.error.message);
  return await tools.perform(prepared.value, context(signal));
}

describe('a script runs as something else than was approved', () => {
  test('in node, with arguments that look like options', async () => {
    const source = 'console.log(JSON.stringify([process.argv.slice(2), process.cwd(), process.env.MODE]))';
    const args = ['-e', '1', '--eval=2', '$(x)', '', 'ä\n'];
    const ran = await run(script(source, { args, env: { MODE: 'a' } }));
    expect(ran.outcome).toEqual({ kind: 'success' });
    expect(JSON.parse((ran.output as { stdout: string }).stdout)).toEqual([args, bench.folder, 'a']);
  });

  test.each([
    ['an import', 'import os from "node:os"; console.log(typeof os)'],
    ['a require', 'const os = require("node:os"); console.log(typeof os)'],
  ])('in node, with %s', async (_, source) => {
    expect((await run(script(source))).output).toMatchObject({ exitCode: 0, stdout: 'object\n' });
  });

  test.skipIf(process.platform === 'win32')('in sh', async () => {
    const ran = await run(script('printf %s "$1-$FENCEPOST_EFFECT_ID"; exit 3', { interpreter: 'sh', args: ['a b'] }));
    expect(ran.output).toEqual({ exitCode: 3, stdout: 'a b-effect-1', stderr: '' });
    expect(ran.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'exit-3', wasSent: true });
  });

  test('because not all of it was shown or digested', async () => {
    const call = script('1', { args: ['a'], env: { A: 'b' }, secretEnv: { B: 'key' } });
    const prepared = await tools.prepare(call, undefined, scope);
    expect(prepared).toMatchObject({ ok: true, value: { effectKind: 'blind', commandKind: 'script' } });
    if (!prepared.ok) return;
    const { tool, interpreter, source, args, env, secretEnv } = call;
    const whole = { tool, interpreter, source, args, env, secretEnv, cwd: bench.folder };
    expect(JSON.parse(prepared.value.inputText)).toEqual(whole);
    const entry = createHash('sha256').update('1').digest('hex');
    expect(prepared.value.recipient).toEqual({ recipient: 'script', runtimeId: node, entry });
  });
});

describe('a script is let out of its scope', () => {
  test.each([
    [{ interpreter: 'python3' }, 'may not start'],
    [{ interpreter: './sh' }, 'may not start'],
    [{ cwd: '/' }, 'outside'],
    [{ env: { NODE_OPTIONS: '--import=x' } }, 'other code'],
    [{ secretEnv: { LD_PRELOAD: 'key' } }, 'other code'],
    [{ args: ['a\0b'] }, 'cannot take'],
    [{ source: '\uD800' }, 'half a character'],
  ])('with %j', async (more, words) => {
    expect(await bench.refusal(script('1', more))).toContain(words);
  });

  test('or may lie where the agent can change it', async () => {
    const ran = await run(script('console.log(__filename)'));
    const { stdout } = ran.output as { stdout: string };
    expect(path.dirname(path.dirname(stdout.trim()))).toBe(scripts);
    const inside = { ...scope, folders: [bench.outside] };
    const place: ToolCall = { tool: 'file.write', path: stdout.trim(), content: 'x', mode: 'create' };
    expect((await tools.prepare(place, undefined, inside)).ok).toBe(false);
  });
});

describe('a script is left behind', () => {
  test.each<[string, string, Partial<ScriptCall>]>([
    ['it ended', 'process.exit(0)', {}],
    ['it failed', 'throw new Error("x")', {}],
    ['it was cut short', 'setInterval(() => {}, 1000)', { timeoutMs: 700 }],
    ['it found no folder to run in', '1', { cwd: '~/granted/gone' }],
  ])('after %s', async (_, source, more) => {
    await run(script(source, more));
    expect(readdirSync(scripts)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('where other accounts can read it', async () => {
    const ran = await run(script('console.log(__filename)'));
    expect(existsSync((ran.output as { stdout: string }).stdout.trim())).toBe(false);
    const look = `const fs=require("fs");const p=require("path");
      console.log(fs.statSync(p.dirname(__filename)).mode&0o777,fs.statSync(__filename).mode&0o777)`;
    expect((await run(script(look))).output).toMatchObject({ stdout: '448 384\n' });
    expect(statSync(scripts).mode & 0o777).toBe(0o700);
  });

  test('as an answer that it was never started', async () => {
    const ran = await run(script('1'), AbortSignal.abort());
    expect(ran.outcome).toMatchObject({ code: 'aborted', wasSent: false });
    expect(readdirSync(scripts)).toEqual([]);
  });
});

test('a declared undo of a script is let out of the scope', async () => {
  const undo: Extract<ToolCall, { tool: 'shell' }> = { tool: 'shell', argv: ['rm', 'x'] };
  expect(await bench.refusal(script('1'), { kind: 'compensable', undo })).toContain('may not start');
  const probe: Extract<ToolCall, { tool: 'shell' }> = { tool: 'shell', argv: [node, '-e', 'process.exit(1)'] };
  const prepared = await bench.prepare(script('1'), { kind: 'verifiable', probe });
  expect((await bench.tools.verify(prepared, context())).answer).toBe('did-not-happen');
});
