import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { backupDatabase } from '../store/backup.ts';
import { noteLostPart } from '../store/lost-parts.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
/** Until the claim of a process that is gone has run out, ms. */
const LATER_MS = 60_000;

describe('a disk that has lost the newest part of a record, unseen', { timeout: 60_000 }, () => {
  let receiver: Receiver;
  let folder: string;
  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
  });
  afterEach(async () => await receiver.close());

  const file = (): string => join(folder, 'fencepost.sqlite');

  function oneSend(): string {
    const url = `${receiver.origin}/mail`;
    return `fencepost: 1
id: mail
name: Mail
scope: { hosts: ['${new URL(url).host}'] }
start: send
states:
  send: { type: tool, call: { tool: http.request, method: POST, url: '${url}', timeoutMs: 500 }, effect: { kind: blind }, onSuccess: finish }
  finish: { type: done }
`;
  }

  async function start(): Promise<HostBench> {
    const bench = await HostBench.start(folder, join(folder, 'register.sqlite'));
    bench.clock.shift({ wallMs: LATER_MS, monotonicMs: LATER_MS, bootMs: LATER_MS });
    return bench;
  }

  /** A record with one run; what is done with it by `live` is lost, and the grant with it where that was given back before. */
  async function forgets(
    live: (bench: HostBench, agentId: AgentId) => Promise<void>,
    { isGivenBack }: { readonly isGivenBack: boolean },
  ): Promise<{ bench: HostBench; agentId: AgentId }> {
    const bench = await start();
    const agentId = await bench.agent(oneSend());
    expect(await bench.ended(await bench.run(agentId, 'known'))).toBe('done');
    if (isGivenBack) await bench.until('it is given back', () => bench.count('lease.released') > 0);
    const connection = bench.host.control.connection();
    if (connection === null) throw new Error('The record is not open.');
    const copy = must(backupDatabase(connection.db, file(), { label: 'manual' }));
    await live(bench, agentId);
    await bench.close();
    for (const part of ['', '-wal', '-shm']) rmSync(`${file()}${part}`, { force: true });
    copyFileSync(copy, file());
    return { bench: await start(), agentId };
  }

  async function unclear(bench: HostBench, agentId: AgentId): Promise<void> {
    receiver.behaviour = () => 'hang';
    await bench.reaches(await bench.run(agentId, 'forgotten'), 'needs-recovery');
    receiver.behaviour = () => 'answer';
  }

  /** The register hears of the second one with its place in the journal. */
  async function unclearAndDone(bench: HostBench, agentId: AgentId): Promise<void> {
    await unclear(bench, agentId);
    expect(await bench.ended(await bench.run(agentId, 'another'))).toBe('done');
  }

  it.each([
    ['with what came behind it', unclearAndDone, false],
    ['with the grant that it was sent under', unclear, true],
  ] as const)(
    'lets its host take an attempt that it forgot for one that never left: %s',
    async (_how, live, isGivenBack) => {
      const { bench, agentId } = await forgets(live, { isGivenBack });
      const hits = receiver.hits('/mail');
      const runId = await bench.run(agentId, 'forgotten');
      await bench.reaches(runId, 'needs-recovery');
      expect(receiver.hits('/mail')).toBe(hits);
      await bench.close();
    },
  );

  it('is forgotten as soon as the record has written as much again', async () => {
    const { bench, agentId } = await forgets(unclearAndDone, { isGivenBack: false });
    expect(await bench.ended(await bench.run(agentId, 'later'))).toBe('done');
    const lost = bench.rows<{ value: string }>(`SELECT value FROM profile WHERE key = 'lost-part:mail'`);
    expect(Number(lost[0]?.value)).toBeGreaterThan(0);
    // An earlier sight of it takes nothing of a later one back.
    const connection = bench.host.control.connection();
    connection?.db.transaction(() => noteLostPart(connection.db, agentId, 1))();
    expect(bench.rows(`SELECT value FROM profile WHERE key = 'lost-part:mail'`)).toEqual(lost);
    await bench.close();
    const again = await start();
    const hits = receiver.hits('/mail');
    await again.reaches(await again.run(agentId, 'forgotten'), 'needs-recovery');
    expect(receiver.hits('/mail')).toBe(hits);
    await again.close();
  });
});
