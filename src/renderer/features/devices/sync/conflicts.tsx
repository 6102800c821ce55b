import { useLocation } from 'wouter';
import type { ConflictAttempt, ConflictView } from '../../../../shared/contract/sync-views.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { twiceText as text } from './strings.ts';

/** What two devices carried out, side by side, with the one that counts. */
export function Conflicts({ conflicts }: { readonly conflicts: readonly ConflictView[] }) {
  if (conflicts.length === 0) return null;
  return (
    <section className="sy-twice" aria-labelledby="sy-twice">
      <h2 id="sy-twice">
        <Icon name="warn" />
        {text.title}
      </h2>
      <p className="ink2">{text.lead}</p>
      <ul>
        {conflicts.map((conflict) => (
          <li
            key={`${conflict.runId} ${conflict.attempts.map((each) => `${each.deviceName} ${each.number}`).join(' ')}`}
          >
            <Conflict conflict={conflict} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Conflict({ conflict }: { readonly conflict: ConflictView }) {
  const [, navigate] = useLocation();
  const hasCounting = conflict.attempts.some((attempt) => attempt.counts);
  return (
    <article className="sy-conflict" aria-label={visibleText(conflict.effectTitle)}>
      <header>
        <span className="grow">
          <b className="medium">
            <VisibleText text={conflict.effectTitle} />
          </b>
          <span className="ink3 t12 sy-line">
            <VisibleText text={[conflict.target, conflict.runTitle].filter((part) => part !== '').join(' · ')} />
          </span>
        </span>
        <Button
          size="small"
          label={text.openNamed(visibleText(conflict.runTitle))}
          onClick={() => navigate(`/runs/${encodeURIComponent(conflict.runId)}`)}
        >
          {text.open}
        </Button>
      </header>
      <ul className="sy-sides">
        {conflict.attempts.map((attempt) => (
          <li
            key={`${attempt.deviceName} ${attempt.epoch} ${attempt.number}`}
            className={attempt.counts ? 'k' : undefined}
          >
            <Side attempt={attempt} hasCounting={hasCounting} />
          </li>
        ))}
      </ul>
      <p className="t12 ink2">{hasCounting ? text.why : text.none}</p>
    </article>
  );
}

function Side({ attempt, hasCounting }: { readonly attempt: ConflictAttempt; readonly hasCounting: boolean }) {
  return (
    <>
      <div className="sy-side-head">
        <span className="t11 ink3 grow">
          <VisibleText text={text.attempt(attempt.deviceName, attempt.number)} />
          {attempt.startedAtMs !== null && (
            <>
              , <Time atMs={attempt.startedAtMs} format="seconds" />
            </>
          )}
        </span>
        {attempt.counts ? (
          <Badge tone="safe" icon="check">
            {text.counts}
          </Badge>
        ) : (
          hasCounting && <Badge>{text.extra}</Badge>
        )}
      </div>
      <p className="ink">
        <VisibleText text={attempt.sentence} />
      </p>
      <p className="t11 ink3">{text.epoch(attempt.epoch)}</p>
    </>
  );
}
