import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { change, sha256 } from '../store/connection.ts';
import { recoveryView } from './recovery.ts';
import { runDetailView } from './run-detail.ts';
import { createViewBench, FENCE_FACTS, identity, OPEN_GATE, OTHER_DEVICE, AGENT, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
});
afterEach(() => bench.remove());

function detail() {
  const view = runDetailView(bench.source, RUN);
  if (view === null) throw new Error('There is no such run.');
  return view;
}

function settle(settledBy: 'executor' | 'person' = 'executor'): void {
  const output = bench.connection.journal.keep('{"status":200}');
  bench.append('settle.recorded', {
    ...identity(),
    outcome: { kind: 'success' },
    outputDigest: sha256('o'),
    output,
    summary: 'api.example.com answered 200',
    settledBy,
    tookMs: 640,
  });
}

describe('what a call tells while it runs', () => {
  it('hides characters, or is shown in another run', () => {
    bench.startRun();
    expect(detail().live).toEqual([]);
    bench.live = [{ attemptToken: 'token-1', title: 'Ask the model', text: 'so far: \u202Egnp.exe\nand more' }];
    expect(detail().live).toEqual([
      { attemptToken: 'token-1', title: 'Ask the model', text: 'so far: [U+202E]gnp.exe\nand more' },
    ]);
  });
});

describe('the timeline of a run', () => {
  it('looks as if nothing happened in a run of which the steps were condensed', () => {
    bench.startRun();
    expect(detail().condensed).toBeNull();
    const sql = 'INSERT INTO compacted_runs VALUES (?,?,1,1,1,?,1,9,?)';
    change(bench.connection.db, sql, RUN, RUN, 'x', '[]');
    expect(detail().condensed).toContain('were condensed');
  });

  it('hides one of the words, or the device that acted', () => {
    bench.startRun();
    bench.append('lease.acquired', {
      agentId: AGENT,
      epoch: 3,
      coordinatorId: 'r',
      incarnation: 'i',
      holdOffMs: 3_500,
      previousHolder: OTHER_DEVICE,
    });
    bench.send();
    settle();
    const rows = detail().timeline;
    expect(rows.map((row) => row.word)).toEqual([
      'trigger',
      'lease',
      'intent',
      'gate',
      'claim',
      'fence',
      'effect',
      'settle',
    ]);
    expect(rows[1]).toMatchObject({
      sentence: 'Laptop took over the right to act from another device',
      measure: 'waits 3.5 s',
      mark: 'key',
    });
    expect(rows[6]?.sentence).toBe('The request left Laptop');
    expect(rows[7]).toMatchObject({ mark: 'done', measure: '640 ms' });
  });

  it('says a decision twice, or leaves its step without an outcome', () => {
    bench.startRun();
    bench.send();
    bench.doubt();
    bench.append('recovery.decided', { ...identity(), choice: 'it-happened', by: 'Ana', reason: '', epoch: 3 });
    settle('person');
    const told = detail().timeline.filter((row) => row.mark === 'done');
    expect(told).toMatchObject([{ word: 'recovery', sentence: 'Ana decided: it was sent, carry on' }]);
    expect(detail().timeline.map((row) => row.word)).not.toContain('settle');
    expect(detail().steps[0]?.status).toBe('done');
    const known = recoveryView(bench.source, 'token-1')?.known.map((fact) => fact.sentence) ?? [];
    expect(known.at(-1)).toBe('Ana decided: it was sent, carry on');
    // Nothing of the record is left out: the evidence has both.
    expect(
      detail()
        .evidence.map((entry) => entry.kind)
        .slice(-2),
    ).toEqual(['recovery.decided', 'settle.recorded']);
  });

  it('shows the lease of another agent', () => {
    bench.startRun();
    bench.append('lease.released', { agentId: 'somebody-else' as typeof AGENT, epoch: 9 });
    expect(detail().timeline.map((row) => row.word)).toEqual(['trigger']);
  });

  it('leaves a silence out, or calls a sleep "nothing happened"', () => {
    bench.startRun();
    bench.nowMs += 31 * 60_000;
    bench.send();
    bench.nowMs += 5 * 60_000;
    bench.append('lease.doubtful', { agentId: AGENT, epoch: 3, reason: 'suspended', gapMs: 300_000 });
    const gaps = detail().timeline.filter((row) => row.mark === 'gap');
    expect(gaps.map((row) => row.sentence)).toEqual([
      'Nothing happened for 31 min',
      'Laptop was asleep or held up. Nothing is sent until the right to act is confirmed.',
    ]);
  });

  it('shows an effect as on its way although nobody knows', () => {
    bench.startRun();
    bench.send();
    expect(detail().timeline.at(-1)?.mark).toBe('running');
    bench.doubt();
    const view = detail();
    expect(view.timeline.find((row) => row.word === 'effect')?.mark).toBe('dot');
    expect(view.attemptInDoubt).toBe('token-1');
    expect(view.row.status).toBe('needs-recovery');
    expect(view.lanes[0]).toMatchObject({ outcome: 'Unclear', status: 'unclear' });
  });
});

