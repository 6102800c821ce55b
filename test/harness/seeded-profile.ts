import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HostProcess } from './host-process.ts';
import type { Receiver } from './receiver.ts';
import { temporaryFolder } from './strategies.ts';

const AGENTS = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url));

/** What a morning with several agents leaves behind: done, unclear, asking, refused, failed and waiting runs. */
export async function seedProfile(receiver: Receiver): Promise<string> {
  const profileFolder = temporaryFolder();
  const work = temporaryFolder();
  execFileSync('git', ['init', '--quiet', work]);
  receiver.behaviour = ({ path }) =>
    path.startsWith('/hang/') ? 'hang' : path.startsWith('/refuse/') ? 'refuse' : 'answer';
  const host = await HostProcess.start({ profileFolder });
  for (const name of readdirSync(AGENTS)) {
    const text = readFileSync(join(AGENTS, name), 'utf8')
      .replaceAll('HOST', `127.0.0.1:${receiver.port}`)
      .replaceAll('FOLDER', work);
    const file = join(work, name);
    writeFileSync(file, text);
    const saved = JSON.stringify(await host.save(file));
    if (!saved.includes('"ok":true')) throw new Error(`${name} was not accepted: ${saved}`);
  }
  await host.control('saveAgent', 'practice.yaml', readFileSync(join(SAMPLES, 'practice.yaml'), 'utf8'));
  const run = (agentId: string, times: number): Promise<unknown> =>
    host.control('startRun', { agentId, requestId: `seeded-${times}`, input: {}, by: 'This device' });
  for (let times = 0; times < 6; times += 1) await run('morning-report', times);
  for (const agentId of ['shop-window', 'invoice-chaser', 'bill-payer', 'site-keeper']) await run(agentId, 1);
  // Its permission is taken back between its start and its only step: a refusal, and nothing was sent.
  await run('price-watch', 1);
  await host.control('revoke', 'price-watch', 'This device');
  const isSettled = (rows: { phase: string; ending: string | null; is_refused: number }[]): boolean =>
    rows.length === 11 &&
    rows.every(
      (row) => row.ending !== null || row.is_refused === 1 || row.phase.startsWith('needs-') || row.phase === 'waiting',
    ) &&
    rows.some((row) => row.is_refused === 1);
  await host.until('SELECT phase, ending, is_refused FROM runs', isSettled);
  await host.drain();
  return profileFolder;
}
