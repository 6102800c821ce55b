import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptToken, DeviceId, EffectKey, StateId } from '../../../shared/contract/identifiers.ts';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { operationText } from '../../../shared/core/sync/operation.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import { readAll, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { operationOf } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { findAttempt, findRun, nextVisit } from '../rows.ts';
import type { Store } from '../store.ts';
import { connectionOf, openStore } from '../testing/store-bench.ts';
import { agentId, begin, digest, effect, first, output, runId, second, pastInstant } from '../testing/told-run.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { finishStop } from './control-run.ts';
import { enterFirst } from './enter-state.ts';
import { foldOperations } from './fold-operations.ts';
import { sweepClaims } from './recover-claims.ts';

const newFolder = useTemporaryFolders();
const third = 'third' as StateId;
const fourth = 'fourth' as StateId;
const now = { bootId: 'this boot', bootMs: 1 };

function settleAndGoOn({ journal }: Connection, attemptToken: AttemptToken): void {
  const settled = { outputDigest: digest, output, summary: 'Done', settledBy: 'executor', tookMs: 1 } as const;
  journal.append('effect.started', { effect, attemptToken, epoch: 1, idempotencyKey: 'key' });
  journal.append('settle.recorded', { effect, attemptToken, outcome: { kind: 'success' }, ...settled });
  journal.append('successor.released', { agentId, runId, fromStateId: first, fromStateVisit: 1, toStateId: second });
  journal.append('run.entered', { agentId, runId, stateId: second, stateVisit: 1 });
}

/** A holder of a later epoch goes on, in its own record: from a visit that it knows, to the first visit of a state. */
function goOn({ journal }: Connection, of: { epoch: number; way: readonly [from: StateId, to: StateId][] }): void {
  journal.append('lease.observed', { agentId, epoch: of.epoch, coordinatorId: 'register', incarnation: 'first' });
  for (const [fromStateId, toStateId] of of.way) {
    journal.append('successor.released', { agentId, runId, fromStateId, fromStateVisit: 1, toStateId });
    journal.append('run.entered', { agentId, runId, stateId: toStateId, stateVisit: 1 });
  }
}

/** What a journal would be that never had the entries that are missing. */
function relinked(rows: readonly OpRow[]): Operation[] {
  let prevHash = '';
  return rows.map((row, index) => {
    const unnamed = { ...operationOf(row), seq: index + 1, prevHash };
    prevHash = sha256(operationText(unnamed));
    return { ...unnamed, opId: prevHash };
  });
}

/** One step that leaves a trace. */
const STRATEGY = { states: { [first]: { type: 'tool' } } } as unknown as Strategy;

