import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startBeside } from '../../scripts/beside.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fencepost-beside-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return file;
}

describe('suites that run beside the others', () => {
  it('count for nothing where their process dies', async () => {
    const dying = program('dying', 'process.kill(process.pid, "SIGKILL");');
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const came = await startBeside(dying).end();
    said.mockRestore();
    expect(came.total).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(came.ending).toEqual([expect.stringMatching(/^failed in the suites beside the others left no report/u)]);
  });

  it('are not heard: neither what they print nor what they came to', async () => {
    const total = { passed: 2, failed: 1, skipped: 0 };
    const came = JSON.stringify({ total, ending: ['failed in sim: a seed'] });
    const working = program(
      'working',
      `import { writeFileSync } from 'node:fs';
       process.stdout.write('seeds 2\\n');
       writeFileSync(process.argv[3], ${JSON.stringify(came)});`,
    );
    const printed: string[] = [];
    const heard = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed.push(String(chunk));
      return true;
    });
    const answer = await startBeside(working).end();
    heard.mockRestore();
    expect(printed.join('')).toBe('seeds 2\n');
    expect(answer).toEqual(JSON.parse(came));
  });
});
