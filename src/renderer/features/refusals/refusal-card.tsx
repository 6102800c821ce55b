import { useState } from 'react';
import { Link } from 'wouter';
import type { RefusalGroup } from '../../../shared/contract/refusal-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clockTime } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** The id of the link to its agent: what has the focus where the way out is gone. */
export function agentLinkId(key: string): string {
  return `refusal-${key}`;
}

/** One refusal, or the same one many times: what happened, what it means, what to do. */
export function RefusalCard(props: { readonly group: RefusalGroup; readonly onReview: () => void }) {
  const { group } = props;
  const [isOpen, setIsOpen] = useState(false);
  const nowMs = useNow(60_000);
  const { runId, runNumber } = group;
  return (
    <li className={`rf${isOpen ? ' open' : ''}${group.needsPerson ? ' you' : ''}`}>
      <Icon name="s-ref" />
      <div className="grow">
        <p>
          <b>
            <VisibleText text={group.headline} />
          </b>{' '}
          <VisibleText text={group.meaning} />
        </p>
        <p className="t12 ink3 rf-where">
          <Link
            id={agentLinkId(group.key)}
            href={`/agents/${encodeURIComponent(group.agentId)}`}
            aria-label={text.openAgent(visibleText(group.agentName))}
          >
            <VisibleText text={group.agentName} />
          </Link>
          {runId !== null && runNumber !== null && (
            <>
              {', '}
              <Link href={`/runs/${encodeURIComponent(runId)}`} aria-label={text.openRun(runNumber)}>
                {text.run(runNumber)}
              </Link>
            </>
          )}
          {' · '}
          {group.deviceName !== null && (
            <>
              {text.askedBy}
              <VisibleText text={group.deviceName} />
              {', '}
            </>
          )}
          <Time atMs={group.lastAtMs} format="seconds" />
        </p>
        {isOpen && (
          <dl className="facts">
            {group.facts.map((fact) => (
              <div key={fact.name} className="contents">
                <dt>{fact.name}</dt>
                <dd>
                  <VisibleText text={fact.value} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <div className="rf-do">
        {group.count > 1 && <Badge tone="safe">{text.times(group.count, clockTime(group.firstAtMs, { nowMs }))}</Badge>}
        <WayOut group={group} onReview={props.onReview} />
        {group.facts.length > 0 && (
          <Button variant="quiet" size="small" isExpanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? text.hide : text.show}
          </Button>
        )}
      </div>
    </li>
  );
}

/** What a person does about it: one press where that is all, else a sentence. */
function WayOut({ group, onReview }: { readonly group: RefusalGroup; readonly onReview: () => void }) {
  if (group.isPermissionAsked) {
    return (
      <Button size="small" onClick={onReview}>
        {text.review}
        <span className="sr-only">{text.reviewOf(visibleText(group.agentName))}</span>
      </Button>
    );
  }
  return (
    <span className={group.needsPerson ? 't12 needs medium' : 't12 ink2'}>
      {group.whatToDo === '' ? text.nothing : <VisibleText text={group.whatToDo} />}
    </span>
  );
}
