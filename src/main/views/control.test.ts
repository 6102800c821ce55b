import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StateId } from '../../shared/contract/identifiers.ts';
import { sha256 } from '../store/connection.ts';
import { approvalView } from './approval.ts';
import { controlView, holdView } from './control.ts';
import { runDetailView } from './run-detail.ts';
import { standingViews } from './standing.ts';
import { AGENT, createViewBench, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

describe('what a stop or a pause says beforehand', () => {
  let bench: ViewBench;
  beforeEach(() => {
    bench = createViewBench();
    bench.startRun();
  });
  afterEach(() => bench.remove());

  it('hides what is on its way, or promises to call it back', () => {
    expect(controlView(bench.source, AGENT)).toMatchObject({ name: 'Poster', openRuns: 1, inFlight: [], hold: null });
    expect(controlView(bench.source, AGENT)?.stop).toContain('Nothing is on its way, so nothing more is sent.');
    bench.send();
    const view = controlView(bench.source, null);
    expect(view).toMatchObject({ name: null, openRuns: 1, inFlight: ['Post the report'] });
    for (const sentences of [view?.stop, view?.pause])
      expect(sentences?.join(' ')).toMatch(/“Post the report”\. It can’t be called back/u);
    // An unclear step is nobody's to follow: it is in Needs you.
    bench.doubt();
    expect(controlView(bench.source, AGENT)?.inFlight).toEqual([]);
    expect(controlView(bench.source, 'nobody' as typeof AGENT)).toBeNull();
  });

  it('calls it paused while something is still on its way', () => {
    bench.send();
    bench.append('agent.pause-requested', { agentId: AGENT, by: 'you' });
    expect(holdView(bench.source, AGENT)).toMatchObject({ state: 'pause-requested', by: 'you' });
    expect(holdView(bench.source, null)).toBeNull();
    expect(runDetailView(bench.source, RUN)).toMatchObject({
      canPause: false,
      stateSentence: expect.stringMatching(/^Pause requested\./u),
    });
    bench.append('effect.withheld', {
      effect: { agentId: AGENT, runId: RUN, effectKey: 'post#1' as never },
      attemptToken: 'token-1' as never,
      reason: 'stop-requested',
    });
    expect(holdView(bench.source, AGENT)?.state).toBe('paused');
    expect(runDetailView(bench.source, RUN)?.stateSentence).toMatch(/^Paused with its agent\./u);
    bench.append('agent.pause-requested', { agentId: null, by: 'you' });
    expect(runDetailView(bench.source, RUN)?.stateSentence).toMatch(/^Everything is paused\./u);
  });

  it('lists a standing permission that answers nothing any more', () => {
    const agent = { agent_id: AGENT, name: '', description: '', revision_digest: sha256('x'), saved_at_ms: 0 };
    const [revision] = [bench.connection.db.prepare('SELECT revision_digest FROM agents').pluck().get()];
    const now = { ...agent, revision_digest: revision as typeof agent.revision_digest };
    bench.append('approval.standing-given', {
      agentId: AGENT,
      standingId: 'standing',
      approvalId: 'question',
      grantDigest: sha256('grant'),
      ofStateId: 'post' as StateId,
      tool: 'http.request',
      target: 'POST https://api.example.com/x',
      inputDigest: null,
      expiresAtMs: bench.nowMs + 60_000,
      by: 'you',
    });
    expect(standingViews(bench.source, now)).toMatchObject([
      { sentence: 'At “post”: POST https://api.example.com/x', scope: 'Any input for this target' },
    ]);
    expect(standingViews(bench.source, agent)).toEqual([]);
    bench.nowMs += 60_000;
    expect(standingViews(bench.source, now)).toEqual([]);
  });

  it('keeps to itself why a yes did not count, who gave it and where', () => {
    const input = bench.connection.journal.keep('{}');
    const at = { agentId: AGENT, runId: RUN, approvalId: 'question' };
    bench.append('approval.requested', {
      ...at,
      stateId: 'ask' as StateId,
      stateVisit: 1,
      ofStateId: 'post' as StateId,
      inputDigest: input.digest,
      input,
      question: 'Post it?',
      title: 'Post',
      target: 'POST https://api.example.com/x',
      effectKind: 'blind',
      tool: 'http.request',
      expiresAtMs: bench.nowMs + 60_000,
    });
    expect(approvalView(bench.source, 'question')?.scopes.map((each) => each.scope)).toEqual([
      'same-input',
      'same-target',
    ]);
    bench.append('approval.decided', { ...at, isAllowed: true, by: 'you', reason: '', epoch: 1 });
    bench.append('approval.stale', { ...at, reason: 'epoch-changed' });
    expect(approvalView(bench.source, 'question')).toMatchObject({
      state: 'stale',
      staleWhy: expect.stringContaining('right to act'),
      decided: { by: 'you', deviceName: 'Laptop' },
    });
  });
});
