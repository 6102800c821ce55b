import { expect, it } from 'vitest';
import type { AttemptToken, DeviceId } from '../../../shared/contract/identifiers.ts';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { findRun } from '../rows.ts';
import { connectionOf, openStore } from '../testing/store-bench.ts';
import { agentId, begin, digest, effect, first, output, runId, second, pastInstant } from '../testing/told-run.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { setBarrier } from './control-run.ts';

const newFolder = useTemporaryFolders();
const token = 'of the first holder' as AttemptToken;
const next = 'of another device' as AttemptToken;
const STRATEGY = {
  states: { [first]: { type: 'tool', onSuccess: second }, [second]: { type: 'done' } },
} as unknown as Strategy;

it('a paused run whose unclear step turned out done rests for ever behind an attempt that never left', async () => {
  const store = openStore(newFolder());
  const owner = { deviceId: 'another device' as DeviceId, hostId: 'host', epoch: 2 };
  const doubt = { effect, attemptToken: token, code: 'aborted', previousOwner: null, lostSince: null };
  const settled = { outputDigest: digest, output, summary: 'Done', settledBy: 'tail', tookMs: null } as const;
  must(
    await store.write((within) => {
      const { journal } = within;
      begin(within, token, 1);
      journal.append('effect.started', { effect, attemptToken: token, epoch: 1, idempotencyKey: 'key' });
      journal.append('recovery.in-doubt', doubt);
      journal.append('run.pause-requested', { agentId, runId, by: 'Test' });
      // Another device, which did not know, began it again; that was taken back before it left.
      const intent = {
        effect,
        attemptToken: next,
        attemptNumber: 2,
        stateId: first,
        stateVisit: 1,
        inputDigest: digest,
      };
      journal.append('intent.recorded', intent as EventPayloads['intent.recorded']);
      journal.append('claim.decided', {
        effect,
        attemptToken: next,
        verdict: 'granted',
        owner,
        leaseUntil: pastInstant,
      });
      journal.append('recovery.reclaimed', { effect, attemptToken: next, previousOwner: owner });
      journal.append('settle.recorded', { effect, attemptToken: token, outcome: { kind: 'success' }, ...settled });
    }),
  );
  const { db } = connectionOf(store);
  expect(findRun(db, runId)).toMatchObject({ state_id: first, ending: null });
  must(
    await store.write((within) => setBarrier(within, runId, { isUp: false, by: 'Test', strategy: STRATEGY, nowMs: 0 })),
  );
  expect(findRun(db, runId)).toMatchObject({ state_id: second, ending: 'done' });
  store.close();
});
