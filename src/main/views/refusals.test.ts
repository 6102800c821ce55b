import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusalWords } from './refusal-words.ts';
import { refusalsView } from './refusals.ts';
import { AGENT, createViewBench, identity, OPEN_GATE, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function refuse(token: string, attemptNumber: number): void {
  bench.intent({ attemptNumber }, token);
  bench.append('gate.decided', {
    ...identity(token),
    decision: { kind: 'refuse', reason: 'authority-missing' },
    facts: { ...OPEN_GATE, committedGrantDigest: null },
  });
}

describe('refusals', () => {
  it('repeats fill the screen', () => {
    for (const number of [1, 2, 3]) refuse(`token-${number}`, number);
    const { groups } = refusalsView(bench.source, {});
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      count: 3,
      word: 'gate',
      needsPerson: true,
      agentName: 'Poster',
      runNumber: 1,
      headline: 'Not sent: it is not allowed.',
    });
    expect(groups[0]?.facts).toContainEqual({ name: 'Permission in force', value: 'none' });
  });

  it('ask for a person after their run has ended', () => {
    refuse('token-1', 1);
    bench.append('run.ended', { agentId: AGENT, runId: RUN, ending: 'stopped', summary: 'You stopped it' });
    expect(refusalsView(bench.source, {}).groups[0]).toMatchObject({ needsPerson: false, whatToDo: 'Nothing to do.' });
  });

  it('a missing permission leaves no way to the agent that waits for it', () => {
    refuse('token-1', 1);
    const waiting = { agentId: AGENT, isPermissionAsked: true };
    expect(refusalsView(bench.source, {}).groups[0]).toMatchObject(waiting);
    // Nothing waits for it any more.
    bench.append('run.ended', { agentId: AGENT, runId: RUN, ending: 'stopped', summary: 'You stopped it' });
    expect(refusalsView(bench.source, {}).groups[0]).toMatchObject({ ...waiting, isPermissionAsked: false });
  });

  it('a permission is asked for where another one would change nothing', () => {
    const names = { device: 'Laptop', holder: null, done: 'sent' };
    const isAbout = (word: string, reason: string) => refusalWords(word, reason, names).isAboutPermission;
    expect(isAbout('fence', 'permission-ended')).toBe(true);
    expect(isAbout('gate', 'misrouted')).toBe(false);
    expect(isAbout('fence', 'in-doubt')).toBe(false);
  });

  it('a reason of another version breaks the screen', () => {
    const names = { device: 'Laptop', holder: null, done: 'sent' };
    expect(refusalWords('gate', 'constructor', names).meaning).toContain('constructor');
    expect(refusalWords('toString', 'x', names).headline).toBe('Not sent: a check said no.');
  });
});
