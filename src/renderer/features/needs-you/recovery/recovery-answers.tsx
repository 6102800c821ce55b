import { Badge } from '../../../ui/badge.tsx';
import type { AnswerWords } from './recovery-words.ts';
import type { RecoveryChoice } from '../../../../shared/core/recovery/recovery-options.ts';
import { text } from './strings.ts';

/** The answers side by side, as one radio group in which nothing is chosen beforehand. */
export function RecoveryAnswers(props: {
  readonly answers: readonly AnswerWords[];
  readonly chosen: RecoveryChoice | null;
  readonly isDisabled: boolean;
  readonly onChoose: (choice: RecoveryChoice) => void;
}) {
  // The version of the agent is not here: nothing can be worked out, so nothing is offered.
  if (props.answers.length === 0) return null;
  return (
    <div className="rc-opts" role="radiogroup" aria-label={text.answers}>
      <div className="row head" aria-hidden="true">
        {text.columns.map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      {props.answers.map((answer) => (
        <AnswerRow
          key={answer.choice}
          answer={answer}
          isChosen={props.chosen === answer.choice}
          isDisabled={props.isDisabled}
          onChoose={() => props.onChoose(answer.choice)}
        />
      ))}
    </div>
  );
}

function AnswerRow(props: {
  readonly answer: AnswerWords;
  readonly isChosen: boolean;
  readonly isDisabled: boolean;
  readonly onChoose: () => void;
}) {
  const { answer } = props;
  const id = `answer-${answer.choice}`;
  return (
    <label className="row" htmlFor={id}>
      <input
        id={id}
        className="rc-radio"
        type="radio"
        name="recovery-answer"
        checked={props.isChosen}
        disabled={props.isDisabled}
        onChange={props.onChoose}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-what`}
      />
      <span className="name" id={`${id}-name`}>
        <AnswerTitle title={answer.title} />
        {answer.isSuggested && (
          <>
            {' '}
            <Badge tone="accent">{text.suggested}</Badge>
          </>
        )}
      </span>
      <span id={`${id}-what`}>
        {answer.happens}
        {answer.warning !== '' && (
          <>
            {' '}
            <b>{answer.warning}</b>
          </>
        )}
      </span>
      <span>
        <span className="rc-phone">{text.columns[2]}: </span>
        {answer.isSending ? <b>{answer.sends}</b> : answer.sends}
      </span>
      <span>
        <span className="rc-phone">{text.columns[3]}: </span>
        {answer.reopenWarning !== '' && <b>{answer.reopenWarning} </b>}
        {answer.reopen}
      </span>
    </label>
  );
}

/** "It was sent:" above "carry on": the fact, then what follows from it. */
function AnswerTitle({ title }: { readonly title: string }) {
  const at = title.indexOf(': ');
  if (at === -1) return title;
  return (
    <>
      {title.slice(0, at + 1)} <span className="act">{title.slice(at + 2)}</span>
    </>
  );
}
