import type { TryView } from '../../../shared/contract/run-views.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { duration } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { stepShapes } from './lanes.tsx';
import { stepWords, text } from './strings.ts';

/** Every attempt at one effect, numbered, with how long was waited before the next. */
export function Tries({ tries, of }: { readonly tries: readonly TryView[]; readonly of: string }) {
  return (
    <ol className="rd-tries" aria-label={`${text.tries}: ${of}`}>
      {tries.map((each) => (
        <li key={each.number}>
          <span className="medium nw">{text.tryNumber(each.number)}</span>
          <Time atMs={each.atMs} format="seconds" />
          <StateMark status={stepShapes[each.status]} word={stepWords[each.status]} />
          <span className="ink2">
            <VisibleText text={each.summary} />
            {each.retryAfterMs !== null && (
              <span className="ink3"> {text.retryAfter(duration(each.retryAfterMs))}</span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