describe('journals that come late', () => {
  const token = 'of the other device' as AttemptToken;
  let here: Store;
  let there: Store;
  beforeEach(() => {
    here = openStore(newFolder());
    there = openStore(newFolder());
  });

  /** The entries of the other device, up to one of a kind. */
  async function deliver(upTo: string, nth = 1): Promise<void> {
    const source = connectionOf(there);
    const rows = readAll<OpRow>(source.db, 'SELECT * FROM ops ORDER BY seq');
    const places = rows.flatMap((row, index) => (row.kind === upTo ? [index] : []));
    const count = (places[nth - 1] ?? -1) + 1;
    const deviceId = source.journal.deviceId as DeviceId;
    must(await here.write((within) => foldOperations(within, deviceId, rows.slice(0, count).map(operationOf))));
  }

  it.each([
    { isAnnounced: true, found: { inDoubt: [token], reclaimed: [] } },
    { isAnnounced: false, found: { inDoubt: [], reclaimed: [token] } },
  ])(
    'a claim whose start has not been told yet is taken for one that never left (announced: $isAnnounced)',
    async ({ isAnnounced, found }) => {
      must(await there.write((within) => begin(within, token, 1)));
      must(await there.write((within) => settleAndGoOn(within, token)));
      await deliver('claim.decided');
      const sweep = { agentId, now, epoch: 2, isEmbedded: false, isMine: () => false, isAnnounced: () => isAnnounced };
      const swept = must(await here.write((within) => sweepClaims(within, sweep)));
      const tokens = { inDoubt: swept.inDoubt, reclaimed: swept.reclaimed };
      expect(tokens).toEqual({
        inDoubt: found.inDoubt.map((attemptToken) => ({ effect, attemptToken })),
        reclaimed: found.reclaimed.map((attemptToken) => ({ effect, attemptToken })),
      });
    },
  );

  it('a step behind one that is in doubt gets a number under which nobody knows that it was done', async () => {
    must(await there.write((within) => begin(within, token, 1)));
    must(await there.write((within) => settleAndGoOn(within, token)));
    await deliver('claim.decided');
    const doubt = {
      effect,
      attemptToken: token,
      code: 'announced-by-last-holder',
      previousOwner: null,
      lostSince: null,
    };
    const observed = { agentId, epoch: 2, coordinatorId: 'register', incarnation: 'first' };
    must(await here.write(({ journal }) => journal.append('lease.observed', observed)));
    must(await here.write(({ journal }) => journal.append('recovery.in-doubt', doubt)));
    await deliver('run.entered');
    const rows = readAll<OpRow>(connectionOf(there).db, 'SELECT * FROM ops ORDER BY seq');
    const deviceId = connectionOf(there).journal.deviceId as DeviceId;
    must(await here.write((within) => foldOperations(within, deviceId, rows.map(operationOf))));
    const { db } = connectionOf(here);
    expect(findRun(db, runId)).toMatchObject({ phase: 'needs-recovery', state_id: first });
    expect(nextVisit(db, runId, second)).toBe(1);
  });

  it('a stopped run whose step was decided about on two devices hangs', async () => {
    must(
      await here.write((within) => {
        begin(within, token, 1);
        within.journal.append('effect.started', { effect, attemptToken: token, epoch: 1, idempotencyKey: 'key' });
        within.journal.append('run.stop-requested', { agentId, runId, by: 'Test' });
      }),
    );
    expect(must(await here.write((within) => finishStop(within, runId)))).toBe(false);
    const decided = { effect, attemptToken: token, choice: 'stop-here', by: 'Test', reason: '', epoch: 1 } as const;
    must(await here.write(({ journal }) => journal.append('recovery.decided', decided)));
    expect(findAttempt(connectionOf(here).db, token)?.progress).toBe('in-flight');
    expect(must(await here.write((within) => finishStop(within, runId)))).toBe(true);
    expect(findRun(connectionOf(here).db, runId)?.ending).toBe('stopped');
  });

  it('a run rests for ever at an unclear step that a later holder has not come to', async () => {
    const at = { stateId: second, stateVisit: 1 };
    const later = { agentId, runId, effectKey: 'second#1' as EffectKey };
    must(
      await there.write((within) => {
        begin(within, token, 1);
        settleAndGoOn(within, token);
        const intent = { effect: later, attemptToken: 'second one', attemptNumber: 1, ...at, inputDigest: digest };
        within.journal.append('intent.recorded', intent as EventPayloads['intent.recorded']);
      }),
    );
    // The later holder knows of the start alone, and begins anew.
    const observed = { agentId, epoch: 2, coordinatorId: 'register', incarnation: 'first' };
    must(await here.write(({ journal }) => journal.append('lease.observed', observed)));
    must(
      await here.write(({ journal }) =>
        journal.append('run.entered', { agentId, runId, stateId: first, stateVisit: 1 }),
      ),
    );
    await deliver('intent.recorded', 2);
    const doubt = { effect: later, attemptToken: 'second one' as AttemptToken, previousOwner: null, lostSince: null };
    must(
      await here.write(({ journal }) =>
        journal.append('recovery.in-doubt', { ...doubt, code: 'announced-by-last-holder' }),
      ),
    );
    const { db } = connectionOf(here);
    expect(findRun(db, runId)).toMatchObject({ phase: 'needs-recovery', state_id: second, state_visit: 1 });
    expect(
      readAll(db, 'SELECT state_id, visit FROM visits WHERE run_id = ? AND is_aside = 0 ORDER BY place', runId),
    ).toEqual([
      { state_id: first, visit: 1 },
      { state_id: second, visit: 1 },
    ]);
  });

  it('a run with an unclear step is tried without end, and nobody is asked, once another claim is given back', async () => {
    const next = 'of the next holder' as AttemptToken;
    const place = { stateId: first, stateVisit: 1 };
    const owner = { deviceId: 'another device' as DeviceId, hostId: 'host', epoch: 2 };
    const doubt = { effect, attemptToken: token, code: 'aborted', previousOwner: null, lostSince: null };
    must(
      await here.write((within) => {
        const { journal } = within;
        begin(within, token, 1);
        journal.append('effect.started', { effect, attemptToken: token, epoch: 1, idempotencyKey: 'key' });
        const intent = { effect, attemptToken: next, attemptNumber: 2, ...place, inputDigest: digest };
        journal.append('intent.recorded', intent as EventPayloads['intent.recorded']);
        journal.append('claim.decided', {
          effect,
          attemptToken: next,
          verdict: 'granted',
          owner,
          leaseUntil: pastInstant,
        });
        journal.append('recovery.in-doubt', doubt);
        journal.append('recovery.reclaimed', { effect, attemptToken: next, previousOwner: owner });
      }),
    );
    const { db } = connectionOf(here);
    expect(findRun(db, runId)?.phase).toBe('needs-recovery');
    const decided = { effect, attemptToken: token, choice: 'send-again', by: 'Test', reason: '', epoch: 1 } as const;
    must(await here.write(({ journal }) => journal.append('recovery.decided', decided)));
    expect(findRun(db, runId)?.phase).toBe('ready');
  });

  it('a run that is begun here gives a step a number under which nobody knows that another device has begun it', async () => {
    must(await there.write((within) => begin(within, token, 1)));
    const doubt = { effect, attemptToken: token, code: 'aborted', previousOwner: null, lostSince: null };
    must(
      await there.write(({ journal }) => {
        journal.append('effect.started', { effect, attemptToken: token, epoch: 1, idempotencyKey: 'key' });
        journal.append('recovery.in-doubt', doubt);
      }),
    );
    // That device had the beginning from a third one, whose journal has not come.
    const source = connectionOf(there);
    const journal = readAll<OpRow>(source.db, 'SELECT * FROM ops ORDER BY seq');
    const told = relinked(journal.filter(({ kind }) => kind !== 'trigger.fired' && kind !== 'run.entered'));
    must(await here.write((within) => foldOperations(within, source.journal.deviceId as DeviceId, told)));
    const run = { revisionDigest: digest, requestDigest: digest, title: 'Run', by: 'Test', input: {}, stateId: first };
    must(await here.write((within) => within.journal.append('trigger.fired', { agentId, runId, ...run })));
    must(await here.write((within) => enterFirst(within, runId, { strategy: STRATEGY, nowMs: 0 })));
    const { db } = connectionOf(here);
    expect(findRun(db, runId)).toMatchObject({ phase: 'needs-recovery', state_id: first, state_visit: 1 });
    expect(nextVisit(db, runId, first)).toBe(2);
  });

  describe('of a holder that had not known of a later one', () => {
    const visitsOf = (store: Store) =>
      readAll(
        connectionOf(store).db,
        `SELECT state_id || '#' || visit AS visit FROM visits WHERE is_aside = 0 ORDER BY place`,
      );
    // It comes to the second step, a later holder begins anew, and it goes on from where it was.
    beforeEach(async () => {
      must(await there.write((within) => begin(within, token, 1)));
      must(await there.write((within) => settleAndGoOn(within, token)));
      must(await there.write((within) => goOn(within, { epoch: 3, way: [[second, third]] })));
      const observed = { agentId, epoch: 2, coordinatorId: 'register', incarnation: 'first' };
      must(await here.write(({ journal }) => journal.append('lease.observed', observed)));
      const anew = { agentId, runId, stateId: first, stateVisit: 1 };
      must(await here.write(({ journal }) => journal.append('run.entered', anew)));
    });

    it('give a step that was done a new number, when the later one comes after it', async () => {
      must(await here.write((within) => goOn(within, { epoch: 4, way: [[first, second]] })));
      await deliver('run.entered', 3);
      expect(visitsOf(here)).toEqual([{ visit: 'first#1' }, { visit: 'second#1' }]);
      expect(nextVisit(connectionOf(here).db, runId, third)).toBe(1);
    });

    it('give a step that was done a new number, when the one before it is unclear', async () => {
      const at = { effect: { ...effect, effectKey: 'second#1' as EffectKey }, previousOwner: null, lostSince: null };
      const doubt = { ...at, attemptToken: 'second one' as AttemptToken, code: 'announced-by-last-holder' };
      must(await here.write((within) => goOn(within, { epoch: 4, way: [] })));
      must(await here.write(({ journal }) => journal.append('recovery.in-doubt', doubt)));
      await deliver('run.entered', 3);
      expect(visitsOf(here)).toEqual([{ visit: 'first#1' }, { visit: 'second#1' }]);
      expect(nextVisit(connectionOf(here).db, runId, third)).toBe(1);
    });

    it('raise the number of a step that only the later one had come to, when its own way goes on', async () => {
      must(await here.write((within) => goOn(within, { epoch: 2, way: [[first, fourth]] })));
      await deliver('run.entered', 3);
      expect(visitsOf(here)).toEqual(['first#1', 'second#1', 'third#1'].map((visit) => ({ visit })));
      expect(nextVisit(connectionOf(here).db, runId, fourth)).toBe(1);
    });

    it('hide what the later one has passed, when its way leads elsewhere', async () => {
      const way: [StateId, StateId][] = [
        [first, fourth],
        [fourth, third],
      ];
      must(await here.write((within) => goOn(within, { epoch: 4, way })));
      await deliver('run.entered', 3);
      expect(visitsOf(here)).toEqual(['first#1', 'fourth#1', 'third#1'].map((visit) => ({ visit })));
      expect(nextVisit(connectionOf(here).db, runId, fourth)).toBe(2);
    });
  });
});
