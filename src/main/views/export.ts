import { readEvents } from '../store/journal-rows.ts';
import { findRun } from '../store/rows.ts';
import type { ViewSource } from './view-source.ts';
import { runNumberText } from './words.ts';

/** A run with its whole evidence as a file; `null` if there is no such run. */
export function exportRun(
  source: ViewSource,
  runId: string,
): { readonly fileName: string; readonly text: string } | null {
  const { db } = source.connection;
  const run = findRun(db, runId);
  if (run === null) return null;
  const { run_id, run_number, agent_id, revision_digest, title, started_by, started_at_ms, ended_at_ms, ending } = run;
  const about = {
    run_id,
    run_number,
    agent_id,
    revision_digest,
    title,
    started_by,
    started_at_ms,
    ended_at_ms,
    ending,
  };
  const text = JSON.stringify(
    { fencepost: 1, device: source.device.deviceId, run: about, events: [...readEvents(db, runId)] },
    null,
    2,
  );
  return { fileName: `run-${runNumberText(run_number)}.json`, text: `${text}\n` };
}
