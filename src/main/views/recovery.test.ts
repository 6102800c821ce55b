import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerOutlook } from '../../shared/core/recovery/await-answer.ts';
import { endAwaited, writeAwaited } from '../store/awaited-answers.ts';
import { needsYouCount, needsYouView } from './needs-you.ts';
import { recoveryView } from './recovery.ts';
import { createViewBench, identity, OTHER_DEVICE } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function view() {
  const found = recoveryView(bench.source, 'token-1');
  if (found === null) throw new Error('There is no such attempt.');
  return found;
}

describe('the recovery screen', () => {
  it('claims to know more or less than the journal says', () => {
    bench.send();
    bench.doubt();
    const shown = view();
    expect(shown.reached.map((step) => [step.label, step.isKnown])).toEqual([
      ['Written down', true],
      ['Left Laptop', true],
      ['Reached the server?', false],
      ['Answer', false],
    ]);
    expect(shown.known.map((fact) => fact.sentence)).toEqual([
      'Laptop wrote the step down, before anything left',
      'Laptop took this step, attempt 1',
      'The request left Laptop',
      'No answer arrived in time',
    ]);
    expect(shown.unknown[0]).toBe('Whether api.example.com accepted the request.');
    expect(shown.check.isOffered).toBe(false);
    expect(shown.options.map((option) => option.choice)).toEqual(['it-happened', 'send-again', 'stop-here']);
    expect(shown.options.some((option) => option.isSuggested)).toBe(false);
    expect(shown.epoch).toBe(3);
  });

  it('says that it left a device which was gone before it said anything', () => {
    bench.send();
    bench.doubt('token-1', 'effect_outcome_unknown');
    const shown = view();
    expect(shown.reached[1]).toMatchObject({ label: 'Left Laptop?', isKnown: false });
    expect(shown.known.map((fact) => fact.sentence)).toContain('Laptop was about to send it');
  });

  it('keeps an unclear file from being looked at', () => {
    bench.send('token-1', { tool: 'file.write', effectKind: 'blind', target: '/r/a.txt' });
    bench.doubt();
    expect(view().check).toMatchObject({ isOffered: true, label: 'Look at the file', lastAtMs: null });
    expect(view().unknown[0]).toBe('Whether /r/a.txt was written.');
  });

  it('does not tell that a late answer arrived', () => {
    bench.send();
    bench.doubt();
    const output = bench.connection.journal.keep('{}');
    bench.append('settle.late-evidence', {
      ...identity(),
      outcome: { kind: 'success' },
      output,
      summary: 'It answered 200',
    });
    const shown = view();
    expect(shown.lateEvidence).toBe('It answered 200');
    expect(shown.unknown).toEqual([]);
    expect(shown.options.find((option) => option.isSuggested)?.choice).toBe('it-happened');
    expect(shown.known.at(-1)?.sentence).toBe('A late answer arrived: It answered 200');
  });

  it('lets somebody wait on who has decided, or takes the decision for knowledge', () => {
    bench.send();
    bench.doubt();
    const reached = () => view().reached.find((step) => step.label === 'Reached the server?');
    expect(reached()).toMatchObject({ detail: 'Nobody can tell yet', isKnown: false });
    bench.append('recovery.decided', { ...identity(), choice: 'it-happened', by: 'Ana', reason: '', epoch: 3 });
    expect(reached()).toMatchObject({ detail: 'Nobody could tell', isKnown: false });
  });

  it('offers a decision twice', () => {
    bench.send();
    bench.doubt();
    bench.append('recovery.decided', { ...identity(), choice: 'stop-here', by: 'Ana', reason: '', epoch: 3 });
    expect(view()).toMatchObject({ options: [], decided: { choice: 'stop-here', by: 'Ana', canReopen: true } });
    expect(needsYouView(bench.source)).toMatchObject({
      unclear: [],
      settled: [{ sentence: 'Ana: stop here', canReopen: true }],
    });
  });
});

describe('the queue', () => {
  it('asks a person about what settles itself', () => {
    bench.send('token-1', { effectKind: 'idempotent-by-key', dedupeUntilMs: bench.nowMs + 60_000 });
    bench.doubt();
    expect(needsYouView(bench.source).unclear).toEqual([]);
    bench.nowMs += 61_000;
    expect(needsYouView(bench.source).unclear).toMatchObject([
      {
        id: 'token-1',
        sentence: 'We can’t tell whether it was sent.',
        deviceName: 'Laptop',
        runNumber: 1,
        runTitle: expect.stringMatching(/./u),
      },
    ]);
  });
});

describe('waiting for the device that made an attempt', () => {
  const owner = { deviceId: OTHER_DEVICE, hostId: 'host-2', epoch: 3 };
  let outlook: AnswerOutlook;

  beforeEach(() => {
    outlook = { kind: 'may-come' };
    const refuse = () => Promise.reject(new Error('Not needed by this test.'));
    bench.awaited = { outlookOf: () => outlook, lastSeenMs: () => 7, begin: refuse, takeBack: refuse };
    bench.send();
    bench.append('claim.decided', {
      ...identity(),
      verdict: 'granted',
      owner,
      leaseUntil: { bootId: 'boot', bootMs: 1 },
    });
    bench.doubt();
  });
  const db = () => bench.connection.db;
  const begin = () => writeAwaited(db(), { attemptToken: 'token-1', deviceId: OTHER_DEVICE, sinceMs: bench.nowMs });

  it('a step that is waited for is counted, or is gone from the queue', () => {
    expect(needsYouCount(bench.source)).toBe(1);
    expect(view().wait).toMatchObject({ state: 'offered', lastSeenAtMs: 7 });
    expect(view().unknown).toContain('Whether another device holds an answer that has not arrived here.');
    begin();
    expect(needsYouCount(bench.source)).toBe(0);
    expect(needsYouView(bench.source)).toMatchObject({ unclear: [], waiting: [{ id: 'token-1', alike: null }] });
    expect(view()).toMatchObject({ wait: { state: 'waiting' }, decided: null });
    // It can be answered meanwhile.
    expect(view().options).toHaveLength(3);
  });

  it('a question comes back without saying why', () => {
    begin();
    outlook = { kind: 'over', because: 'record-arrived' };
    endAwaited(db(), 'token-1', { because: 'record-arrived', atMs: bench.nowMs });
    const sentence = 'The record of Another device arrived, and it holds no answer.';
    expect(needsYouView(bench.source)).toMatchObject({ unclear: [{ sentence }], waiting: [] });
    expect(view().wait).toMatchObject({ state: 'over', sentence });
    expect(view().unknown).toEqual(expect.not.arrayContaining([expect.stringContaining('holds an answer')]));
  });

  it('waiting is offered where nothing can come of it', () => {
    outlook = { kind: 'over', because: 'not-shared' };
    expect(view().wait).toBeNull();
    expect(view().unknown.join(' ')).toContain('don’t share their records');
    outlook = { kind: 'nobody' };
    expect(view().wait).toBeNull();
  });
});
