import { useEffect, useRef } from 'react';
import type { ApprovalView } from '../../../../shared/contract/decision-views.ts';
import { answeredOf } from '../../../state/bulk-result.ts';
import { useQueries } from '../../../state/use-queries.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { runNumber } from '../../../ui/run-number.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { ApprovalPayload } from '../approval/approval-payload.tsx';
import { effectWords } from '../approval/strings.ts';
import type { QueueBatch } from '../queue-rows.ts';
import { isReadableAtOnce } from './readable-at-once.ts';
import { text } from './strings.ts';
import { useAnswering } from './use-answering.ts';
import type { Answering } from './use-answering.ts';
import '../approval/approval.css';

/** Several questions that are alike, each with exactly what it would do. Closing it decides nothing. */
export function BatchDialog({ batch, onClose }: { readonly batch: QueueBatch; readonly onClose: () => void }) {
  const found = useQueries(
    'approval.get',
    batch.items.map((item) => ({ approvalId: item.id })),
  );
  const later = useRef<HTMLButtonElement>(null);
  const { answering, answer } = useAnswering();
  const { state } = answering;
  const views = found.filter((view) => view !== null);
  const isRead = views.length === batch.items.length;
  const questions = views.filter(isReadableAtOnce);
  const whyNot = !isRead ? text.reading : questions.length < 2 ? text.tooFew : '';
  // The button that had the focus is gone.
  useEffect(() => {
    if (state === 'over') later.current?.focus();
  }, [state]);
  const close = () => {
    if (state !== 'going') onClose();
  };
  const going = text.going(Math.min(answeredOf(answering.result), answering.total - 1), answering.total);
  return (
    <Dialog
      isOpen
      width="wide"
      title={state === 'over' ? text.overTitle : text.title(batch.items.length, batch.agentName)}
      onClose={close}
      initialFocus={later}
      actions={
        <>
          {state === 'going' && <output className="t12 ink2 grow">{going}</output>}
          <Button ref={later} isDisabled={state === 'going'} onClick={close}>
            {state === 'over' ? text.close : text.later}
          </Button>
          {state === 'asking' && (
            <>
              <Button disabledReason={whyNot} onClick={() => void answer(questions, false)}>
                {text.deny(questions.length)}
              </Button>
              <Button variant="primary" disabledReason={whyNot} onClick={() => void answer(questions, true)}>
                {text.allow(questions.length)}
              </Button>
            </>
          )}
        </>
      }
    >
      {state === 'over' ? (
        <Came answering={answering} />
      ) : (
        <Questions
          batch={batch}
          questions={questions}
          alone={isRead && state === 'asking' ? views.length - questions.length : 0}
        />
      )}
    </Dialog>
  );
}

function Questions(props: {
  readonly batch: QueueBatch;
  readonly questions: readonly ApprovalView[];
  readonly alone: number;
}) {
  const { batch, questions, alone } = props;
  // Of the same kind, or they would not be alike.
  const words = questions[0] === undefined ? null : effectWords(questions[0].effectKind);
  return (
    <>
      {words !== null && <Badge tone={words.isSafe ? 'safe' : 'plain'}>{words.badge}</Badge>}
      <p>{text.lead(batch.items[0]?.deviceName ?? '')}</p>
      {alone > 0 && <p className="t12 ink2">{text.alone(alone)}</p>}
      {batch.left > 0 && <p className="t12 ink2">{text.left(batch.left)}</p>}
      <ol className="nq-batch" aria-label={text.list}>
        {questions.map((view) => (
          <li key={view.approvalId}>
            <p className="t12 ink2">{text.run(runNumber(view.run.number))}</p>
            <p className="medium">
              <VisibleText text={view.title} />
            </p>
            <p>
              <VisibleText text={view.question} />
            </p>
            <ApprovalPayload view={view} about={text.run(runNumber(view.run.number))} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** What each of them answered, counted. */
function Came({ answering }: { readonly answering: Answering }) {
  const { done, already, failed, whyFailed } = answering.result;
  return (
    <output>
      <ul className="nq-came">
        {done.length > 0 && <li>{answering.isAllowed ? text.allowed(done.length) : text.denied(done.length)}</li>}
        {already.length > 0 && <li>{text.already(already.length)}</li>}
        {failed.length > 0 && <li>{text.failed(failed.length, whyFailed)}</li>}
      </ul>
    </output>
  );
}
