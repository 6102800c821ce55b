import { useState } from 'react';
import { RUNS_CHOSEN_MAX } from '../../../shared/contract/run-views.ts';
import { Button } from '../../ui/button.tsx';
import { exportRuns } from './export-runs.ts';
import { NO_CHOICE, without } from './run-choice.ts';
import { choose, useRunsList } from './run-filters.ts';
import type { RunFilters } from './run-filters.ts';
import { StopRunsDialog } from './stop-runs-dialog.tsx';
import { runsText, text } from './strings.ts';
import { chooseAll } from './use-choosing.ts';

/** What can be done with the chosen runs. Below the table, so that no row moves when it appears. */
export function ChosenBar({ filters, matching }: { readonly filters: RunFilters; readonly matching: number }) {
  const choice = useRunsList((state) => state.choice);
  const [stoppingIds, setStoppingIds] = useState<readonly string[] | null>(null);
  const saving = useExport();
  const chosen = choice.ids.size;
  if (chosen === 0 && saving.said === '' && stoppingIds === null) return null;
  return (
    <section className="runs-chosen" aria-label={text.chosen.label}>
      <output className="t12">
        {chosen > 0 && <b>{text.chosen.figure(chosen)}</b>} {choice.isCut && text.chosen.cut(RUNS_CHOSEN_MAX)}{' '}
        {saving.said}
      </output>
      {chosen < Math.min(matching, RUNS_CHOSEN_MAX) && chosen > 0 && (
        <Button size="small" variant="quiet" onClick={() => void chooseAll(filters)}>
          {text.chosen.all(matching)}
        </Button>
      )}
      <span className="right flex">
        {chosen > 0 && (
          <>
            <Button size="small" icon="stop" onClick={() => setStoppingIds([...choice.ids])}>
              {text.chosen.stop}
            </Button>
            <Button
              size="small"
              icon="export"
              isDisabled={saving.isBusy}
              onClick={() => void saving.save([...choice.ids])}
            >
              {text.chosen.export}
            </Button>
          </>
        )}
        <Button
          size="small"
          variant="quiet"
          icon="x"
          label={text.chosen.none}
          onClick={() => {
            choose(() => NO_CHOICE);
            saving.forget();
          }}
        />
      </span>
      {stoppingIds !== null && (
        <StopRunsDialog
          runIds={stoppingIds}
          onClose={(dealtWith) => {
            setStoppingIds(null);
            choose((now) => without(now, dealtWith));
          }}
        />
      )}
    </section>
  );
}

function useExport() {
  const [said, setSaid] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  async function save(runIds: readonly string[]): Promise<void> {
    setIsBusy(true);
    const onProgress = (done: number) => setSaid(text.chosen.exporting(done, runIds.length));
    const { result, fileName } = await exportRuns(runIds, { nowMs: Date.now(), onProgress });
    const saved = fileName === null ? '' : text.chosen.exported(runsText(result.done.length), fileName);
    const failed = [...result.failed, ...result.already].length;
    const lost = failed === 0 ? '' : text.chosen.notExported(runsText(failed), result.whyFailed);
    setSaid(`${saved} ${lost}`.trim());
    setIsBusy(false);
  }
  return { said, isBusy, save, forget: () => setSaid('') };
}
