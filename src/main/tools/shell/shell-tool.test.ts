import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';
import type { ToolRun } from '../tool.ts';

type ShellCall = Extract<ToolCall, { tool: 'shell' }>;

const node = process.execPath;
let bench: ToolBench;
beforeEach(() => {
  bench = createBench({ programs: [node, 'node', 'sh', 'no-such-program', 'tar'] });
  mkdirSync(bench.folder);
});
afterEach(() => bench.remove());

function script(source: string, timeoutMs?: number, ...args: string[]): ShellCall {
  return {
    tool: 'shell',
    argv: [node, '-e', source, '--', ...args],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

interface ShellOutput {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function outputOf(run: ToolRun): ShellOutput {
  return run.output as unknown as ShellOutput;
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !condition(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  if (!condition()) throw new Error('It did not come about.');
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

describe('arguments are read as commands', () => {
  const hostile = [
    '$(touch hacked)',
    '`touch hacked`',
    '; touch hacked',
    '&& touch hacked',
    '| touch hacked',
    '> hacked',
    '\n touch hacked\n',
    '${var@P}',
    '%PATH%',
    '"; touch hacked; "',
    "'; touch hacked; '",
    '*',
    '~',
    '',
    ' ',
    '-rf',
    '\u202Egpj.exe',
    '$IFS$9',
    '^&calc',
  ];

  test('by anything between the host and the program', async () => {
    const run = await bench.run(script('console.log(JSON.stringify(process.argv.slice(1)))', undefined, ...hostile));
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(JSON.parse(outputOf(run).stdout)).toEqual(hostile);
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  test('or a NUL cuts one short', async () => {
    expect(await bench.refusal(script('1', undefined, 'a\0b'))).toContain('cannot take');
  });
});

describe('a program starts that was not granted', () => {
  test.each(['rm', 'node.exe', './node', '../node', 'node ', '/bin/sh', 'NODE', '', 'sh\0', 'no\u0000de'])(
    'as %j',
    async (program) => {
      expect(await bench.refusal({ tool: 'shell', argv: [program, 'x'] })).toContain('may not start');
    },
  );

  test('from the folder it runs in, because PATH names it', async () => {
    writeFileSync(path.join(bench.folder, 'no-such-program'), '#!/bin/sh\necho hacked');
    chmodSync(path.join(bench.folder, 'no-such-program'), 0o755);
    const before = process.env['PATH'];
    process.env['PATH'] = ['.', '', bench.folder, before].join(path.delimiter);
    try {
      const run = await bench.run({ tool: 'shell', argv: ['no-such-program'] });
      expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'program-not-found', wasSent: false });
    } finally {
      process.env['PATH'] = before;
    }
  });

  test('outside the granted folder', async () => {
    mkdirSync(`${bench.folder}-evil`);
    symlinkSync(`${bench.folder}-evil`, path.join(bench.folder, 'link'));
    for (const cwd of [`${bench.folder}-evil`, `${bench.folder}/..`, '/', path.join(bench.folder, 'link')]) {
      expect(await bench.refusal({ tool: 'shell', argv: [node, '-v'], cwd })).toMatch(/path|outside|link/u);
    }
    const nowhere = await bench.tools.prepare({ tool: 'shell', argv: [node] }, undefined, {
      ...bench.scope,
      folders: [],
    });
    expect(nowhere.ok).toBe(false);
  });
});

describe('the outcome of a program is misread', () => {
  test('when it fails', async () => {
    const run = await bench.run(script('console.error("no"); process.exit(3)'));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'exit-3', wasSent: true });
    expect(run.output).toEqual({ exitCode: 3, stdout: '', stderr: 'no\n' });
  });

  test('when this device has no such program, or no such folder', async () => {
    const noProgram = await bench.run({ tool: 'shell', argv: ['no-such-program'] });
    expect(noProgram.outcome).toMatchObject({ kind: 'failure', code: 'program-not-found', wasSent: false });
    const noFolder = await bench.run({ tool: 'shell', argv: [node, '-v'], cwd: path.join(bench.folder, 'gone') });
    expect(noFolder.outcome).toMatchObject({ kind: 'failure', code: 'folder-missing', wasSent: false });
  });

  test('when the system cannot start it', async () => {
    const broken = path.join(bench.outside, 'broken');
    writeFileSync(broken, '#!/no/such/interpreter\n');
    chmodSync(broken, 0o755);
    const own = createBench({ programs: [broken] });
    mkdirSync(own.folder);
    const run = await own.run({ tool: 'shell', argv: [broken] });
    own.remove();
    expect(run.outcome).toMatchObject({ kind: 'failure', code: 'spawn-enoent', wasSent: false });
  });

  test('when its argument list is longer than the system takes', async () => {
    const run = await bench.run(script('1', undefined, 'x'.repeat(4 * 1024 * 1024)));
    expect(run.outcome).toMatchObject({ kind: 'failure', code: 'spawn-e2big', wasSent: false });
  });

  test('when it never answers: it may have delivered', async () => {
    const source = 'require("fs").writeFileSync("sent","1"); setInterval(()=>{},1000)';
    const run = await bench.run(script(source, 1_500));
    expect(run.outcome).toEqual({ kind: 'unclear', code: 'timeout' });
    expect(outputOf(run).exitCode).toBeNull();
    expect(existsSync(path.join(bench.folder, 'sent'))).toBe(true);
  });

  test('when somebody kills it', async () => {
    const run = await bench.run(script('process.kill(process.pid,"SIGKILL")'));
    expect(run.outcome).toEqual({ kind: 'unclear', code: 'signal-SIGKILL' });
  });

  test('when it is aborted before it starts', async () => {
    const run = await bench.tools.perform(await bench.prepare(script('1')), context(AbortSignal.abort()));
    expect(run.outcome).toMatchObject({ kind: 'failure', code: 'aborted', wasSent: false });
  });
});

describe('a program goes on after it was cut short', () => {
  test.each([
    ['a child', 'stdio: "ignore"'],
    ['a child that holds the output', 'stdio: "inherit"'],
  ])('as %s that ignores the polite signal', async (_, stdio) => {
    const child = 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)';
    const source = `process.on("SIGTERM",()=>{});
      const c=require("child_process").spawn(process.execPath,["-e",${JSON.stringify(child)}],{${stdio}});
      require("fs").writeFileSync("pids",process.pid+" "+c.pid+" ");setInterval(()=>{},1000)`;
    const abort = new AbortController();
    const running = bench.tools.perform(await bench.prepare(script(source)), context(abort.signal));
    const pidFile = path.join(bench.folder, 'pids');
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith(' '));
    abort.abort();
    expect((await running).outcome).toEqual({ kind: 'unclear', code: 'aborted' });
    const pids = readFileSync(pidFile, 'utf8').trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await until(() => !pids.some(isAlive));
  });

  test('or holds its output open for ever after it ended', async () => {
    const child = 'setInterval(()=>{},1000)';
    const source = `require("child_process").spawn(process.execPath,["-e",${JSON.stringify(child)}],{stdio:"inherit"});
      setTimeout(()=>process.exit(0),100)`;
    const startedMs = performance.now();
    expect((await bench.run(script(source))).outcome).toEqual({ kind: 'success' });
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
});

describe('output of a program', () => {
  test('fills the memory', async () => {
    const source = `const b="ä".repeat(1<<19);let n=0;(function go(){if(n++<12)process.stdout.write(b,go)})()`;
    const { stdout } = outputOf(await bench.run(script(source)));
    expect(stdout.endsWith(`\n[cut after ${OUTPUT_LIMIT_BYTES} bytes]`)).toBe(true);
    expect(stdout).not.toContain('\uFFFD');
    expect(Buffer.byteLength(stdout)).toBeLessThan(OUTPUT_LIMIT_BYTES + 100);
  });

  test('loses or hides hostile characters before anybody could escape them', async () => {
    const run = await bench.run(
      script(`process.stdout.write("a\\0b\\u202Ec\\u200B");process.stderr.write(Buffer.from([255]))`),
    );
    expect(run.output).toEqual({ exitCode: 0, stdout: 'a\0b\u202Ec\u200B', stderr: '\uFFFD' });
  });
});

test('a program is given the secrets that lie in the environment of the host', async () => {
  process.env['FENCEPOST_TEST_TOKEN'] = 'secret';
  process.env['NODE_OPTIONS_TEST'] = 'x';
  const run = await bench.run(script('console.log(JSON.stringify(process.env))'));
  const seen = JSON.parse(outputOf(run).stdout) as Record<string, string>;
  expect(seen).toMatchObject({ FENCEPOST_EFFECT_ID: 'effect-1', FENCEPOST_EPOCH: '7' });
  expect(Object.keys(seen).filter((name) => /TOKEN|OPTIONS|LD_|VITEST/u.test(name))).toEqual([]);
});

describe('a declared probe', () => {
  test.each([
    [0, 'happened'],
    [1, 'did-not-happen'],
    [2, 'silent'],
  ])('with exit code %d is misread', async (exitCode, answer) => {
    const probe = script(`process.exit(${exitCode})`);
    const prepared = await bench.prepare(script('1'), { kind: 'verifiable', probe });
    expect((await bench.tools.verify(prepared, context())).answer).toBe(answer);
  });

  test('or an undo is let out of the scope, or writes', async () => {
    const evil: ShellCall = { tool: 'shell', argv: ['rm', 'x'] };
    expect(await bench.refusal(script('1'), { kind: 'verifiable', probe: evil })).toContain('may not start');
    expect(await bench.refusal(script('1'), { kind: 'compensable', undo: evil })).toContain('may not start');
    const writing: Extract<ToolCall, { tool: 'file.write' }> = {
      tool: 'file.write',
      path: path.join(bench.folder, 'a'),
      content: '',
      mode: 'create',
    };
    expect(await bench.refusal(script('1'), { kind: 'verifiable', probe: writing })).toContain('read-only');
  });

  test('is missing, and the tool makes an answer up', async () => {
    const prepared = await bench.prepare(script('1'));
    expect(prepared).toMatchObject({ effectKind: 'blind', commandKind: 'script', undo: null, probe: null });
    expect(prepared.title.length).toBeLessThanOrEqual(80);
    expect((await bench.tools.verify(prepared, context())).answer).toBe('silent');
  });
});
