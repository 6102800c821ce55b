import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HostBench } from '../../src/main/host/testing/host-bench.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { until } from './steady-time.ts';

/** A program that says who it is, goes on for longer than anybody waits, and then does something. */
const PROGRAM = `
const fs = require('node:fs');
fs.writeFileSync('pid', String(process.pid));
setTimeout(() => fs.writeFileSync('late', 'done'), 60000);
`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a person quits while a program of an agent runs', () => {
  // humanlayer/humanlayer#1059, apache/maka#1992, stablyai/orca#8261: it was invisible, and went on without its host.
  it('and nobody is told, or it goes on behind the back of whoever is asked about it afterwards', async () => {
    const [profile, folder] = [temporaryFolder(), temporaryFolder()];
    const text = JSON.stringify({
      fencepost: 1,
      id: 'runs',
      name: 'Runs',
      scope: { folders: [folder], programs: [process.execPath] },
      start: 'run',
      states: {
        run: {
          type: 'tool',
          call: { tool: 'shell', argv: [process.execPath, '-e', PROGRAM], cwd: folder, timeoutMs: 120_000 },
          effect: { kind: 'blind' },
          onSuccess: 'finish',
        },
        finish: { type: 'done' },
      },
    });
    const host = await HostBench.start(profile);
    const runId = await host.run(await host.agent(text));
    const pidFile = join(folder, 'pid');
    await until('the program runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    const { leftUnclear } = await host.host.drain(200);
    expect(leftUnclear).toEqual([expect.stringContaining('Run')]);
    await host.host.close();
    await until('the program is gone', () => !isAlive(pid));
    const again = await HostBench.start(profile);
    await again.reaches(runId, 'needs-recovery');
    expect(again.count('effect.started')).toBe(1);
    expect(existsSync(join(folder, 'late'))).toBe(false);
    await again.close();
  });
});
