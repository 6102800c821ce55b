import { useState } from 'react';
import type { StepRow, TextView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { CopyButton } from './copy-button.tsx';
import { stepShapes } from './lanes.tsx';
import { kindWords, stepWords, text } from './strings.ts';

/** Each step with exactly what went in and what came out. */
export function Steps({ steps }: { readonly steps: readonly StepRow[] }) {
  if (steps.length === 0) return <EmptyState icon="runs" title={text.noSteps} />;
  return (
    <ol className="rd-steps scroll grow" aria-label={text.steps}>
      {steps.map((step) => (
        <Step key={`${step.stateId} ${step.stateVisit}`} step={step} />
      ))}
    </ol>
  );
}

function Step({ step }: { readonly step: StepRow }) {
  const [isOpen, setIsOpen] = useState(false);
  const hasMore = step.input !== null || step.output !== null;
  const id = `step-${step.stateId}-${step.stateVisit}`;
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
        <div className="rd-io" id={id}>
          <Payload label={text.sent} view={step.input} nothing={text.nothingIn} />
          <Payload label={text.came} view={step.output} nothing={text.nothingOut} />
        </div>
      )}
    </li>
  );
}

function Payload({
  label,
  view,
  nothing,
}: {
  readonly label: string;
  readonly view: TextView | null;
  readonly nothing: string;
}) {
  const reading = useAction('text.get');
  const [whole, setWhole] = useState<string | null>(null);
  if (view === null) return <p className="t12 ink3">{nothing}</p>;
  const { digest } = view;
  async function readAll(): Promise<void> {
    const answer = await reading.run({ digest });
    if (answer.ok) setWhole(answer.value.text);
  }
  const shown = whole ?? view.text;
  return (
    <section className="payload" aria-label={label}>
      <header>
        <span className="t12 medium">{label}</span>
        <span className="t11 ink3">{text.bytes(view.bytes)}</span>
        <span className="right">
          <CopyButton label={text.copy} content={shown} />
        </span>
      </header>
      {/* It scrolls, so it must be reachable without a mouse. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={label}>
        <VisibleText text={shown} />
      </pre>
      {view.isCut && whole === null && (
        <footer className="flex t12 ink2">
          {reading.problem?.message ?? text.cut}
          <Button size="small" isDisabled={reading.isBusy} onClick={() => void readAll()}>
            {text.showAll}
          </Button>
        </footer>
      )}
      <footer className="t11 ink3 cut">
        {text.fingerprint} <span className="mono">{view.digest}</span>
      </footer>
    </section>
  );
}
