import type { RecoveryView } from '../../../../shared/contract/views.ts';
import { useQuery } from '../../../state/use-query.ts';
import { ErrorState } from '../../../ui/error-state.tsx';
import { RecoveryHeader } from './recovery-header.tsx';
import { RecoveryBody } from './recovery-body.tsx';
import { text } from './strings.ts';
import './recovery.css';

/** The unclear step that is open. Closing it decides nothing. */
export function RecoveryPanel(props: {
  readonly attemptToken: RecoveryView['attemptToken'];
  readonly deviceName: string;
  readonly onClose: () => void;
}) {
  const query = useQuery('recovery.get', { attemptToken: props.attemptToken });
  if (query.value === null) {
    return (
      <article className="nq-panel" aria-busy={query.problem === null}>
        <div className="nq-wait">
          {query.problem !== null && <ErrorState title={text.couldNotLoad} problem={query.problem} />}
        </div>
      </article>
    );
  }
  return (
    <article className="nq-panel" role="dialog" aria-labelledby="recovery-heading">
      <RecoveryBody view={query.value} deviceName={props.deviceName} onClose={props.onClose} header={<RecoveryHeader view={query.value} onClose={props.onClose} />} />
    </article>
  );
}
