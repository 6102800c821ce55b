import { useQuery } from '../../../state/use-query.ts';
import { ErrorState } from '../../../ui/error-state.tsx';
import { clockTime, relativeTime } from '../../../ui/time-words.ts';
import { useNow } from '../../../ui/use-now.ts';
import { ApprovalCard } from './approval-card.tsx';
import { text } from './strings.ts';
import './approval.css';

/** The question that is open. Closing it decides nothing. */
export function ApprovalPanel(props: { readonly approvalId: string; readonly onClose: () => void }) {
  const { value: view, problem, refetch } = useQuery('approval.get', { approvalId: props.approvalId });
  const nowMs = useNow(10_000);
  if (view === null) {
    return (
      <article className="nq-panel approval" aria-busy={problem === null}>
        <div className="nq-wait">
          {problem !== null && <ErrorState title={text.couldNotLoad} problem={problem} onRetry={refetch} />}
        </div>
      </article>
    );
  }
  const words = { clock: (ms: number) => clockTime(ms, { nowMs }), left: relativeTime(view.expiresAtMs, nowMs) };
  return (
    <dialog open className="nq-panel approval" aria-labelledby="approval-heading">
      <ApprovalCard view={view} words={words} onClose={props.onClose} />
    </dialog>
  );
}
