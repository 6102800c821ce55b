import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { Receiver } from '../../../../test/harness/receiver.ts';
import type { Behaviour } from '../../../../test/harness/receiver.ts';
import { writeStrategy } from '../../../../test/harness/strategies.ts';
import type { TestedKind } from '../../../../test/harness/strategies.ts';
import type { AgentId, DeviceId, Digest, RunId } from '../../../shared/contract/identifiers.ts';
import type { RecoveryChoice } from '../../../shared/core/recovery/recovery-options.ts';
import { HostBench, twoSteps } from '../../host/testing/host-bench.ts';
import type { Connection } from '../connection.ts';
import { readAll } from '../connection.ts';
import { PROJECTION_TABLES } from '../migrations/0010-initial.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { rebuildProjections } from './rebuild.ts';

const newFolder = useTemporaryFolders();
/** Short, so that a silent target becomes unclear soon, ms. */
const PATIENCE_MS = 1_000;
/** The longest that an answer is waited for, ms. */
const WAIT_MS = 20_000;

function snapshot({ db }: Connection): Record<string, unknown[]> {
  return Object.fromEntries(
    PROJECTION_TABLES.map((table) => [table, readAll(db, `SELECT * FROM ${table} ORDER BY 1, 2, 3`)]),
  );
}

/** What only devices that share their journals write down. */
function shareWith({ db, journal }: Connection): void {
  const deviceId = journal.deviceId as DeviceId;
  const joined = { deviceId, name: 'Here', version: '1', publicKey: 'key', wrapPublicKey: 'key' };
  const run = { agentId: 'left-asking' as AgentId, runId: 'none' as RunId };
  const answer = { ...run, approvalId: 'none', inputDigest: 'none' as Digest, isAllowed: true, by: 'Test', reason: '' };
  db.transaction(() => {
    journal.append('sync.device-joined', joined);
    journal.append('approval.answered', answer);
  }).immediate();
}

interface Unclear {
  readonly attempt_token: string;
  readonly input_digest: Digest;
  readonly epoch: number;
}

