import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HostBench } from './host/testing/host-bench.ts';
import { useTemporaryFolders } from './store/testing/temporary-folder.ts';

const ODD_SERVER = path.join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'servers', 'odd-server.mjs');
/** What quitting has for closing, after what is in flight got its time, ms. */
const CLOSE_LIMIT_MS = 2_000;
/** Does not end when its input ends, nor when it is asked to. */
const STUBBORN = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); void import(${JSON.stringify(pathToFileURL(ODD_SERVER).href)});`;

const newFolder = useTemporaryFolders();

function agent(of: { readonly folder: string; readonly command: readonly string[]; readonly log: string }): string {
  const call = { tool: 'mcp.call', server: 'odd', name: 'pid', arguments: {} };
  return JSON.stringify({
    fencepost: 1,
    id: 'keeper',
    name: 'Keeper',
    scope: { folders: [of.folder], servers: { odd: { command: of.command, env: { ODD_LOG: of.log } } } },
    triggers: {
      files: [{ id: 'inbox', folder: of.folder }],
      webhooks: [{ id: 'inbound', secret: 'hook-key' }],
    },
    start: 'act',
    states: { act: { type: 'tool', call, effect: { kind: 'blind' }, onSuccess: 'end' }, end: { type: 'done' } },
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('quitting', { timeout: 60_000 }, () => {
  it.each([
    ['that ends when its input ends', [process.execPath, ODD_SERVER]],
    ['that does not want to end', [process.execPath, '-e', STUBBORN]],
  ])('hangs or leaves a program behind: a watched folder, an open door, and a tool server %s', async (_, command) => {
    const folder = newFolder();
    const inbox = path.join(folder, 'inbox');
    mkdirSync(inbox);
    const log = path.join(folder, 'calls');
    const bench = await HostBench.start(path.join(folder, 'profile'), undefined, {
      secrets: { 'hook-key': 'correct-horse-battery' },
    });
    const { host } = bench;
    let tookMs = 0;
    let origin = '';
    let pid = 0;
    try {
      await bench.agent(agent({ folder: inbox, command, log }));
      await bench.until('the door is open', () => host.control.webhookDoor().origin !== null);
      origin = host.control.webhookDoor().origin ?? '';
      // The watch stands once a file starts a run; then the server runs as well.
      const started = () => bench.rows('SELECT 1 FROM runs WHERE ending IS NOT NULL').length > 0;
      for (let file = 0; !started(); file += 1) {
        writeFileSync(path.join(inbox, `file-${file}`), 'x');
        await new Promise((resolve) => setTimeout(resolve, 250));
        if (file > 200) throw new Error('No file was noticed.');
      }
      await bench.until('every run is over', () => bench.rows('SELECT 1 FROM runs WHERE ending IS NULL').length === 0);
      const [visit] = bench.rows<{ output: string }>('SELECT output FROM visits WHERE output IS NOT NULL');
      pid = Number(/"text":"(\d+)"/u.exec(visit?.output ?? '')?.[1]);
      expect(isRunning(pid)).toBe(true);
      // One more is being written when it ends.
      writeFileSync(path.join(inbox, 'last'), 'x');
    } finally {
      const before = performance.now();
      await bench.close();
      tookMs = performance.now() - before;
    }
    expect(tookMs).toBeLessThan(CLOSE_LIMIT_MS);
    expect(isRunning(pid)).toBe(false);
    await expect(fetch(origin)).rejects.toThrow('fetch failed');
  });
});
