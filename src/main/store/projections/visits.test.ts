import { expect, it } from 'vitest';
import type { AttemptToken, DeviceId, StateId } from '../../../shared/contract/identifiers.ts';
import { readAll } from '../connection.ts';
import { operationOf } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { nextVisit } from '../rows.ts';
import type { Store } from '../store.ts';
import { connectionOf, openStore } from '../testing/store-bench.ts';
import { agentId, begin, digest, first, output, runId, second } from '../testing/told-run.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { foldOperations } from '../transactions/fold-operations.ts';

const newFolder = useTemporaryFolders();
const third = 'third' as StateId;

const observed = (epoch: number) => ({ agentId, epoch, coordinatorId: 'register', incarnation: 'first' });
const at = (stateId: StateId, stateVisit: number) => ({ agentId, runId, stateId, stateVisit });
const leave = (fromStateId: StateId, toStateId: StateId) => ({
  agentId,
  runId,
  fromStateId,
  fromStateVisit: 1,
  toStateId,
});
const askedAt = (stateVisit: number) =>
  ({
    ...at(first, stateVisit),
    approvalId: 'question',
    ofStateId: second,
    inputDigest: digest,
    input: output,
    question: 'Do it?',
    title: 'It',
    target: 'there',
    effectKind: 'blind',
    tool: 'http.request',
    expiresAtMs: 1,
  }) as const;
const stale = { agentId, runId, approvalId: 'question', reason: 'epoch-changed' } as const;

/** The next holder knows of nothing of the first one, and does the step: it comes to the third, so many times. */
async function doStep(here: Store, times: number): Promise<void> {
  must(
    await here.write(({ journal }) => {
      journal.append('lease.observed', observed(2));
      journal.append('run.entered', at(first, 1));
      journal.append('successor.released', leave(first, second));
      journal.append('run.entered', at(second, 1));
      for (let visit = 1; visit <= times; visit += 1) {
        journal.append('successor.released', leave(visit === 1 ? second : third, third));
        journal.append('run.entered', at(third, visit));
      }
    }),
  );
}

/** The first holder is back, its question does not count any more, and is asked again at this visit. */
async function askAgain(there: Store, stateVisit: number): Promise<void> {
  must(
    await there.write(({ journal }) => {
      journal.append('lease.observed', observed(3));
      journal.append('approval.stale', stale);
      journal.append('run.entered', at(first, stateVisit));
    }),
  );
}

/** Everything that one device wrote comes to another, which says on which way the run is seen then, and what number `second` gets. */
async function wayAfter(there: Store, here: Store): Promise<{ way: readonly string[]; next: number }> {
  const source = connectionOf(there);
  const told = readAll<OpRow>(source.db, 'SELECT * FROM ops ORDER BY seq').map(operationOf);
  must(await here.write((within) => foldOperations(within, source.journal.deviceId as DeviceId, told)));
  const { db } = connectionOf(here);
  const sql = `SELECT state_id || '#' || visit AS visit FROM visits WHERE is_aside = 0 ORDER BY place`;
  const way = readAll<{ visit: string }>(db, sql).map(({ visit }) => visit);
  return { way, next: nextVisit(db, runId, second) };
}

it('a question that was asked on another way, and does not count, gives a step that was done a new number', async () => {
  const [there, here] = [openStore(newFolder()), openStore(newFolder())];
  must(
    await there.write((within) => {
      const { journal } = within;
      begin(within, 'of the first holder' as AttemptToken, 1);
      journal.append('run.entered', at(first, 2));
      journal.append('approval.requested', askedAt(2));
    }),
  );
  await doStep(here, 1);
  await askAgain(there, 3);
  expect(await wayAfter(there, here)).toEqual({ way: ['first#1', 'first#2', 'first#3'], next: 1 });
});

it('a step is done anew that another device was done with, and in a later round, when its question was asked again', async () => {
  const [there, here] = [openStore(newFolder()), openStore(newFolder())];
  must(
    await there.write((within) => {
      const { journal } = within;
      begin(within, 'of the first holder' as AttemptToken, 1);
      journal.append('approval.requested', askedAt(1));
      journal.append('successor.released', leave(first, second));
      journal.append('run.entered', at(second, 1));
    }),
  );
  await doStep(here, 2);
  await askAgain(there, 2);
  expect(await wayAfter(there, here)).toEqual({ way: ['first#1', 'first#2'], next: 1 });
});

it('a question that a lost device had asked, and that does not count, gives the step a new number', async () => {
  const [there, here] = [openStore(newFolder()), openStore(newFolder())];
  must(
    await there.write((within) => {
      const { journal } = within;
      begin(within, 'of the only holder' as AttemptToken, 1);
      journal.append('run.entered', at(second, 1));
      journal.append('approval.stale', { ...stale, approvalId: 'asked elsewhere' });
      journal.append('run.entered', at(first, 2));
    }),
  );
  expect(await wayAfter(there, here)).toEqual({ way: ['first#1', 'first#2'], next: 1 });
});