describe('an effect that never left', () => {
  it('is shown as sent', () => {
    bench.startRun();
    bench.send();
    bench.append('effect.withheld', { ...identity(), reason: 'suspended' });
    const view = detail();
    expect(view.timeline.find((row) => row.word === 'effect')?.sentence).toBe('Laptop was about to send it');
    expect(view.lanes[0]?.marks.map((mark) => mark.kind)).toEqual(['refused']);
    expect(view.why[0]).toMatchObject({ headline: 'Why it was not sent', isGoodNews: true });
    expect(view.why[0]?.questions.at(-1)).toMatchObject({ verdict: 'decided', answer: 'Yes. Laptop had been asleep.' });
  });
});

describe('the lanes and steps of a run', () => {
  it('count one effect twice after a refusal', () => {
    bench.startRun();
    bench.intent();
    bench.append('gate.decided', {
      ...identity(),
      decision: { kind: 'refuse', reason: 'barrier-active' },
      facts: { ...OPEN_GATE, barrierActive: true },
    });
    expect(detail().row.status).toBe('refused');
    bench.send('token-2', { attemptNumber: 2 });
    expect(detail().row.status).toBe('running-here');
    settle();
    const { lanes, steps } = detail();
    expect(lanes).toHaveLength(1);
    expect(lanes[0]).toMatchObject({ outcome: 'Sent once', status: 'done' });
    expect(lanes[0]?.marks.map((mark) => mark.kind)).toEqual(['refused', 'sent']);
    expect(steps[0]).toMatchObject({ title: 'Post the report', status: 'done', attempts: 2 });
    expect(steps[0]?.output?.text).toBe('{"status":200}');
    expect(steps.slice(1).map((step) => step.status)).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
  });
});

describe('why an attempt was sent or not', () => {
  it('leaves out a question that was asked', () => {
    bench.startRun();
    bench.send();
    expect(detail().why[0]?.headline).toBe('Why it could be sent');
    settle();
    const [why] = detail().why;
    expect(why?.headline).toBe('Why it was sent');
    expect(why?.questions.every((question) => question.verdict === 'yes')).toBe(true);
    expect(why?.questions.map((question) => question.question)).toEqual([
      'Is it allowed?',
      'Was the run stopped or paused?',
      'Is this still the current step?',
      'Is somebody else doing it?',
      'Was it sent before?',
      'Does Laptop have the right to act?',
      'Has enough time passed since the last device had it?',
      'Can Laptop trust its own clock?',
      'Did anything change at the very last moment?',
    ]);
  });

  it('blames the wrong fact for a lost lease', () => {
    bench.startRun();
    bench.intent();
    bench.append('gate.decided', { ...identity(), decision: { kind: 'dispatch' }, facts: OPEN_GATE });
    const decision = { kind: 'stale-epoch', claimedEpoch: 3, currentEpoch: 4, currentHolder: OTHER_DEVICE } as const;
    bench.append('fence.decided', {
      ...identity(),
      decision,
      facts: { ...FENCE_FACTS, registerEpoch: 4, registerHolder: OTHER_DEVICE },
    });
    const [why] = detail().why;
    expect(why).toMatchObject({ headline: 'Why it was not sent', isGoodNews: true });
    expect(why?.questions.at(-1)).toEqual({
      question: 'Does Laptop have the right to act?',
      answer: 'No. Another device has it.',
      verdict: 'decided',
    });
    expect(why?.facts[0]?.value).toMatch(/^This worked as it should\. .* Nothing to do\.$/u);
  });
});
