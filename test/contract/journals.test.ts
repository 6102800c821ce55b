import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { twoSteps } from '../../src/main/host/testing/host-bench.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import type { Digest, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RelayChoice } from '../../src/shared/contract/sync-requests.ts';
import { Receiver } from '../harness/receiver.ts';
import { writeStrategy } from '../harness/strategies.ts';
import { readFileSync } from 'node:fs';
import { JournalDevice, settle } from './journals-bench.ts';

describe('three hosts that share their journals through a folder', { timeout: 120_000 }, () => {
  const newFolder = useTemporaryFolders();
  let receiver: Receiver;
  let folder: string;
  let relay: RelayChoice;
  let devices: JournalDevice[] = [];

  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    relay = { kind: 'folder', folder: join(folder, 'shared') };
    devices = [];
  });
  afterEach(async () => {
    for (const device of devices) await device.close();
    await receiver.close();
  });

  async function share(...names: readonly string[]): Promise<JournalDevice[]> {
    let words = '';
    for (const name of names) {
      const device = await JournalDevice.start(folder, name);
      devices.push(device);
      if (words === '') words = await device.create(relay);
      else await device.join(relay, words);
    }
    return devices;
  }

  function asking(agentId: string): string {
    return readFileSync(
      writeStrategy({ agentId, kind: 'blind', origin: receiver.origin, path: `/${agentId}`, asks: true }),
      'utf8',
    );
  }

  it('a run of one is not known to the others, or not with its steps, texts and permission', async () => {
    const [anna, ...others] = await share('anna', 'ben', 'cleo');
    if (anna === undefined) throw new Error('There is no device.');
    const runId = await anna.bench.run(await anna.bench.agent(twoSteps('report', receiver.origin)));
    expect(await anna.bench.ended(runId)).toBe('done');
    await settle(devices);
    for (const device of others) {
      expect(device.bench.look(runId)).toMatchObject({ ending: 'done' });
      expect(device.bench.rows('SELECT 1 FROM grants WHERE revoked_at_ms IS NULL')).toHaveLength(1);
      expect(device.bench.rows('SELECT 1 FROM oracle WHERE run_id = ?', runId)).toHaveLength(3);
    }
    expect(receiver.received).toHaveLength(2);
  });

  it('a device that joins late lacks what was before, or acts on half of it', async () => {
    const anna = await JournalDevice.start(folder, 'anna');
    devices.push(anna);
    const agentId = await anna.bench.agent(twoSteps('report', receiver.origin));
    for (let press = 0; press < 5; press += 1) await anna.bench.ended(await anna.bench.run(agentId, `press ${press}`));
    const words = await anna.create(relay);
    const ben = await JournalDevice.start(folder, 'ben');
    devices.push(ben);
    await ben.join(relay, words);
    await settle(devices);
    expect(ben.bench.rows('SELECT 1 FROM runs')).toHaveLength(5);
    expect(receiver.received).toHaveLength(10);
  });

  it('a yes on a device that may not act is lost, or acts there', async () => {
    const [anna, ben] = await share('anna', 'ben');
    if (anna === undefined || ben === undefined) throw new Error('There is no device.');
    const runId = await anna.bench.run(await anna.bench.agent(asking('ask')));
    const question = await openQuestion(ben, runId);
    must(await ben.bench.host.control.decideApproval({ ...question, isAllowed: true, by: 'Ben', reason: '' }));
    expect(await anna.bench.ended(runId)).toBe('done');
    await settle(devices);
    expect(receiver.received).toHaveLength(1);
    const [decided] = ben.bench.rows<{ decided_by: string; device_id: string }>('SELECT * FROM approvals');
    expect(decided).toMatchObject({ decided_by: 'Ben', device_id: anna.deviceId });
  });

  it('a decision pressed on two devices at once has two results, or nobody is told', async () => {
    const [anna, ben, cleo] = await share('anna', 'ben', 'cleo');
    if (anna === undefined || ben === undefined || cleo === undefined) throw new Error('There is no device.');
    const runId = await anna.bench.run(await anna.bench.agent(asking('ask')));
    const ofBen = await openQuestion(ben, runId);
    const ofCleo = await openQuestion(cleo, runId);
    const answers = await Promise.all([
      ben.bench.host.control.decideApproval({ ...ofBen, isAllowed: true, by: 'Ben', reason: '' }),
      cleo.bench.host.control.decideApproval({ ...ofCleo, isAllowed: false, by: 'Cleo', reason: '' }),
    ]);
    await settle(devices);
    expect(codesOf(answers).toSorted()).toEqual(['already-decided', 'counts']);
    expect(receiver.received).toHaveLength(codesOf(answers.slice(0, 1))[0] === 'counts' ? 1 : 0);
    // A holder that lost the right to act meanwhile may have decided as well; whoever holds it decides once.
    const decided = 'SELECT epoch FROM ops WHERE kind = ?';
    const epochs = anna.bench.rows<{ epoch: number }>(decided, 'approval.decided').map(({ epoch }) => epoch);
    expect(epochs.length).toBeGreaterThan(0);
    expect(epochs).toEqual([...new Set(epochs)]);
  });

  function codesOf(answers: readonly { ok: boolean; error?: { code: string } }[]): string[] {
    return answers.map((answer) => answer.error?.code ?? 'counts');
  }

  async function openQuestion(
    device: JournalDevice,
    runId: RunId,
  ): Promise<{ approvalId: string; inputDigest: Digest }> {
    const open = () =>
      device.bench.rows<{ approval_id: string; input_digest: Digest }>(
        `SELECT approval_id, input_digest FROM approvals WHERE run_id = ? AND state = 'open'`,
        runId,
      )[0];
    await device.bench.until('the question is known', () => open() !== undefined);
    const found = open();
    if (found === undefined) throw new Error('Nobody was asked.');
    return { approvalId: found.approval_id, inputDigest: found.input_digest };
  }
});
