import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/main/store/open-sqlite.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { AgentId, Digest, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { Receiver } from '../harness/receiver.ts';
import { writeStrategy } from '../harness/strategies.ts';
import { JournalDevice, settle } from './journals-bench.ts';

/**
 * The window of the published design: what one device committed and never handed over is repeated by the next, whose oracle
 * does not have it. Here it is the register's tail that has it.
 */
describe('an effect that its device committed and never handed over', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();
  let receiver: Receiver;
  let folder: string;
  let relay: RelayChoice;
  const open: JournalDevice[] = [];

  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    relay = { kind: 'folder', folder: join(folder, 'shared') };
  });
  afterEach(async () => {
    for (const device of open.splice(0)) await device.close();
    await receiver.close();
  });

  async function start(name: string): Promise<JournalDevice> {
    const device = await JournalDevice.start(folder, name);
    open.push(device);
    return device;
  }

  /** Anna does it while nothing of hers reaches anybody. Ben knows the agent, and nothing of the run. */
  async function committedByAnna(): Promise<{
    anna: JournalDevice;
    ben: JournalDevice;
    agentId: AgentId;
    runId: RunId;
  }> {
    const anna = await start('anna');
    const words = await anna.create(relay);
    const ben = await start('ben');
    await ben.join(relay, words);
    const file = writeStrategy({ agentId: 'mail', kind: 'blind', origin: receiver.origin, path: '/mail' });
    const agentId = await anna.bench.agent(readFileSync(file, 'utf8'));
    await settle([anna, ben]);
    must(await anna.sync.leave());
    const runId = await anna.bench.run(agentId);
    expect(await anna.bench.ended(runId)).toBe('done');
    await anna.bench.until('the right to act is given back', () => anna.bench.count('lease.released') > 0);
    expect(ben.bench.look(runId)).toBeUndefined();
    return { anna, ben, agentId, runId };
  }

  it('is repeated by the device that takes over', async () => {
    const { anna, ben, agentId, runId } = await committedByAnna();
    expect(await ben.bench.run(agentId)).toBe(runId);
    expect(await ben.bench.ended(runId)).toBe('done');
    expect(receiver.hits('/mail')).toBe(1);
    // Its journal comes later: that is evidence, and nothing flips.
    const words = must(ben.sync.words()).words.join(' ');
    await anna.join(relay, words);
    await settle([anna, ben]);
    expect(receiver.hits('/mail')).toBe(1);
    for (const device of [anna, ben]) expect(device.bench.look(runId)?.ending).toBe('done');
  });

  it('is not repeated where the tail is switched off, so that the test before this one shows nothing', async () => {
    const { ben, agentId, runId } = await committedByAnna();
    switchTailOff(join(folder, 'register.sqlite'));
    expect(await ben.bench.run(agentId)).toBe(runId);
    expect(await ben.bench.ended(runId)).toBe('done');
    expect(receiver.hits('/mail')).toBe(2);
  });
});

describe('an occurrence that two devices start as one run', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();

  it('takes back what the run has done since, where the clock of the second device is ahead', async () => {
    const receiver = await Receiver.start();
    const folder = newFolder();
    const relay: RelayChoice = { kind: 'folder', folder: join(folder, 'shared') };
    const anna = await JournalDevice.start(folder, 'anna');
    const words = await anna.create(relay);
    const ben = await JournalDevice.start(folder, 'ben');
    await ben.join(relay, words);
    const file = writeStrategy({ agentId: 'mail', kind: 'blind', origin: receiver.origin, path: '/mail' });
    // Long enough that the second device may not act before it knows what the first one did.
    const text = readFileSync(file, 'utf8').replace(/^leaseTtlMs: .*$/mu, 'leaseTtlMs: 60000');
    const agentId = await anna.bench.agent(text);
    await settle([anna, ben]);
    must(await anna.sync.leave());
    const runId = await anna.bench.run(agentId);
    expect(await anna.bench.ended(runId)).toBe('done');
    // The second device knows of the grant that the first one has, as it may not act.
    const other = await ben.bench.run(agentId, 'another press');
    const seen = `SELECT 1 FROM ops WHERE kind = 'lease.observed' AND device_id = ? AND epoch > 0`;
    await ben.bench.until('the grant is known', () => ben.bench.rows(seen, ben.deviceId).length > 0);
    ben.bench.clock.shift({ wallMs: 120_000 });
    expect(await ben.bench.run(agentId)).toBe(runId);
    expect(ben.bench.look(runId)?.ending).toBeNull();
    await anna.join(relay, must(ben.sync.words()).words.join(' '));
    await settle([anna, ben]);
    expect(await anna.bench.ended(other)).toBe('done');
    await settle([anna, ben]);
    for (const device of [anna, ben]) {
      expect(device.bench.look(runId)?.ending).toBe('done');
      const intents = `SELECT 1 FROM ops WHERE kind = 'intent.recorded' AND run_id = ?`;
      expect(device.bench.rows(intents, runId)).toHaveLength(1);
    }
    expect(receiver.hits('/mail')).toBe(2);
    for (const device of [anna, ben]) await device.close();
    await receiver.close();
  });
});

