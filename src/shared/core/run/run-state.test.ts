import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runStatus } from './run-state.ts';
import type { RunEnding, RunPhase, RunStatus } from './run-state.ts';

interface Seen {
  readonly phase: RunPhase;
  readonly ending?: RunEnding;
  readonly barrierActive?: boolean;
  readonly isHere?: boolean;
  readonly isElsewhere?: boolean;
  readonly isRefused?: boolean;
}

function statusOf({ phase, ending, barrierActive = false, ...view }: Seen): RunStatus {
  const where = { isHere: false, isElsewhere: false, isRefused: false, ...view };
  return runStatus({ phase, ending: ending ?? null, barrierActive }, where);
}

describe('the word a person sees for a run', () => {
  it.each<{ hazard: string; seen: Seen; status: RunStatus }>([
    { hazard: 'a run here is not shown', seen: { phase: 'ready', isHere: true }, status: 'running-here' },
    { hazard: 'an attempt without its lease is hidden', seen: { phase: 'acting' }, status: 'running-here' },
    { hazard: 'a run that nobody holds looks busy', seen: { phase: 'ready' }, status: 'waiting' },
    { hazard: 'a run elsewhere looks idle', seen: { phase: 'ready', isElsewhere: true }, status: 'running-elsewhere' },
    {
      hazard: 'a run whose branches go on looks idle',
      seen: { phase: 'branching', isHere: true },
      status: 'running-here',
    },
    { hazard: 'a run that waits looks busy', seen: { phase: 'waiting', isHere: true }, status: 'waiting' },
    {
      hazard: 'a run that is held on purpose looks busy',
      seen: { phase: 'ready', isHere: true, barrierActive: true },
      status: 'waiting',
    },
    {
      hazard: 'a refusal is hidden behind a busy word',
      seen: { phase: 'ready', isHere: true, isRefused: true },
      status: 'refused',
    },
    {
      hazard: 'a run with something on its way is shown as paused',
      seen: { phase: 'acting', isHere: true, barrierActive: true },
      status: 'running-here',
    },
    {
      hazard: 'a held run is shown as refused',
      seen: { phase: 'ready', barrierActive: true, isRefused: true },
      status: 'waiting',
    },
    {
      hazard: 'an old refusal covers what another device does now',
      seen: { phase: 'ready', isElsewhere: true, isRefused: true },
      status: 'running-elsewhere',
    },
    {
      hazard: 'a question is hidden because another device holds the agent',
      seen: { phase: 'needs-approval', isElsewhere: true, barrierActive: true },
      status: 'needs-approval',
    },
    {
      hazard: 'a doubt is hidden because another device holds the agent',
      seen: { phase: 'needs-recovery', isElsewhere: true, isRefused: true },
      status: 'needs-recovery',
    },
  ])('$hazard', ({ seen, status }) => {
    expect(statusOf(seen)).toBe(status);
  });

  it('something covers the way a run ended', () => {
    const seen = fc.record({
      phase: fc.constantFrom<RunPhase>(
        'ready',
        'acting',
        'waiting',
        'branching',
        'needs-approval',
        'needs-recovery',
        'ended',
      ),
      ending: fc.constantFrom<RunEnding>('done', 'failed-nothing-sent', 'failed-was-sent', 'stopped'),
      barrierActive: fc.boolean(),
      isHere: fc.boolean(),
      isElsewhere: fc.boolean(),
      isRefused: fc.boolean(),
    });
    fc.assert(
      fc.property(seen, (given) => {
        expect(statusOf(given)).toBe(given.ending);
      }),
    );
  });
});
