import { describe, expect, it } from 'vitest';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { AttemptToken } from '../../../shared/contract/identifiers.ts';
import type { Connection } from '../connection.ts';
import { findRun } from '../rows.ts';
import type { RunRecord } from '../rows.ts';
import { connectionOf, openStore } from '../testing/store-bench.ts';
import { agentId, begin, effect, first, runId, second } from '../testing/told-run.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';

const newFolder = useTemporaryFolders();
const token = 'the attempt' as AttemptToken;
const at = { agentId, runId, stateId: first, stateVisit: 1 };

/** How a holder writes that a run rests at its first step. */
const RESTS: readonly ((connection: Connection) => void)[] = [
  ({ journal }) => journal.append('run.waiting', { ...at, untilMs: 10 }),
  ({ journal }) => journal.append('run.branching', { ...at, count: 2 }),
  ({ journal }) =>
    journal.append('run.retrying', { ...at, attemptNumber: 1, delayMs: 10, untilMs: 10, code: 'http-503' }),
];

describe('a run that rests at a step', () => {
  async function told(tell: (connection: Connection) => void): Promise<RunRecord | null> {
    const store = openStore(newFolder());
    must(await store.write((within) => begin(within, token, 1)));
    must(await store.write(tell));
    return findRun(connectionOf(store).db, runId);
  }

  it('does not rest at all, or not until its time', async () => {
    const runs = await Promise.all(RESTS.map(told));
    expect(runs.map((run) => [run?.phase, run?.wait_until_ms])).toEqual([
      ['waiting', 10],
      ['branching', null],
      ['waiting', 10],
    ]);
  });

  it('rests for ever at a later one, which a holder that did not know of it cannot have meant', async () => {
    const onwards = { agentId, runId, stateId: second, stateVisit: 1 };
    const runs = await Promise.all(
      RESTS.map((rest) =>
        told((within) => {
          within.journal.append('run.entered', onwards);
          rest(within);
        }),
      ),
    );
    for (const run of runs) expect(run).toMatchObject({ phase: 'ready', state_id: second, wait_until_ms: null });
  });

  it('has ended and rests nevertheless', async () => {
    const end: EventPayloads['run.ended'] = { agentId, runId, ending: 'done', summary: 'Done' };
    const runs = await Promise.all(
      RESTS.map((rest) =>
        told((within) => {
          within.journal.append('run.ended', end);
          rest(within);
        }),
      ),
    );
    for (const run of runs) expect(run).toMatchObject({ phase: 'ended', ending: 'done', last_event: 'Done' });
  });

  it('hides that an attempt is unclear, and nobody is asked', async () => {
    const doubt = { effect, attemptToken: token, code: 'aborted', previousOwner: null, lostSince: null };
    const run = await told((within) => {
      within.journal.append('effect.started', { effect, attemptToken: token, epoch: 1, idempotencyKey: 'key' });
      within.journal.append('recovery.in-doubt', doubt);
      RESTS[2]?.(within);
    });
    expect(run?.phase).toBe('needs-recovery');
  });
});
