import { useQuery } from '../../../state/use-query.ts';
import { ErrorState } from '../../../ui/error-state.tsx';
import { clockTime, duration } from '../../../ui/time-words.ts';
import { useNow } from '../../../ui/use-now.ts';
import { RecoveryBody } from './recovery-body.tsx';
import { text } from './strings.ts';
import './recovery.css';

/** The unclear step that is open. Closing it decides nothing. */
export function RecoveryPanel(props: {
  readonly attemptToken: string;
  readonly deviceName: string;
  readonly onClose: () => void;
}) {
  const { value: view, problem, refetch } = useQuery('recovery.get', { attemptToken: props.attemptToken });
  const nowMs = useNow(10_000);
  if (view === null) {
    return (
      <article className="nq-panel" aria-busy={problem === null}>
        <div className="nq-wait">
          {problem !== null && <ErrorState title={text.couldNotLoad} problem={problem} onRetry={refetch} />}
        </div>
      </article>
    );
  }
  const words = {
    clock: (ms: number) => clockTime(ms, { nowMs }),
    zone: zoneName(nowMs),
    waiting: text.waiting(duration(nowMs - view.inDoubtSinceMs)),
  };
  return (
    <dialog open className="nq-panel" aria-labelledby="recovery-heading">
      <RecoveryBody view={view} deviceName={props.deviceName} nowMs={nowMs} words={words} onClose={props.onClose} />
    </dialog>
  );
}

/** `CEST`: the zone of the clock times on this screen. */
function zoneName(nowMs: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(nowMs);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
}
