import { useState } from 'react';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { WaitCard } from './recovery-wait.tsx';
import { text } from './strings.ts';

/** What helps before an answer is given: a look that only reads, another device that may know, a repeat that is recognised. */
export function RecoveryChecks(props: {
  readonly view: RecoveryView;
  readonly clock: (ms: number) => string;
  readonly nowMs: number;
}) {
  const { view, clock, nowMs } = props;
  const isRepeatSafe = view.dedupeUntilMs !== null && nowMs < view.dedupeUntilMs;
  return (
    <section aria-labelledby="rc-check">
      <h3 id="rc-check">{text.checkHeading}</h3>
      <div className="rc-checks">
        {view.check.isOffered ? (
          <OfferedCheck view={view} clock={clock} />
        ) : (
          <div>
            <Icon name="search" />
            <p className="grow">
              <b>{text.noCheckTitle}</b>
              <br />
              <span className="t12 ink2">{text.noCheck}</span>
            </p>
          </div>
        )}
        {view.wait !== null && (
          <WaitCard attemptToken={view.attemptToken} wait={view.wait} clock={clock} nowMs={nowMs} />
        )}
        {view.dedupeUntilMs !== null && (
          <div>
            <Icon name={isRepeatSafe ? 'shield' : 'clock'} />
            <p className="grow">
              {isRepeatSafe ? (
                <>
                  <b>{text.safeAgainTitle(clock(view.dedupeUntilMs))}</b>
                  <br />
                  <span className="t12 ink2">{text.safeAgain}</span>
                </>
              ) : (
                <span className="t12 ink2">{text.safeOver(clock(view.dedupeUntilMs))}</span>
              )}
            </p>
          </div>
        )}
      </div>
    </section>
  );
}

function OfferedCheck({ view, clock }: { readonly view: RecoveryView; readonly clock: (ms: number) => string }) {
  const check = useAction('recovery.check');
  const [told, setTold] = useState({ sentence: '', beforeMs: view.check.lastAtMs });
  // Once the look is recorded, the record says what came of it.
  const said = told.beforeMs === view.check.lastAtMs ? told.sentence : '';
  const last = view.check.lastAtMs === null ? text.never : clock(view.check.lastAtMs);
  const isFirstLook = view.check.lastAtMs === null;
  async function look(): Promise<void> {
    const say = (sentence: string) => setTold({ sentence, beforeMs: view.check.lastAtMs });
    say('');
    const answer = await check.run({ attemptToken: view.attemptToken });
    say(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`);
  }
  return (
    <div className={isFirstLook ? 'rec' : ''}>
      <Icon name="search" />
      <p className="grow">
        <b>
          <VisibleText text={view.check.label} />
        </b>{' '}
        {isFirstLook && <Badge tone="accent">{text.suggested}</Badge>}
        <br />
        <span className="t12 ink2">
          {text.checkOnlyReads} {text.lastLooked(last)}
        </span>
        <output className="t12">
          {(said !== '' || view.check.lastAnswer !== null) && (
            <>
              <br />
              <VisibleText text={said === '' ? (view.check.lastAnswer ?? '') : said} />
            </>
          )}
        </output>
      </p>
      <Button size="small" isDisabled={check.isBusy} onClick={() => void look()}>
        {check.isBusy ? text.looking : text.lookNow}
      </Button>
    </div>
  );
}