describe('a step that was allowed, and done while its device was not heard', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();
  let receiver: Receiver;
  const open: JournalDevice[] = [];

  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    for (const device of open.splice(0)) await device.close();
    await receiver.close();
  });

  it('is asked about again by the device that takes over, and done again under another number', async () => {
    const folder = newFolder();
    const relay: RelayChoice = { kind: 'folder', folder: join(folder, 'shared') };
    const [anna, ben] = [await JournalDevice.start(folder, 'anna'), await JournalDevice.start(folder, 'ben')];
    open.push(anna, ben);
    const words = await anna.create(relay);
    await ben.join(relay, words);
    const file = writeStrategy({ agentId: 'mail', kind: 'blind', origin: receiver.origin, path: '/mail', asks: true });
    const runId = await anna.bench.run(await anna.bench.agent(readFileSync(file, 'utf8')));
    await anna.bench.reaches(runId, 'needs-approval');
    // Allowed while it is paused: the step is come to, and nothing has left.
    const { control } = anna.bench.host;
    must(await control.pauseRun(runId, 'Anna'));
    const sql = `SELECT approval_id AS approvalId, input_digest AS inputDigest FROM approvals WHERE state = 'open'`;
    const [question] = anna.bench.rows<{ approvalId: string; inputDigest: Digest }>(sql);
    if (question === undefined) throw new Error('Nothing is asked.');
    must(await control.decideApproval({ ...question, isAllowed: true, by: 'Anna', reason: '' }));
    await settle([anna, ben]);
    must(await ben.sync.leave());
    must(await control.resumeRun(runId, 'Anna'));
    expect(await anna.bench.ended(runId)).toBe('done');
    await anna.bench.until('the right to act is given back', () => anna.bench.count('lease.released') > 0);
    pruneTail(join(folder, 'register.sqlite'), anna);

    must(await ben.bench.host.control.resumeRun(runId, 'Ben'));
    await ben.bench.until('it has the right to act', () => ben.bench.count('lease.acquired') > 1);
    await ben.join(relay, words);
    await settle([anna, ben]);
    expect(ben.bench.count('approval.stale')).toBe(0);
    for (const device of [anna, ben]) expect(device.bench.look(runId)?.ending).toBe('done');
    expect(receiver.hits('/mail')).toBe(1);
  });
});

/** What its device does once a relay has its entries, where it holds the agent for so long. */
function pruneTail(file: string, { bench, deviceId }: JournalDevice): void {
  const [settled] = bench.rows<{ seq: number }>(`SELECT journal_seq AS seq FROM ops WHERE kind = 'settle.recorded'`);
  changeRegister(
    file,
    `json_set(record, '$.tail', json('[]'), '$.frontier', json('${JSON.stringify({ [deviceId]: settled?.seq })}'))`,
  );
}

/** As in the published design: the register knows who may act, and nothing of what they did. */
function switchTailOff(file: string): void {
  changeRegister(file, `json_set(record, '$.tail', json('[]'))`);
}

function changeRegister(file: string, record: string): void {
  const db = openSqlite(file, { mustExist: true });
  try {
    db.exec(`UPDATE register SET record = ${record}`);
  } finally {
    db.close();
  }
}
