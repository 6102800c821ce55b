import { useState } from 'react';
import type { StepRow } from '../../../shared/contract/views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Earlier } from './earlier.tsx';
import { stepShapes } from './lanes.tsx';
import { ModelTurns } from './model-turns.tsx';
import { Payload } from './payload.tsx';
import { kindWords, stepWords, text } from './strings.ts';
import { Tries } from './tries.tsx';

/** Each step with exactly what went in and what came out. */
export function Steps({ steps, earlier }: { readonly steps: readonly StepRow[]; readonly earlier: number }) {
  if (steps.length === 0) return <EmptyState icon="runs" title={text.noSteps} />;
  return (
    <>
      {earlier > 0 && <Earlier>{text.earlierSteps(earlier)}</Earlier>}
      <ol className="rd-steps scroll grow" aria-label={text.steps}>
        {steps.map((step) => (
          <Step key={`${step.stateId} ${step.stateVisit}`} step={step} />
        ))}
      </ol>
    </>
  );
}

function Step({ step }: { readonly step: StepRow }) {
  const [isOpen, setIsOpen] = useState(false);
  const hasTries = step.tries.length > 1;
  const hasMore = step.input !== null || step.output !== null || step.model !== null || hasTries;
  const id = `step-${step.stateId}-${step.stateVisit}`;
  const name = visibleText(text.branchesOf(step.title, step.stateVisit));
  return (
    <li>
      <div className={isOpen ? 'rd-step open' : 'rd-step'}>
        <button
          type="button"
          className="rd-fold"
          aria-expanded={isOpen}
          aria-controls={id}
          disabled={!hasMore}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'cd' : 'cr'} size="small" className={hasMore ? '' : 'rd-none'} />
          <span className="cut medium">
            <VisibleText text={step.title} />
          </span>
          <span className="ink3 t12 nw">{step.stateVisit > 1 && text.visit(step.stateVisit)}</span>
        </button>
        <StateMark status={stepShapes[step.status]} word={stepWords[step.status]} />
        <span className="cut ink2 t12">
          <VisibleText text={step.summary} />
        </span>
        <span className="flex right">
          {step.attempts > 1 && <Badge>{text.attempts(step.attempts)}</Badge>}
          {step.effectKind !== null && (
            <Badge tone={step.effectKind === 'blind' ? 'plain' : 'safe'}>{kindWords[step.effectKind]}</Badge>
          )}
        </span>
      </div>
      {isOpen && (
        <div className="rd-more" id={id}>
          {hasTries && <Tries tries={step.tries} of={name} />}
          {step.model !== null && <ModelTurns model={step.model} of={name} />}
          {(step.input !== null || step.output !== null) && (
            <div className="rd-io">
              {step.model === null && (
                <Payload label={text.sent} of={name} view={step.input} nothing={text.nothingIn} />
              )}
              <Payload label={text.came} of={name} view={step.output} nothing={text.nothingOut} />
            </div>
          )}
        </div>
      )}
    </li>
  );
}
