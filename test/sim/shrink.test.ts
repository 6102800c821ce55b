import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { firstViolation } from './seeds.ts';
import { shrink } from './shrink.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

/** As a person does it who copies what was printed. */
const paste = (command: string): { status: number | null; stdout: string } =>
  spawnSync(command, { shell: true, cwd: ROOT, encoding: 'utf8', env: { ...process.env, PATH } });

it.each([
  { plant: 'last-look-left-out', needs: 'trouble' },
  { plant: 'no-fence', needs: 'nothing' },
])(
  'a failing seed is told with faults, devices or time that have nothing to do with it, or cannot be told again: $plant',
  async ({ plant, needs }) => {
    const planted = ['--plant', plant];
    const failed = await firstViolation({ from: 1, count: 30, options: planted });
    if (failed === null) throw new Error('The planted bug was not found.');
    const command = await shrink(failed, planted);
    const { status, stdout } = paste(command);
    expect(status, command).toBe(1);
    const told = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as typeof failed;
    expect(told.seed).toBe(failed.seed);
    expect(told.violation?.split(':')[0]).toBe(failed.violation?.split(':')[0]);
    const [before, left] = [failed, told].map(({ faults }) => Object.keys(faults).length);
    expect(before).toBeGreaterThan(0);
    // A bug that shows on one device without any trouble is told with less of both; the other one never without trouble.
    if (needs === 'nothing') {
      expect(left).toBeLessThan(before ?? 0);
      expect(told.size).toMatchObject({ devices: 1, agents: 1 });
    } else expect(left).toBeGreaterThan(0);
    expect(told.size.activeMs).toBeLessThan(failed.size.activeMs);
    // What is left still fails for its own reason: without the planted bug the same command ends well.
    expect(paste(command.replace(planted.join(' '), '')).status).toBe(0);
  },
);
