import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { GROUP_LIMITS, fromPs } from './group-limits.ts';
import { runProgram } from './run-program.ts';

const node = process.execPath;

async function run(source: string, limits: Partial<typeof GROUP_LIMITS>) {
  return await runProgram({
    file: node,
    argv: [node, '-e', source],
    cwd: tmpdir(),
    environment: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    limits: { ...GROUP_LIMITS, ...limits },
  });
}

describe.skipIf(process.platform === 'win32')('a program takes the device over', () => {
  test('with its memory', async () => {
    const source = 'globalThis.kept=Buffer.alloc(200<<20,1); setInterval(()=>{},1000)';
    const { end } = await run(source, { residentBytes: 150 * 1024 * 1024 });
    expect(end).toEqual({ kind: 'cut-short', code: 'memory-limit' });
  });

  test('with the memory of its children, or their number', async () => {
    const source = `for(let i=0;i<4;i++) require("child_process").spawn("sleep",["60"]);setInterval(()=>{},1000)`;
    expect((await run(source, { processes: 3 })).end).toEqual({ kind: 'cut-short', code: 'process-limit' });
  });

  test('no: it stays below the limits and is left alone', async () => {
    const { end } = await run('setTimeout(()=>process.exit(4),2500)', { processes: 3 });
    expect(end).toEqual({ kind: 'exited', exitCode: 4 });
  });

  test('and nobody sees it where only ps tells', async () => {
    const child = spawn(node, ['-e', 'console.log(1); setInterval(()=>{},1000)'], { detached: true });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const usage = await fromPs(child.pid ?? 0);
    child.kill('SIGKILL');
    expect(usage.processes).toBe(1);
    expect(usage.residentBytes).toBeGreaterThan(10 * 1024 * 1024);
  });
});
