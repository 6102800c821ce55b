import { useEffect, useRef, useState } from 'react';
import type { BatchResultView, RecoveryView } from '../../../../shared/contract/decision-views.ts';
import type { Problem } from '../../../../shared/contract/errors.ts';
import type { BatchChoice } from '../../../../shared/core/recovery/alike-doubts.ts';
import { useAction } from '../../../state/use-action.ts';
import { useQueries } from '../../../state/use-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Note } from '../../../ui/note.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { runNumber } from '../../../ui/run-number.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { ExactText } from '../exact-payload.tsx';
import type { QueueBatch } from '../queue-rows.ts';
import { doubtText as text } from './doubt-strings.ts';
import { batchAnswers } from './doubt-words.ts';
import type { BatchAnswer } from './doubt-words.ts';
import { isDoubtReadableAtOnce } from './readable-at-once.ts';

/** Several unclear steps that are alike, each with exactly what it was about. Nothing that sends is offered; closing decides nothing. */
export function DoubtBatchDialog({ batch, onClose }: { readonly batch: QueueBatch; readonly onClose: () => void }) {
  const found = useQueries(
    'recovery.get',
    batch.items.map((item) => ({ attemptToken: item.id })),
  );
  const resolve = useAction('recovery.resolveAlike');
  const later = useRef<HTMLButtonElement>(null);
  const [choice, setChoice] = useState<BatchChoice | null>(null);
  const [reason, setReason] = useState('');
  const [over, setOver] = useState<BatchResultView | null>(null);
  const views = found.filter((view) => view !== null);
  const isRead = views.length === batch.items.length;
  const steps = views.filter((view) => isDoubtReadableAtOnce(view) && view.lateEvidence === null);
  const answers = batchAnswers(steps);
  const chosen = steps.length < 2 ? null : (answers.find((answer) => answer.choice === choice) ?? null);
  const whyNot = !isRead ? text.reading : steps.length < 2 ? text.tooFew : chosen === null ? text.chooseFirst : '';
  // The button that had the focus is gone.
  useEffect(() => {
    if (over !== null) later.current?.focus();
  }, [over]);

  async function go(): Promise<void> {
    if (chosen === null) return;
    const answer = await resolve.run({
      steps: steps.map(({ attemptToken, inputDigest, epoch }) => ({ attemptToken, inputDigest, epoch })),
      choice: chosen.choice,
      reason: reason.trim(),
    });
    if (answer.ok) setOver(answer.value);
  }
  return (
    <Dialog
      isOpen
      width="wide"
      title={over === null ? text.title(batch.items.length) : text.overTitle}
      onClose={() => !resolve.isBusy && onClose()}
      initialFocus={later}
      actions={
        <>
          <Button ref={later} isDisabled={resolve.isBusy} onClick={onClose}>
            {over === null ? text.later : text.close}
          </Button>
          {over === null && (
            <Button variant="primary" isDisabled={resolve.isBusy} disabledReason={whyNot} onClick={() => void go()}>
              {resolve.isBusy ? text.deciding : (chosen?.button ?? text.doIt)}
            </Button>
          )}
        </>
      }
    >
      {over === null ? (
        <>
          <Steps batch={batch} steps={steps} alone={isRead ? views.length - steps.length : 0} />
          <Answers
            answers={answers}
            chosen={chosen?.choice ?? null}
            isDisabled={steps.length < 2 || resolve.isBusy}
            onChoose={setChoice}
            reason={reason}
            onReason={setReason}
          />
          <Failure problem={resolve.problem} />
        </>
      ) : (
        <Came over={over} views={views} />
      )}
    </Dialog>
  );
}

function Failure({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <Note tone="plain" icon="warn" role="alert" title={problem.message}>
      {problem.wayOut}
    </Note>
  );
}

/** The answers that there are for all of them, none of them chosen beforehand. */
function Answers(props: {
  readonly answers: readonly BatchAnswer[];
  readonly chosen: BatchChoice | null;
  readonly isDisabled: boolean;
  readonly onChoose: (choice: BatchChoice) => void;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
}) {
  const { answers, isDisabled, onReason } = props;
  return (
    <>
      <div className="nq-choices">
        <RadioGroup
          label={text.answers}
          value={props.chosen}
          onChange={props.onChoose}
          items={answers.map((answer) => ({
            value: answer.choice,
            label: answer.title,
            description: <VisibleText text={answer.happens} />,
            isDisabled,
          }))}
        />
      </div>
      <p className="t12 ink2 nq-choices">
        {text.reopen} {text.sendAlone}
      </p>
      <input
        className="nq-input"
        aria-label={text.reason}
        placeholder={text.reason}
        maxLength={1_000}
        value={props.reason}
        onChange={(event) => onReason(event.target.value)}
      />
    </>
  );
}

function Steps(props: { readonly batch: QueueBatch; readonly steps: readonly RecoveryView[]; readonly alone: number }) {
  const { batch, steps, alone } = props;
  return (
    <>
      {steps[0] !== undefined && (
        <p>
          <VisibleText text={text.lead(batch.deviceName, steps[0].cause)} />
        </p>
      )}
      <p className="t12 ink2">{text.each}</p>
      {alone > 0 && <p className="t12 ink2">{text.alone(alone)}</p>}
      {batch.left > 0 && <p className="t12 ink2">{text.left(batch.left)}</p>}
      <ol className="nq-batch nq-doubts" aria-label={text.list}>
        {steps.map((view) => (
          <li key={view.attemptToken}>
            <p className="t12 ink2">{text.run(view.run.agentName, runNumber(view.run.number))}</p>
            <p>
              <b className="medium">
                <VisibleText text={view.title} />
              </b>
              <span className="sep"> · </span>
              <VisibleText text={view.target} />
            </p>
            <div className="nq-payload">
              <ExactText view={view.input} label={text.payload(runNumber(view.run.number))} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The count, and each that went otherwise than it was asked for. */
function Came({ over, views }: { readonly over: BatchResultView; readonly views: readonly RecoveryView[] }) {
  const others = over.steps.filter(({ kind }) => kind !== 'decided');
  return (
    <output>
      <p className="medium">
        <VisibleText text={over.sentence} />
      </p>
      <ul className="nq-came">
        {others.map(({ attemptToken, sentence }) => {
          const run = views.find((view) => view.attemptToken === attemptToken)?.run;
          const name = run === undefined ? '' : text.run(run.agentName, runNumber(run.number));
          return (
            <li key={attemptToken}>
              <VisibleText text={text.of(name, sentence)} />
            </li>
          );
        })}
      </ul>
    </output>
  );
}
