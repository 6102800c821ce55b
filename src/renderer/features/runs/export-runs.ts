import { NOTHING_YET, counted } from '../../state/bulk-result.ts';
import type { BulkResult } from '../../state/bulk-result.ts';
import { callHost } from '../../state/host-store.ts';
import { saveText } from '../../ui/save-text.ts';

/** What became of an export; `fileName` is `null` where no run could be read. */
export interface ExportedRuns {
  readonly result: BulkResult;
  readonly fileName: string | null;
}

/** Reads one run after the other and saves them as one file: a list of what the export of each run is. */
export async function exportRuns(
  runIds: readonly string[],
  of: { readonly nowMs: number; readonly onProgress: (done: number) => void },
): Promise<ExportedRuns> {
  let result = NOTHING_YET;
  const texts: string[] = [];
  for (const [index, runId] of runIds.entries()) {
    of.onProgress(index);
    const answer = await callHost('runs.export', { runId });
    result = counted(result, { id: runId, answer, alreadyCode: 'run-ended' });
    if (answer.ok) texts.push(answer.value.text.trimEnd());
  }
  if (texts.length === 0) return { result, fileName: null };
  const fileName = `fencepost-runs-${texts.length}-${new Date(of.nowMs).toISOString().slice(0, 10)}.json`;
  saveText(fileName, `[\n${texts.join(',\n')}\n]\n`);
  return { result, fileName };
}
