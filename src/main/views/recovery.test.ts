import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needsYouView } from './needs-you.ts';
import { recoveryView } from './recovery.ts';
import { createViewBench, identity } from './testing/view-bench.ts';
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
      { id: 'token-1', sentence: "We can't tell whether it was sent.", deviceName: 'Laptop', runNumber: 1 },
    ]);
  });
});
