import type { WhyView } from '../../../shared/contract/views.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/note.tsx';
import { fullTime } from '../../ui/time-words.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** One decision: the questions in the order in which they were asked, the one that decided, the facts. */
export function WhyPanel({ why, onClose }: { readonly why: WhyView; readonly onClose: (() => void) | null }) {
  return (
    <div className="rd-why">
      <div className="flex">
        <h2 className="t13 strong grow">
          <VisibleText text={why.headline} />
        </h2>
        {onClose !== null && <Button variant="quiet" size="small" icon="x" label={text.close} onClick={onClose} />}
      </div>
      <p className="t12 ink3">{fullTime(why.atMs)}</p>
      {why.isGoodNews && why.questions.some((question) => question.verdict === 'decided') && (
        <Note tone="safe" title={text.asWanted} className="rd-good">
          <DecidingAnswer why={why} />
        </Note>
      )}
      <h3 className="label">{text.lookedAt}</h3>
      <ul>
        {why.questions.map((question) => (
          <li key={question.question} className={`q1 ${question.verdict}`}>
            <Icon
              name={question.verdict === 'yes' ? 's-done' : 's-ref'}
              label={question.verdict === 'yes' ? text.yes : text.no}
            />
            <b>
              <VisibleText text={question.question} />
              {question.verdict === 'decided' && (
                <>
                  {' '}
                  <Badge tone="safe">{text.decidedIt}</Badge>
                </>
              )}
            </b>
            <p>
              <VisibleText text={question.answer} />
            </p>
          </li>
        ))}
      </ul>
      {why.facts.length > 0 && (
        <>
          <h3 className="label rd-facts">{text.facts}</h3>
          <dl className="facts t12">
            {why.facts.map((fact) => (
              <div key={fact.name} className="contents">
                <dt>{fact.name}</dt>
                <dd>
                  <VisibleText text={fact.value} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}

function DecidingAnswer({ why }: { readonly why: WhyView }) {
  const deciding = why.questions.find((question) => question.verdict === 'decided');
  return deciding === undefined ? null : <VisibleText text={deciding.answer.replace(/^(?:Yes|No)\. /u, '')} />;
}
