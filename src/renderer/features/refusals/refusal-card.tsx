import { useState } from 'react';
import { Link } from 'wouter';
import type { RefusalGroup } from '../../../shared/contract/views.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { clockTime } from '../../ui/time-words.ts';
import { Time } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** One refusal, or the same one many times: what happened, what it means, what to do. */
export function RefusalCard({ group }: { readonly group: RefusalGroup }) {
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
          <VisibleText text={group.agentName} />
          {runId !== null && runNumber !== null && (
            <>
              {', '}
              <Link href={`/runs/${encodeURIComponent(runId)}`} aria-label={text.openRun(runNumber)}>
                {text.run(runNumber)}
              </Link>
            </>
          )}
          {' · '}
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
        <span className={group.needsPerson ? 't12 needs medium' : 't12 ink2'}>
          {group.whatToDo === '' ? text.nothing : <VisibleText text={group.whatToDo} />}
        </span>
        {group.facts.length > 0 && (
          <Button variant="quiet" size="small" isExpanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? text.hide : text.show}
          </Button>
        )}
      </div>
    </li>
  );
}
