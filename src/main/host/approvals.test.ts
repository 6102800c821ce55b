import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { AgentId, Digest, RunId } from '../../shared/contract/identifiers.ts';
import type { StandingScope } from '../../shared/core/gate/standing.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { askedOnce } from './testing/approval-strategy.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
const DAY_MS = 86_400_000;

interface Open {
  readonly approval_id: string;
  readonly input_digest: Digest;
}

describe('a question and its answer', { timeout: 60_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  let folder: string;
  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    bench = await HostBench.start(folder);
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  async function open(runId: RunId): Promise<Open> {
    const find = (): Open | undefined =>
      bench.rows<Open>(`SELECT * FROM approvals WHERE run_id = ? AND state = 'open'`, runId)[0];
    await bench.until('it asks', () => find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error('It was asked, and is not any more.');
    return found;
  }

  function decide(question: Open, isAllowed = true, by = 'Test') {
    const { approval_id: approvalId, input_digest: inputDigest } = question;
    return bench.host.control.decideApproval({ approvalId, inputDigest, isAllowed, by, reason: '' });
  }

  function like(question: Open, scope: StandingScope, forMs = DAY_MS) {
    const { approval_id: approvalId, input_digest: inputDigest } = question;
    const expiresAtMs = bench.clock.read().wallMs + forMs;
    return bench.host.control.allowLikeThis({ approvalId, inputDigest, scope, expiresAtMs, by: 'Test', reason: '' });
  }

  function start(agentId: AgentId, requestId: string, what = 'one') {
    const { control } = bench.host;
    return control.startRun({ agentId, requestId, input: { what }, by: 'Test' }).then((run) => must(run).runId);
  }

  function states(): string[] {
    return bench
      .rows<{ state: string; stale_reason: string | null }>('SELECT * FROM approvals ORDER BY approval_id')
      .map(({ state, stale_reason: reason }) => (reason === null ? state : `${state}: ${reason}`));
  }

  function effectKeys(): string[] {
    const sql = `SELECT DISTINCT effect_key FROM attempts ORDER BY effect_key`;
    return bench.rows<{ effect_key: string }>(sql).map((row) => row.effect_key);
  }

  async function restart(): Promise<void> {
    await bench.close();
    bench = await HostBench.start(folder);
  }

  it('is bound to no device and no lease', async () => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    const runId = await start(agentId, 'press one');
    must(await decide(await open(runId)));
    expect(await bench.ended(runId)).toBe('done');
    const [row] = bench.rows<{ device_id: string; epoch: number }>('SELECT * FROM approvals');
    expect(row).toMatchObject({ device_id: bench.host.control.device.deviceId, epoch: 1 });
    expect(receiver.hits('/asks')).toBe(1);
  });

  it('a yes from before a restart lets it leave unasked under another lease', async () => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    const runId = await start(agentId, 'press one');
    const question = await open(runId);
    await bench.host.control.pauseRun(runId, 'Test');
    must(await decide(question));
    await restart();
    // The pause is what keeps it from leaving before; the question survives, the yes does not.
    await bench.host.control.resumeRun(runId, 'Test');
    const again = await open(runId);
    expect(states()).toEqual(['stale: epoch-changed', 'open']);
    expect(receiver.hits('/asks')).toBe(0);
    must(await decide(again));
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/asks')).toBe(1);
    // Under a new number it would be a new effect, and nobody would know it again who did it meanwhile.
    expect(effectKeys()).toEqual(['post#1']);
  });

  it('an open question is lost or answered by a restart', async () => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    const runId = await start(agentId, 'press one');
    const question = await open(runId);
    await restart();
    expect((await open(runId)).approval_id).toBe(question.approval_id);
    // Pressed at once, while the lease is still being got back: it waits for it instead of turning the person away.
    must(await decide(question));
    expect(await bench.ended(runId)).toBe('done');
    expect([states(), receiver.hits('/asks')]).toEqual([['allowed'], 1]);
  });

  it('a second answer changes the first, or is not told whose that was', async () => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    const runId = await start(agentId, 'press one');
    const question = await open(runId);
    const [yes, no] = await Promise.all([decide(question, false, 'Anna'), decide(question, true, 'Ben')]);
    expect(yes).toEqual({ ok: true, value: null });
    expect(no).toMatchObject({
      ok: false,
      error: {
        code: 'already-decided',
        message: 'Already decided by Anna: it was not allowed.',
        details: { decidedBy: 'Anna', deviceId: bench.host.control.device.deviceId },
      },
    });
    await bench.ended(runId);
    expect(receiver.hits('/asks')).toBe(0);
  });

  it('an expiry counts as a yes, and a calendar that was set back keeps a question open for ever', async () => {
    const text = askedOnce('asks', `${receiver.origin}/asks`).replace('of: post,', 'of: post, expiresAfterMs: 1000,');
    const agentId = await bench.agent(text);
    const runId = await start(agentId, 'press one');
    await open(runId);
    bench.clock.shift({ wallMs: -30 * DAY_MS });
    await bench.until('time is up', () => states()[0] === 'expired');
    await bench.ended(runId);
    expect(receiver.hits('/asks')).toBe(0);
  });

  it('a yes that was used is used again by another effect, or by the same one after it left', async () => {
    const loop = askedOnce('asks', `${receiver.origin}/asks`).replace(
      'onSuccess: finish',
      'onSuccess: finish, onFailure: post',
    );
    receiver.behaviour = () => 'refuse';
    const agentId = await bench.agent(loop);
    const runId = await start(agentId, 'press one');
    must(await decide(await open(runId)));
    await bench.until('it is asked anew', () => states().length === 2);
    expect(states()).toEqual(['stale: already-used', 'open']);
    expect(receiver.hits('/asks')).toBe(1);
    // The round that failed keeps its number, and the one that is asked about now is the one after it.
    receiver.behaviour = () => 'answer';
    must(await decide(await open(runId)));
    expect(await bench.ended(runId)).toBe('done');
    expect(effectKeys()).toEqual(['post#1', 'post#2']);
    expect(receiver.hits('/asks')).toBe(2);
  });

  it('a yes is used up by an attempt that was held back before it left', async () => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    bench.at('after-in-flight', () => void bench.host.control.revoke(agentId, 'Test'));
    const runId = await start(agentId, 'press one');
    must(await decide(await open(runId)));
    await bench.until('it is refused', () => bench.refusals().includes('gate: authority-missing'));
    expect(bench.refusals()).toContain('fence: permission-ended');
    await bench.authorise(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect([states(), receiver.hits('/asks')]).toEqual([['allowed'], 1]);
  });

  it.each<{ scope: StandingScope; asked: number }>([
    { scope: 'same-target', asked: 0 },
    { scope: 'same-input', asked: 1 },
  ])('a standing permission for $scope answers another input wrongly', async ({ scope, asked }) => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    const first = await start(agentId, 'press one');
    must(await like(await open(first), scope));
    expect(await bench.ended(first)).toBe('done');
    const same = await start(agentId, 'press two');
    expect(await bench.ended(same)).toBe('done');
    expect(receiver.hits('/asks')).toBe(2);
    const other = await start(agentId, 'press three', 'two');
    if (asked === 0) expect(await bench.ended(other)).toBe('done');
    else await open(other);
    const by = bench.rows<{ decided_by: string }>(`SELECT decided_by FROM approvals WHERE standing_id IS NOT NULL`);
    expect(by).toHaveLength(asked === 0 ? 2 : 1);
    expect(by[0]?.decided_by).toMatch(/^standing permission /u);
  });

  it('a standing permission leaks to another agent or target, or outlives the revision, its end or its revocation', async () => {
    const url = `${receiver.origin}/asks`;
    const agentId = await bench.agent(askedOnce('asks', url));
    const other = await bench.agent(askedOnce('other', url));
    const first = await start(agentId, 'press one');
    must(await like(await open(first), 'same-target'));
    await bench.ended(first);
    await open(await start(other, 'press other'));
    // A new revision, even one that differs in its words alone, and even with a new permission.
    await bench.agent(askedOnce('asks', url).replace('Send it?', 'Really send it?'));
    const changed = await start(agentId, 'press changed');
    must(await like(await open(changed), 'same-target', 60_000));
    await bench.ended(changed);
    await bench.ended(await start(agentId, 'press again'));
    bench.clock.shift({ wallMs: 61_000, monotonicMs: 61_000, bootMs: 61_000 });
    const late = await start(agentId, 'press late');
    must(await like(await open(late), 'same-target'));
    await bench.ended(late);
    const [given] = bench.rows<{ standing_id: string }>(
      'SELECT standing_id FROM standing_permissions ORDER BY given_at_ms DESC',
    );
    must(await bench.host.control.revokeStanding(given?.standing_id ?? '', 'Test'));
    await open(await start(agentId, 'press last'));
    expect(receiver.hits('/asks')).toBe(4);
  });

  it('a standing permission that is taken back lets out what it has answered already', async () => {
    const agentId = await bench.agent(askedOnce('asks', `${receiver.origin}/asks`));
    const first = await start(agentId, 'press one');
    must(await like(await open(first), 'same-target'));
    await bench.ended(first);
    const [given] = bench.rows<{ standing_id: string }>('SELECT standing_id FROM standing_permissions');
    bench.at('after-approval-request', () => {
      void bench.host.control.revokeStanding(given?.standing_id ?? '', 'Test');
    });
    const second = await start(agentId, 'press two');
    await open(second);
    expect(states()).toEqual(['allowed', 'stale: standing-ended', 'open']);
    expect(receiver.hits('/asks')).toBe(1);
  });

  it('a wide standing permission is given for a program, which could do anything', async () => {
    const work = newFolder();
    const agentId = await bench.agent(`fencepost: 1
id: runs
name: Runs
scope: { folders: ['${work}'], programs: ['${process.execPath}'] }
start: ask
states:
  ask: { type: approve, question: Run it?, of: go, onSuccess: go }
  go: { type: tool, call: { tool: shell, argv: ['${process.execPath}', '-e', '0'], cwd: '${work}' }, onSuccess: finish }
  finish: { type: done }
`);
    const run = must(
      await bench.host.control.startRun({ agentId, requestId: 'press one', input: {}, by: 'Test' }),
    ).runId;
    expect(await like(await open(run), 'same-target')).toMatchObject({ ok: false, error: { code: 'not-offered' } });
    expect(states()).toEqual(['open']);
  });
});
