import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { createEventLog } from './event-log.ts';
import { logTail } from './log-tail.ts';

const newFolder = useTemporaryFolders();

describe('the end of the logs, for whoever helps', () => {
  it('tells a message, a path or a name along with it', () => {
    const folder = newFolder();
    const log = createEventLog(path.join(folder, 'host.log'));
    const failure = new Error('Unexpected token "Dear Ana" in /home/ana/Invoices/march.json');
    log.write({ event: 'run-failed', code: 'internal', runId: 'run-of-ana', count: 3, isFirst: true, left: null });
    log.write({ event: 'tick-failed', message: String(failure), cause: failure.stack ?? '' });
    log.write({ event: 'hello ana', code: 'a code with words', route: '../../etc' });
    const told = logTail(folder).join('\n');
    expect(told).toMatch(/Z host\.log event=run-failed code=internal count=3 isFirst=true left=null\n/u);
    expect(told).toMatch(/event=tick-failed at .*log-tail\.test\.ts:\d+:\d+/u);
    expect(told).not.toMatch(/ana|Dear|Invoices|words|etc/iu);
    expect(told).not.toContain(path.dirname(import.meta.dirname));
  });

  it('puts two logs one behind the other, or never ends', () => {
    const folder = newFolder();
    const line = (at: number, event: string) => `${JSON.stringify({ at: new Date(at).toISOString(), event })}\n`;
    const many = Array.from({ length: 5_000 }, (_, index) => line(2_000 * index, `host-${index}`));
    writeFileSync(path.join(folder, 'host.log'), many.join(''));
    writeFileSync(
      path.join(folder, 'window.log'),
      `${line(2_000 * 4_999 - 1, 'window')}not json\n[]\n{"at":"never"}\n`,
    );
    const told = logTail(folder);
    expect(told).toHaveLength(40);
    expect(told.slice(-3).map((each) => each.split(' ').slice(1).join(' '))).toEqual([
      'host.log event=host-4998',
      'window.log event=window',
      'host.log event=host-4999',
    ]);
  });

  it('fails where there is no log, or something else in its place', () => {
    const folder = newFolder();
    expect(logTail(folder)).toEqual([]);
    mkdirSync(path.join(folder, 'host.log'));
    expect(logTail(folder)).toEqual([]);
  });
});
