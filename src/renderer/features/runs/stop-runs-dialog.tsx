import { useEffect, useRef, useState } from 'react';
import { RUNS_CHOSEN_MAX } from '../../../shared/contract/run-views.ts';
import { NOTHING_YET, answeredOf, counted } from '../../state/bulk-result.ts';
import type { BulkResult } from '../../state/bulk-result.ts';
import { callHost } from '../../state/host-store.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { stoppingOf } from './run-choice.ts';
import type { Stopping } from './run-choice.ts';
import { runsText, runsThat, text } from './strings.ts';

/**
 * Stops the chosen runs, each by its own verb. It says first what that means for how they stand at this moment, and then what
 * came of it. Closing it before the button is pressed decides nothing.
 */
export function StopRunsDialog(props: {
  readonly runIds: readonly string[];
  /** With the runs that need nothing more: stopped, or ended already. */
  readonly onClose: (dealtWith: ReadonlySet<string>) => void;
}) {
  const [runIds] = useState(() => [...props.runIds].toSorted());
  const { value: view, problem, refetch } = useQuery('runs.list', { runIds, limit: RUNS_CHOSEN_MAX });
  const keep = useRef<HTMLButtonElement>(null);
  const [result, setResult] = useState<BulkResult>(NOTHING_YET);
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  const [isOver, setIsOver] = useState(false);
  const stopping = view === null ? null : stoppingOf(view.rows);
  const open = stopping?.openIds ?? [];
  const isGoing = asked !== null && !isOver;
  // Once it was pressed each run is asked: what came of it is told before the question goes away.
  const close = () => {
    if (!isGoing) props.onClose(new Set([...result.done, ...result.already]));
  };
  async function stop(): Promise<void> {
    setAsked(open);
    let sum = NOTHING_YET;
    for (const runId of open) {
      const answer = await callHost('runs.stop', { runId });
      sum = counted(sum, { id: runId, answer, alreadyCode: 'run-ended' });
      setResult(sum);
    }
    setIsOver(true);
  }
  // The button that had the focus is gone.
  useEffect(() => {
    if (isOver) keep.current?.focus();
  }, [isOver]);
  const answered = answeredOf(result);
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={isOver ? text.stop.overTitle : isGoing ? text.stop.goingTitle : titleOf(stopping)}
      onClose={close}
      initialFocus={keep}
      actions={
        <>
          <Button ref={keep} isDisabled={isGoing} onClick={close}>
            {asked === null && open.length > 0 ? text.stop.keep : text.stop.close}
          </Button>
          {!isOver && (isGoing || open.length > 0) && (
            <Button variant="danger" isDisabled={asked !== null} onClick={() => void stop()}>
              {asked === null
                ? text.stop.go(runsText(open.length))
                : text.stop.going(Math.min(answered, asked.length - 1), asked.length)}
            </Button>
          )}
        </>
      }
    >
      {isOver ? (
        <Came result={result} stopping={stopping} />
      ) : isGoing ? (
        <p>{text.stop.body}</p>
      ) : stopping === null && problem !== null ? (
        <ErrorState title={text.problem} problem={problem} onRetry={refetch} />
      ) : (
        <Means stopping={stopping} />
      )}
    </Dialog>
  );
}

function titleOf(stopping: Stopping | null): string {
  if (stopping === null) return text.stop.reading;
  return stopping.openIds.length === 0 ? text.stop.noneTitle : text.stop.title(runsText(stopping.openIds.length));
}

/** What stopping them would do. */
function Means({ stopping }: { readonly stopping: Stopping | null }) {
  if (stopping === null) return <p>{text.stop.reading}</p>;
  const { openIds, working, unclear, elsewhere, ended } = stopping;
  if (openIds.length === 0) return <p>{text.stop.none}</p>;
  return (
    <>
      <p>{text.stop.body}</p>
      <ul className="runs-means">
        {working > 0 && <li>{text.stop.working(runsThat(working, 'is', 'are'))}</li>}
        {elsewhere > 0 && <li>{text.stop.elsewhere(runsThat(elsewhere, 'is', 'are'))}</li>}
        {unclear > 0 && <li>{text.stop.unclear(runsThat(unclear, 'has', 'have'))}</li>}
        {ended > 0 && <li>{text.stop.ended(runsThat(ended, 'has ended', 'have ended'))}</li>}
      </ul>
      <p>{text.stop.final}</p>
    </>
  );
}

/** What each of them answered, counted, and what is still to come of those that were stopped. */
function Came({ result, stopping }: { readonly result: BulkResult; readonly stopping: Stopping | null }) {
  const { working, unclear } = stopping ?? { working: 0, unclear: 0 };
  const { done, already, failed, whyFailed } = result;
  return (
    <output>
      <ul className="runs-means">
        {done.length > 0 && <li>{text.stop.stopped(runsText(done.length))}</li>}
        {working > 0 && <li>{text.stop.working(runsThat(working, 'is', 'are'))}</li>}
        {unclear > 0 && <li>{text.stop.unclear(runsThat(unclear, 'has', 'have'))}</li>}
        {already.length > 0 && <li>{text.stop.endedBefore(runsText(already.length))}</li>}
        {failed.length > 0 && <li>{text.stop.cannot(runsText(failed.length), whyFailed)}</li>}
      </ul>
    </output>
  );
}
