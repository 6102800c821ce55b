import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../store/connection.ts';
import { plainly } from './failure-words.ts';
import { recoveryView } from './recovery.ts';
import { runDetailView } from './run-detail.ts';
import { createViewBench, identity, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
  bench.send();
});
afterEach(() => bench.remove());

describe('a sentence that a person reads', () => {
  it.each([
    [
      'api.example.com could not be reached (econnrefused). Nothing was sent.',
      'api.example.com could not be reached: nothing answers there. Nothing was sent.',
    ],
    [
      'The tool server notes could not be reached (ENOTFOUND).',
      'The tool server notes could not be reached: there is no machine of this name.',
    ],
    [
      'It cannot be used. connect ECONNREFUSED 127.0.0.1:2379.',
      'It cannot be used. Nothing answers there (127.0.0.1:2379).',
    ],
    ['It cannot be used. read ECONNRESET.', 'It cannot be used. The connection was cut.'],
    ['getaddrinfo EAI_AGAIN db.example.com', 'Its name could not be looked up (db.example.com)'],
  ])('ends in a code of the system: %s', (written, read) => {
    expect(plainly(written)).toBe(read);
  });

  it.each([
    'The answer broke off (exit-1).',
    'It was told (ENOSUCHCODE).',
    'It was told (constructor).',
    'read EVERYTHING aloud.',
    'The envelope (econnrefused) was named so by its sender.',
  ])('loses what is no known code: %s', (written) => {
    expect(plainly(written)).toBe(written);
  });

  it('ends in a code in the run, its steps or its timeline, or the evidence has lost the code', () => {
    const output = bench.connection.journal.keep('null');
    bench.append('settle.recorded', {
      ...identity(),
      outcome: { kind: 'failure', class: 'transient', code: 'econnrefused', wasSent: false },
      outputDigest: sha256('null'),
      output,
      summary: 'api.example.com could not be reached (econnrefused). Nothing was sent.',
      settledBy: 'executor',
      tookMs: 3,
    });
    const view = runDetailView(bench.source, RUN);
    const { evidence, ...read } = view ?? { evidence: [] };
    expect(JSON.stringify(read)).toContain('could not be reached: nothing answers there.');
    expect(JSON.stringify(read)).not.toContain('econnrefused');
    expect(JSON.stringify(evidence)).toContain('econnrefused');
  });

  it('ends in a code where somebody has to decide', () => {
    bench.doubt('token-1', 'enetunreach');
    bench.append('recovery.probed', {
      ...identity(),
      answer: 'silent',
      by: 'you',
      summary: 'Nobody could look into the folder Sent (econnrefused).',
    });
    const view = recoveryView(bench.source, 'token-1');
    expect(view?.cause).toBe('no answer was recorded: the network cannot be reached.');
    expect(view?.check.lastAnswer).toBe(
      'It could not be told. Nobody could look into the folder Sent: nothing answers there.',
    );
    expect(JSON.stringify(view)).not.toMatch(/\(e[a-z]+\)/u);
  });
});