describe('projections made again from the journal', { timeout: 60_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  const behaviours = new Map<string, Behaviour>();
  beforeEach(async () => {
    receiver = await Receiver.start();
    receiver.behaviour = ({ path }) => behaviours.get(path) ?? 'answer';
    bench = await HostBench.start(newFolder());
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  async function start(
    agentId: string,
    kind: TestedKind,
    of: { asks?: boolean; behaviour?: Behaviour } = {},
  ): Promise<RunId> {
    const path = `/${kind}/${agentId}`;
    if (of.behaviour !== undefined) behaviours.set(path, of.behaviour);
    const file = writeStrategy({
      agentId,
      kind,
      origin: receiver.origin,
      path,
      // Whoever answers is waited for, however slow the machine.
      timeoutMs: of.behaviour === 'hang' ? PATIENCE_MS : WAIT_MS,
      asks: of.asks ?? false,
    });
    return bench.run(await bench.agent(readFileSync(file, 'utf8')));
  }

  async function question(runId: RunId): Promise<{ approvalId: string; inputDigest: Digest }> {
    await bench.reaches(runId, 'needs-approval');
    const [open] = bench.rows<{ approval_id: string; input_digest: Digest }>(
      'SELECT approval_id, input_digest FROM approvals WHERE run_id = ?',
      runId,
    );
    if (open === undefined) throw new Error('Nobody was asked.');
    return { approvalId: open.approval_id, inputDigest: open.input_digest };
  }

  async function answer(runId: RunId, isAllowed: boolean): Promise<void> {
    const asked = await question(runId);
    must(await bench.host.control.decideApproval({ ...asked, isAllowed, by: 'Test', reason: 'because' }));
  }

  async function allowLike(runId: RunId): Promise<void> {
    const asked = await question(runId);
    const like = { scope: 'same-input', expiresAtMs: bench.clock.read().wallMs + 3_600_000 } as const;
    must(await bench.host.control.allowLikeThis({ ...asked, ...like, by: 'Test', reason: 'because' }));
  }

  async function decide(runId: RunId, choice: RecoveryChoice): Promise<string> {
    await bench.reaches(runId, 'needs-recovery');
    const [unclear] = bench.rows<Unclear>(
      `SELECT * FROM attempts WHERE run_id = ? AND in_doubt_at_ms IS NOT NULL AND progress <> 'settled' AND decision IS NULL`,
      runId,
    );
    if (unclear === undefined) throw new Error('Nothing is unclear.');
    const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
    must(
      await bench.host.control.resolveRecovery({
        attemptToken,
        inputDigest,
        epoch,
        choice,
        by: 'Test',
        reason: 'because',
      }),
    );
    return attemptToken;
  }

  async function decisions(): Promise<void> {
    await decide(await start('happened', 'blind', { behaviour: 'hang' }), 'it-happened');
    const again = await start('again', 'blind', { behaviour: 'cut' });
    await bench.reaches(again, 'needs-recovery');
    behaviours.delete('/blind/again');
    await decide(again, 'send-again');
    const undone = await start('undone', 'compensable', { behaviour: 'hang' });
    await bench.reaches(undone, 'needs-recovery');
    behaviours.delete('/compensable/undone');
    await decide(undone, 'undo-then-send');
    const stopped = await start('stop-here', 'blind', { behaviour: 'hang' });
    const attemptToken = await decide(stopped, 'stop-here');
    must(await bench.host.control.reopenRecovery(attemptToken, 'Test'));
    await start('verified', 'verifiable', { behaviour: 'hang' });
    await start('left-unclear', 'blind', { behaviour: 'hang' });
  }

  async function controls(): Promise<void> {
    const { control } = bench.host;
    const withdrawn = await start('withdrawn', 'blind', { asks: true });
    await bench.reaches(withdrawn, 'needs-approval');
    must(await control.stopRun(withdrawn, 'Test'));
    await start('left-asking', 'blind', { asks: true });
    await answer(await start('allowed', 'blind', { asks: true }), true);
    await answer(await start('not-allowed', 'blind', { asks: true }), false);
    await allowLike(await start('standing', 'blind', { asks: true }));
    must(await control.pauseAgents('left-asking' as AgentId, 'Test'));
    const paused = await bench.agent(twoSteps('paused', receiver.origin));
    // While the first step is on its way, whatever else the machine does.
    receiver.answerAfter = async () => {
      const [run] = bench.rows<{ run_id: RunId }>(`SELECT run_id FROM runs WHERE agent_id = 'paused'`);
      if (run !== undefined) must(await control.pauseRun(run.run_id, 'Test'));
    };
    const runId = await bench.run(paused);
    await bench.until('it is held back', () => bench.count('successor.refused') === 1);
    receiver.answerAfter = () => Promise.resolve();
    must(await control.resumeRun(runId, 'Test'));
    await bench.ended(runId);
    const revoked = await bench.agent(twoSteps('revoked', receiver.origin));
    receiver.answerAfter = () => control.revoke(revoked, 'Test');
    await bench.run(revoked);
    await bench.until('it is refused', () => bench.refusals().includes('gate: authority-missing'));
    receiver.answerAfter = () => Promise.resolve();
  }

  /** Follows the end of another run, and has no permission any more when it comes. */
  async function follower(): Promise<void> {
    const agentId = await bench.agent(
      `fencepost: 1\nid: follower\nname: Follower\ntriggers: { afterRuns: [{ id: next, agent: plain }] }\nstart: end\nstates: { end: { type: done } }\n`,
    );
    await bench.until('its trigger counts', () => bench.count('trigger.armed') === 1);
    must(await bench.host.control.revoke(agentId, 'Test'));
  }

  /** Goes on in branches, and asks a model that is not there. */
  async function graph(): Promise<void> {
    const agentId = await bench.agent(
      `fencepost: 1
id: graph
name: Graph
scope: { models: { gone: { provider: openai, baseUrl: 'http://127.0.0.1:1/v1', model: gone } } }
start: each
states:
  each: { type: workset, items: '["a", "b"]', do: ask, onSuccess: end, onFailure: end }
  ask: { type: model, model: gone, prompt: 'About {{ item }}.', retry: { attempts: 2, firstDelayMs: 10 }, onSuccess: end }
  end: { type: done }
`,
    );
    expect(await bench.ended(await bench.run(agentId))).toBe('done');
    expect([bench.count('run.retrying'), bench.count('run.branched')]).toEqual([2, 2]);
  }

  it('are row for row what they were, after approvals, unclear outcomes, decisions, a stop, a pause and a revocation', async () => {
    await start('plain', 'blind');
    await start('refused', 'blind', { behaviour: 'refuse' });
    await start('keyed', 'keyed');
    await controls();
    await decisions();
    await graph();
    const open = (): number =>
      bench.rows(
        `SELECT 1 FROM runs WHERE ending IS NULL AND agent_id NOT IN ('left-asking', 'left-unclear', 'stop-here', 'revoked')`,
      ).length;
    await bench.until('all is at rest', () => open() === 0);
    await follower();
    bench.clock.shift({ wallMs: 5_000 });
    await bench.run('plain' as AgentId, 'once more');
    await bench.until('all is at rest', () => open() === 0);
    await bench.until('its follower is missed', () => bench.count('trigger.missed') === 1);

    const connection = bench.host.control.connection();
    if (connection === null) throw new Error('The store is not open.');
    await bench.host.drain(5_000);
    shareWith(connection);
    const before = snapshot(connection);
    for (const table of PROJECTION_TABLES) expect(before[table]?.length, table).toBeGreaterThan(0);
    expect(
      new Set(
        bench.rows<{ ending: string }>('SELECT ending FROM runs WHERE ending IS NOT NULL').map((row) => row.ending),
      ).size,
    ).toBeGreaterThan(2);
    rebuildProjections(connection.db);
    expect(snapshot(connection)).toEqual(before);
  });
});
