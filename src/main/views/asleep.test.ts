import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../shared/contract/identifiers.ts';
import { sha256 } from '../store/connection.ts';
import type { Sleep } from '../host/sleeps.ts';
import { asleepView, doneElsewhere, isAnythingChanged } from './asleep.ts';
import type { AsleepEntry } from './asleep.ts';
import { openOtherDevice } from './testing/other-device.ts';
import { AGENT, OTHER_DEVICE, RUN, createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

const HOUR = 3_600_000;

describe('what other devices did during a sleep', () => {
  const SLEEPS = [
    { fromMs: 100, untilMs: 200 },
    { fromMs: 300, untilMs: 400 },
  ];
  const entry = (changes: Partial<AsleepEntry>): AsleepEntry => ({
    deviceId: 'pc',
    kind: 'run.entered',
    runId: 'run',
    questionId: null,
    atMs: 150,
    ...changes,
  });
  const answer = (changes: Partial<AsleepEntry>) => entry({ kind: 'approval.decided', questionId: 'q', ...changes });
  const done = (...entries: AsleepEntry[]) => {
    const { runs, answers } = doneElsewhere(SLEEPS, entries);
    return { runs: [...runs], answers: [...answers] };
  };

  it.each<[string, AsleepEntry[], ReturnType<typeof done>]>([
    ['a run', [entry({})], { runs: [['run', 'pc']], answers: [] }],
    [
      'the first and the last moment',
      [entry({ atMs: 100 }), entry({ runId: 'b', atMs: 400 })],
      {
        runs: [
          ['run', 'pc'],
          ['b', 'pc'],
        ],
        answers: [],
      },
    ],
    [
      'before, between and after',
      [entry({ atMs: 99 }), entry({ atMs: 250 }), entry({ atMs: 401 })],
      { runs: [], answers: [] },
    ],
    [
      'a run that went on to a third device',
      [entry({}), entry({ runId: 'b' }), entry({ deviceId: 'mac' })],
      {
        runs: [
          ['b', 'pc'],
          ['run', 'mac'],
        ],
        answers: [],
      },
    ],
    ['an agent that was saved', [entry({ kind: 'agent.saved', runId: null })], { runs: [], answers: [] }],
    [
      'an answer, and what came of it',
      [answer({}), answer({ deviceId: 'mac', kind: 'recovery.decided' })],
      { runs: [], answers: [['q', 'pc']] },
    ],
    ['the answer of a standing permission', [answer({ questionId: null })], { runs: [], answers: [] }],
  ])('%s', (_name, entries, expected) => {
    expect(done(...entries)).toEqual(expected);
  });

  it('is told although nothing changed, or kept silent although something did', () => {
    const nothing = { rights: [], runCount: 0, missed: [], answered: [] };
    expect(isAnythingChanged(nothing)).toBe(false);
    expect(isAnythingChanged({ ...nothing, runCount: 1 })).toBe(true);
    expect(isAnythingChanged({ ...nothing, answered: [{ deviceName: 'PC', count: 1 }] })).toBe(true);
    const right = { agentId: 'a', agentName: 'A', state: 'doubtful', deviceName: '' } as const;
    expect(isAnythingChanged({ ...nothing, rights: [right] })).toBe(true);
  });
});

describe('the summary after a wake', () => {
  let bench: ViewBench;
  let folder: string;
  beforeEach(() => {
    bench = createViewBench();
    folder = mkdtempSync(path.join(tmpdir(), 'fencepost-asleep-'));
  });
  afterEach(() => {
    bench.remove();
    rmSync(folder, { recursive: true });
  });

  /** It falls asleep now, and wakes up after two hours in which something happens. */
  async function sleep(meanwhile: () => Promise<void> | void = () => undefined): Promise<Sleep> {
    const fromMs = bench.nowMs;
    const fromSeq = bench.connection.journal.head.seq;
    bench.nowMs += HOUR;
    await meanwhile();
    bench.nowMs = fromMs + 2 * HOUR;
    return { fromMs, fromSeq, untilMs: bench.nowMs, asleepMs: 2 * HOUR, heldAgentIds: [AGENT] };
  }

  it('is there although it did not sleep, or nothing changed', async () => {
    bench.startRun();
    expect(asleepView(bench.source, [])).toMatchObject({ summary: null });
    expect(asleepView(bench.source, [await sleep(() => bench.startRun('run-2' as RunId))])).toMatchObject({
      summary: null,
    });
  });

  it('leaves out what another device did, or a question that it answered, and names this one for it', async () => {
    bench.startRun();
    bench.startRun('run-2' as RunId);
    const other = openOtherDevice(folder, OTHER_DEVICE, () => bench.nowMs);
    const slept = await sleep(async () => {
      const ended = { agentId: AGENT, runId: RUN, ending: 'done', summary: 'Done' } as const;
      const answer = { approvalId: 'question', inputDigest: sha256('d'), isAllowed: true, by: 'You', reason: '' };
      await other.write('approval.answered', { agentId: AGENT, runId: RUN, ...answer });
      await other.write('run.ended', ended);
    });
    other.handOver(bench.connection);
    const told = asleepView(bench.source, [slept]).summary;
    expect(told).toMatchObject({
      fromMs: slept.fromMs,
      untilMs: slept.untilMs,
      asleepMs: 2 * HOUR,
      isMore: false,
      missed: [],
      rights: [],
      runs: [{ runId: RUN, status: 'done', deviceName: 'Another device' }],
      runCount: 1,
      answered: [{ deviceName: 'Another device', count: 1 }],
    });
    // The next sleep is not told of it again.
    expect(asleepView(bench.source, [await sleep()]).summary).toBeNull();
    other.close();
  });

  it('keeps a right in doubt after it was confirmed, or calls one doubtful that another device has', async () => {
    bench.startRun();
    bench.send();
    const slept = await sleep();
    const held = { epoch: 3, ttlMs: 15_000, remainingMs: 9_000, renewedAtMs: bench.nowMs };
    const hold = (standing: NonNullable<ViewBench['lease']['held']>['standing']) =>
      (bench.lease = { agentId: AGENT, held: { ...held, standing }, state: 'ready', view: null });
    hold({ kind: 'doubtful', reason: 'suspended' });
    expect(asleepView(bench.source, [slept]).summary?.rights).toEqual([
      { agentId: AGENT, agentName: 'Poster', state: 'doubtful', deviceName: '' },
    ]);
    hold({ kind: 'live', remainingMs: 9_000 });
    expect(asleepView(bench.source, [slept]).summary).toBeNull();
    const lease = { agentId: AGENT, holder: OTHER_DEVICE, epoch: 5, nonce: 'n', ttlMs: 15_000 };
    const view = {
      coordinator: { coordinatorId: 'r', incarnation: 'i' },
      lease,
      epoch: 5,
      remainingMs: 9_000,
      tail: [],
    };
    bench.lease = { agentId: AGENT, held: null, state: 'ready', view: { ...view, frontier: {} } };
    expect(asleepView(bench.source, [slept]).summary?.rights).toMatchObject([
      { state: 'gone', deviceName: 'Another device' },
    ]);
    // What it did not have before it slept has not gone anywhere.
    expect(asleepView(bench.source, [{ ...slept, heldAgentIds: [] }]).summary).toBeNull();
  });
});
