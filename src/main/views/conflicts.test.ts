import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { sha256 } from '../store/connection.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { conflictViews } from './conflicts.ts';
import { openOtherDevice } from './testing/other-device.ts';
import type { OtherDevice } from './testing/other-device.ts';
import { createViewBench, FENCE_FACTS, identity, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const OTHER = 'work-pc' as DeviceId;
type Intent = EventPayloads['intent.recorded'];

describe('it happened twice', () => {
  const newFolder = useTemporaryFolders();
  let bench: ViewBench;
  let other: OtherDevice;

  beforeEach(async () => {
    bench = createViewBench();
    other = openOtherDevice(newFolder(), OTHER, () => bench.nowMs);
    const keys = { publicKey: 'key', wrapPublicKey: 'wrap' };
    await other.write('sync.device-joined', { deviceId: OTHER, name: 'Work-PC', version: '1', ...keys });
    bench.startRun();
  });
  afterEach(() => {
    other.close();
    bench.remove();
  });

  const settled = (token: string, isDone: boolean, summary: string): EventPayloads['settle.recorded'] => ({
    ...identity(token),
    outcome: isDone ? { kind: 'success' } : { kind: 'failure', class: 'permanent', code: 'http_404', wasSent: true },
    outputDigest: sha256('answer'),
    output: { digest: sha256('answer'), bytes: 6, inline: 'answer' },
    summary,
    settledBy: 'executor',
    tookMs: 1,
  });

  /** The other device makes the same effect with a grant of its own. */
  async function sendThere(token: string, changes: Partial<Intent> = {}): Promise<void> {
    const own: Intent = {
      ...identity(token),
      attemptNumber: 1,
      stateId: 'post' as Intent['stateId'],
      stateVisit: 1,
      recipient: { recipient: 'actor', bindingId: 'http', runtimeId: 'http' },
      effectKind: 'blind',
      title: 'Post the report',
      target: 'api.example.com',
      input: { digest: sha256('{}'), bytes: 2, inline: '{}' },
      inputDigest: sha256('{}'),
      grantDigest: sha256('grant'),
      dedupeUntilMs: null,
      isDestructive: false,
      hasUndo: false,
      tool: 'http.request',
      observedBefore: null,
      decidedAfter: null,
      ...changes,
    };
    const owner = { deviceId: OTHER, hostId: 'host-2', epoch: 4 };
    await other.write('intent.recorded', own);
    const lease = { bootId: 'boot', bootMs: 1 };
    await other.write('claim.decided', { ...identity(token), verdict: 'granted', owner, leaseUntil: lease });
    await other.write('fence.decided', { ...identity(token), decision: { kind: 'proceed' }, facts: FENCE_FACTS });
    await other.write('effect.started', { ...identity(token), epoch: 4, idempotencyKey: 'key' });
  }

  test('two devices sent it, and nothing says so, or not which one counts', async () => {
    bench.send('here');
    bench.append('settle.recorded', settled('here', true, 'HTTP 200.'));
    bench.nowMs += 60_000;
    await sendThere('there');
    await other.write('settle.recorded', settled('there', true, 'HTTP 201.'));
    expect(conflictViews(bench.source)).toEqual([]);
    other.handOver(bench.connection);
    const [conflict] = conflictViews(bench.source);
    expect(conflict).toMatchObject({
      runId: RUN,
      runTitle: 'Post the report',
      effectTitle: 'Post the report',
      target: 'api.example.com',
      attempts: [
        { deviceName: 'Laptop', epoch: 3, counts: true, sentence: 'It was sent. HTTP 200.' },
        { deviceName: 'Work-PC', epoch: 4, counts: false, sentence: 'It was sent. HTTP 201.' },
      ],
    });
  });

  test('a decision to send again hides that the first attempt had arrived after all', async () => {
    bench.send('here');
    bench.doubt('here');
    const late = settled('here', true, 'HTTP 200, late.');
    bench.nowMs += 60_000;
    await sendThere('there', { attemptNumber: 2 });
    await other.write('settle.recorded', settled('there', true, 'HTTP 201.'));
    other.handOver(bench.connection);
    // Nothing says yet that the first one arrived.
    expect(conflictViews(bench.source)).toEqual([]);
    const { outcome, output, summary } = late;
    bench.append('settle.late-evidence', { ...identity('here'), outcome, output, summary });
    const [conflict] = conflictViews(bench.source);
    expect(conflict?.attempts.map(({ sentence, counts }) => [sentence, counts])).toEqual([
      ['The answer came later: it was sent. HTTP 200, late.', false],
      ['It was sent. HTTP 201.', true],
    ]);
  });

  test('an attempt that failed, that only read, or that the other side does once is called a repetition', async () => {
    bench.send('here');
    bench.append('settle.recorded', settled('here', false, 'HTTP 404.'));
    await sendThere('there');
    await other.write('settle.recorded', settled('there', true, 'HTTP 201.'));
    other.handOver(bench.connection);
    expect(conflictViews(bench.source)).toEqual([]);
    for (const effectKind of ['read-only', 'idempotent-by-key'] as const) {
      const effect = { ...identity().effect, effectKey: `${effectKind}#1` as never };
      const at = (token: string) => ({ ...settled(token, true, ''), effect });
      bench.send(`${effectKind} here`, { effect, effectKind });
      bench.append('settle.recorded', at(`${effectKind} here`));
      await sendThere(`${effectKind} there`, { effect, effectKind });
      await other.write('settle.recorded', at(`${effectKind} there`));
    }
    other.handOver(bench.connection);
    expect(conflictViews(bench.source)).toEqual([]);
  });

  test('two attempts of one device look like two devices', () => {
    for (const token of ['one', 'two']) {
      bench.send(token);
      bench.append('settle.recorded', settled(token, true, ''));
    }
    expect(conflictViews(bench.source)).toEqual([]);
  });
});
