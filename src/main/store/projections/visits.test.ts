import { expect, it } from 'vitest';
import type { AttemptToken, DeviceId, StateId } from '../../../shared/contract/identifiers.ts';
import { readAll } from '../connection.ts';
import { operationOf } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { nextVisit } from '../rows.ts';
import { connectionOf, openStore } from '../testing/store-bench.ts';
import { agentId, begin, digest, first, output, runId, second } from '../testing/told-run.ts';
import { must, useTemporaryFolders } from '../testing/temporary-folder.ts';
import { foldOperations } from '../transactions/fold-operations.ts';

const newFolder = useTemporaryFolders();
const third = 'third' as StateId;

it('a question that was asked on another way, and does not count, gives a step that was done a new number', async () => {
  const [there, here] = [openStore(newFolder()), openStore(newFolder())];
  const observed = (epoch: number) => ({ agentId, epoch, coordinatorId: 'register', incarnation: 'first' });
  const at = (stateId: StateId, stateVisit: number) => ({ agentId, runId, stateId, stateVisit });
  const leave = (fromStateId: StateId, toStateId: StateId) => ({
    agentId,
    runId,
    fromStateId,
    fromStateVisit: 1,
    toStateId,
  });
  const question = {
    ...at(first, 2),
    approvalId: 'second question',
    ofStateId: second,
    inputDigest: digest,
    input: output,
    question: 'Do it?',
    title: 'It',
    target: 'there',
    effectKind: 'blind',
    tool: 'http.request',
    expiresAtMs: 1,
  } as const;
  must(
    await there.write((within) => {
      const { journal } = within;
      begin(within, 'of the first holder' as AttemptToken, 1);
      journal.append('run.entered', at(first, 2));
      journal.append('approval.requested', question);
    }),
  );
  // The next holder knows of nothing of this, and does the step.
  must(
    await here.write(({ journal }) => {
      journal.append('lease.observed', observed(2));
      journal.append('run.entered', at(first, 1));
      journal.append('successor.released', leave(first, second));
      journal.append('run.entered', at(second, 1));
      journal.append('successor.released', leave(second, third));
      journal.append('run.entered', at(third, 1));
    }),
  );
  must(
    await there.write(({ journal }) => {
      journal.append('lease.observed', observed(3));
      journal.append('approval.stale', { agentId, runId, approvalId: question.approvalId, reason: 'epoch-changed' });
      journal.append('run.entered', at(first, 3));
    }),
  );
  const source = connectionOf(there);
  const told = readAll<OpRow>(source.db, 'SELECT * FROM ops ORDER BY seq').map(operationOf);
  must(await here.write((within) => foldOperations(within, source.journal.deviceId as DeviceId, told)));
  const { db } = connectionOf(here);
  const way = `SELECT state_id || '#' || visit AS visit FROM visits WHERE is_aside = 0 ORDER BY place`;
  expect(readAll(db, way)).toEqual(['first#1', 'first#2', 'first#3'].map((visit) => ({ visit })));
  expect(nextVisit(db, runId, second)).toBe(1);
});
