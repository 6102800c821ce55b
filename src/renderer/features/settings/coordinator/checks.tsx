import type { CoordinatorCheck } from '../../../../shared/contract/coordinator-views.ts';
import { Icon } from '../../../ui/icon.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { checkLooks } from './strings.ts';

/** Everything that a test looked at: what was found, and what can be done about it. */
export function Checks({ checks, label }: { readonly checks: readonly CoordinatorCheck[]; readonly label: string }) {
  return (
    <ul className="co-list" aria-label={label}>
      {checks.map((check) => {
        const look = checkLooks[check.state];
        return (
          <li key={check.id}>
            <span className={`st ${look.tone}`}>
              <Icon name={look.icon} />
            </span>
            <span className="grow">
              <span className={check.state === 'skipped' ? 'ink3' : 'ink'}>
                <VisibleText text={check.sentence} />
              </span>
              {check.wayOut !== '' && (
                <span className="t12 ink2 co-line">
                  <VisibleText text={check.wayOut} />
                </span>
              )}
            </span>
            <span className={`t12 ${look.tone === 'you' ? 'needs medium' : 'ink3'}`}>{look.word}</span>
          </li>
        );
      })}
    </ul>
  );
}
