import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { canRunLater } from '../../../shared/core/trigger/missed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { findMissed, readTriggers, sourceOf } from '../../store/trigger-rows.ts';
import type { MissedRecord, MissedRef } from '../../store/trigger-rows.ts';
import { fireTrigger } from '../pipeline/trigger.ts';
import type { HostPorts } from '../ports.ts';
import { definitionOf } from './definitions.ts';
import { fileInput } from './file-trigger.ts';

const GONE = problem('not-found', 'There is no such missed occurrence any more.', 'Nothing was started.');
const DECIDED = problem('already-decided', 'Somebody decided about it already.', 'Nothing more was started.');

/** Starts what was missed, as the same occurrence: on two devices, and with two presses, it is one run. */
export async function runMissed(
  ports: HostPorts,
  missed: MissedRef,
  by: string,
): Promise<Result<{ runId: string }, Problem>> {
  const db = ports.store.connection()?.db;
  const found = db === undefined ? null : findMissed(db, missed);
  const source = found === null ? null : sourceOf(found);
  if (db === undefined || found === null || source === null || !canRunLater(found.kind, found.reason)) return err(GONE);
  if (found.state === 'ran' && found.run_id !== null) return ok({ runId: found.run_id });
  const input = inputOf(ports, found);
  if (input === null)
    return err(
      problem('not-found', 'The agent has no such trigger any more.', 'Run the agent by hand. Nothing was started.'),
    );
  const fired = await fireTrigger(ports, { agentId: found.agent_id, source, input, by });
  return fired.ok ? ok({ runId: fired.value.runId }) : fired;
}

function inputOf(ports: HostPorts, missed: MissedRecord): Readonly<Record<string, string>> | null {
  const db = ports.store.connection()?.db;
  const trigger =
    db === undefined
      ? undefined
      : readTriggers(db, missed.agent_id).find(
          (each) => each.kind === missed.kind && each.trigger_id === missed.trigger_id,
        );
  if (trigger === undefined) return null;
  const source = sourceOf(missed);
  if (source?.by === 'file') {
    const definition = definitionOf(ports, trigger, 'file');
    return definition === null ? null : fileInput(definition, source);
  }
  return (definitionOf(ports, trigger, 'schedule') ?? definitionOf(ports, trigger, 'run'))?.input ?? null;
}

/** A person does not want it any more. The line stays in the record. */
export async function skipMissed(ports: HostPorts, missed: MissedRef, by: string): Promise<Result<null, Problem>> {
  const { kind, triggerId, slot } = missed;
  const written = await ports.store.write(({ db, journal }): Result<null, Problem> => {
    const found = findMissed(db, missed);
    if (found === null) return err(GONE);
    if (found.state === 'skipped') return ok(null);
    if (found.state === 'ran') return err(DECIDED);
    journal.append('trigger.skipped', { agentId: found.agent_id, kind, triggerId, slot, by });
    return ok(null);
  });
  return written.ok ? written.value : written;
}
