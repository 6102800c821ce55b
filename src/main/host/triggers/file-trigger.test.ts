import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { HostBench } from '../testing/host-bench.ts';
import { isNamedLike } from './watch-folder.ts';

const newFolder = useTemporaryFolders();

let inbox: string;
let bench: HostBench;
beforeEach(async () => {
  inbox = realpathSync(newFolder());
  bench = await HostBench.start(newFolder());
});
afterEach(async () => {
  await bench.close();
});

function sorter(of: { folder?: string; scope?: string } = {}): string {
  const { folder = inbox, scope = inbox } = of;
  return `fencepost: 1
id: sorter
name: Sorter
input: { file: { title: File } }
scope: { folders: ['${scope}'] }
triggers: { files: [{ id: incoming, folder: '${folder}', pattern: '*.txt', as: file }] }
start: end
states: { end: { type: done } }
`;
}

/** Arms the trigger and waits until a file that the test drops is noticed, which is when the watch stands. */
async function watched(text = sorter()): Promise<void> {
  await bench.agent(text);
  bench.host.resume();
  await bench.until('its trigger counts', () => bench.count('trigger.armed') === 1);
  const probe = join(inbox, `probe-${Math.random()}.txt`);
  let tries = 0;
  while (bench.count('trigger.fired') === 0) {
    // Written anew until it is seen: nobody tells when a watch stands.
    writeFileSync(probe, `probe ${(tries += 1)}`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    if (tries > 10) throw new Error('The watch does not stand.');
  }
}

const runsOf = (name: string): number =>
  bench.rows(`SELECT 1 FROM runs WHERE json_extract(input, '$.file') = ?`, join(inbox, name)).length;

describe('a folder that starts an agent', { timeout: 60_000 }, () => {
  it('fires for what was there before, for half a file, twice for one, or for another name', async () => {
    writeFileSync(join(inbox, 'old.txt'), 'old');
    await watched();
    writeFileSync(join(inbox, 'other.log'), 'x');
    writeFileSync(join(inbox, 'slow.txt'), 'first half ');
    await new Promise((resolve) => setTimeout(resolve, 300));
    writeFileSync(join(inbox, 'slow.txt'), 'first half and the second');
    await bench.until('the file starts a run', () => runsOf('slow.txt') > 0);
    // The same content once more is the same occurrence.
    writeFileSync(join(inbox, 'slow.txt'), 'first half and the second');
    writeFileSync(join(inbox, 'last.txt'), 'x');
    await bench.until('the last file starts a run', () => runsOf('last.txt') === 1);
    expect(runsOf('slow.txt')).toBe(1);
    expect(runsOf('old.txt')).toBe(0);
    expect(runsOf('other.log')).toBe(0);
    writeFileSync(join(inbox, 'slow.txt'), 'changed');
    await bench.until('another content starts another run', () => runsOf('slow.txt') === 2);
  });

  it('follows a link out of it', async () => {
    const secret = join(newFolder(), 'secret.txt');
    writeFileSync(secret, 'x');
    await watched();
    symlinkSync(secret, join(inbox, 'link.txt'));
    writeFileSync(join(inbox, 'last.txt'), 'x');
    await bench.until('the last file starts a run', () => runsOf('last.txt') === 1);
    expect(bench.rows(`SELECT 1 FROM runs WHERE input LIKE '%secret%' OR input LIKE '%link%'`)).toEqual([]);
  });

  it('is watched without a permission, and nobody is told', async () => {
    await watched();
    await bench.host.control.revoke('sorter' as never, 'Test');
    await bench.until(
      'it leaves a line',
      () => bench.rows(`SELECT 1 FROM missed_slots WHERE reason = 'no-permission'`).length === 1,
    );
    const before = bench.count('trigger.fired');
    writeFileSync(join(inbox, 'after.txt'), 'x');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(bench.count('trigger.fired')).toBe(before);
  });

  it('goes away, and nobody is told', async () => {
    await watched();
    rmSync(inbox, { recursive: true });
    await bench.until(
      'it leaves a line',
      () => bench.rows(`SELECT 1 FROM missed_slots WHERE reason = 'watch-failed'`).length === 1,
    );
  });

  it.each([
    {
      what: 'lies outside the scope',
      of: (): { folder: string; scope: string } => ({ folder: inbox, scope: newFolder() }),
    },
    { what: 'is not there', of: () => ({ folder: join(inbox, 'missing'), scope: inbox }) },
  ])('$what, and is watched or silently left out', async ({ of }) => {
    await bench.agent(sorter(of()));
    bench.host.resume();
    await bench.until(
      'it leaves a line',
      () => bench.rows(`SELECT 1 FROM missed_slots WHERE reason = 'watch-failed'`).length === 1,
    );
    mkdirSync(join(inbox, 'elsewhere'));
    writeFileSync(join(inbox, 'elsewhere', 'x.txt'), 'x');
    renameSync(join(inbox, 'elsewhere', 'x.txt'), join(inbox, 'x.txt'));
    expect(bench.count('trigger.fired')).toBe(0);
  });
});

describe('a pattern', () => {
  it.each([
    [undefined, 'a.txt', true],
    ['*', '', true],
    ['*.txt', 'a.txt', true],
    ['*.txt', 'a.txt.part', false],
    ['*.txt', '.tx', false],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c', false],
    ['a*bc*c', 'abc', false],
    ['report.txt', 'report.txt', true],
    ['report.txt', 'report-txt', false],
    ['Report*', 'report', false],
  ])('%s takes %s for another name (%s)', (pattern, name, isLike) => {
    expect(isNamedLike(name, pattern)).toBe(isLike);
  });

  it('of many stars hangs the host', () => {
    const startedMs = performance.now();
    expect(isNamedLike('a'.repeat(200), `${'*a'.repeat(60)}*b`)).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(100);
  });
});
