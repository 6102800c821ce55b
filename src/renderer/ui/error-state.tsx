import type { Problem } from '../../shared/contract/errors.ts';
import { Button } from './button.tsx';
import { Note } from './note.tsx';
import { text } from './strings.ts';

/** An expected failure: what happened, what it means, the way out. */
export function ErrorState(props: {
  readonly title?: string;
  readonly problem: Problem;
  readonly onRetry?: () => void;
}) {
  return (
    <div className="error-state">
      <Note tone="plain" icon="warn" title={props.title ?? ''}>
        <span>{props.problem.message}</span>
        {props.problem.wayOut !== '' && <span className="ink2"> {props.problem.wayOut}</span>}
      </Note>
      {props.onRetry !== undefined && (
        <Button size="small" icon="sync" onClick={props.onRetry}>
          {text.lookAgain}
        </Button>
      )}
    </div>
  );
}
