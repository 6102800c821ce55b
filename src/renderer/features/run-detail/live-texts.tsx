import type { LiveView } from '../../../shared/contract/run-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/**
 * What steps tell that are on their way: untrusted, and gone once the outcome is recorded. It changes several times a
 * second, so it is not announced; whoever wants to hear it goes there.
 */
export function LiveTexts({ live }: { readonly live: readonly LiveView[] }) {
  return (
    <section className="rd-live" aria-label={text.liveTexts} aria-live="off">
      <p className="t12 ink2">{text.liveLead}</p>
      {live.map((each) => (
        <div key={each.attemptToken}>
          <p className="flex t12">
            <StateMark status="running-here" word={each.title} />
          </p>
          {/* It scrolls, so it must be reachable without a mouse. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <section className="rd-live-text" tabIndex={0} aria-label={text.liveText(visibleText(each.title))}>
            <pre>
              <VisibleText text={each.text.trimEnd()} />
            </pre>
          </section>
        </div>
      ))}
    </section>
  );
}
