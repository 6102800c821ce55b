import type { ModelCallView, ModelStepView, ModelTurnView } from '../../../shared/contract/run-views.ts';
import { Badge } from '../../ui/badge.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { stepShapes } from './lanes.tsx';
import { Payload } from './payload.tsx';
import { kindWords, stepWords, text } from './strings.ts';
import { Tries } from './tries.tsx';

/** A conversation with a model: each turn, what it answered, the calls that it asked for. Everything in it is untrusted text. */
export function ModelTurns({ model, of }: { readonly model: ModelStepView; readonly of: string }) {
  return (
    <section className="rd-model" aria-label={`${text.turns}: ${of}`}>
      <p className="t12 ink2">
        {text.total}: {usageWords(model)}
        {model.turnsBefore > 0 && ` ${text.turnsBefore(model.turnsBefore)}`}
      </p>
      <ol>
        {model.turns.map((turn) => (
          <Turn key={turn.turn} turn={turn} of={text.turnOf(turn.turn, of)} />
        ))}
      </ol>
    </section>
  );
}

function usageWords(of: { inputTokens: number | null; outputTokens: number | null; cost: number | null }): string {
  if (of.inputTokens === null || of.outputTokens === null) return '';
  const tokens = text.tokens(of.inputTokens, of.outputTokens);
  return of.cost === null ? tokens : `${tokens}, ${text.cost(of.cost)}`;
}

function Turn({ turn, of }: { readonly turn: ModelTurnView; readonly of: string }) {
  return (
    <li className="rd-turn">
      <header className="flex wrap">
        <h2 className="medium">{text.turn(turn.turn)}</h2>
        <StateMark status={stepShapes[turn.status]} word={stepWords[turn.status]} />
        <span className="ink2 t12 grow">
          <VisibleText text={turn.summary} />
        </span>
        <span className="ink3 t12 num">{usageWords(turn)}</span>
      </header>
      {turn.tries.length > 1 && <Tries tries={turn.tries} of={of} />}
      {turn.answer === null ? (
        <p className="t12 ink3">{turn.calls.length > 0 ? text.onlyCalls : text.noAnswer}</p>
      ) : (
        <Payload label={text.answerText} of={of} view={turn.answer} nothing={text.noAnswer} />
      )}
      {turn.calls.length > 0 && (
        <ul className="rd-calls" aria-label={`${text.calls}: ${of}`}>
          {turn.calls.map((call, index) => (
            <Call key={`${index} ${call.callId}`} call={call} of={text.callOf(index + 1, call.name, of)} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Call({ call, of }: { readonly call: ModelCallView; readonly of: string }) {
  return (
    <li className="rd-call">
      <header className="flex wrap">
        <span className="mono t12 medium">
          <VisibleText text={call.name} />
        </span>
        <StateMark status={stepShapes[call.status]} word={stepWords[call.status]} />
        <span className="ink2 t12 grow">
          <VisibleText text={call.summary} />
        </span>
        {call.effectKind !== null && (
          <Badge tone={call.effectKind === 'blind' ? 'plain' : 'safe'}>{kindWords[call.effectKind]}</Badge>
        )}
      </header>
      {call.tries.length > 1 && <Tries tries={call.tries} of={of} />}
      <div className="rd-pair">
        <Payload label={text.callArguments} of={of} view={call.arguments} nothing="" />
        <Payload
          label={text.callResult}
          of={of}
          view={call.result}
          nothing={call.status === 'refused' ? '' : text.noResult}
        />
      </div>
    </li>
  );
}
