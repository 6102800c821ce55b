import { useEffect, useRef } from 'react';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { practiceAgent } from '../../state/practice-agent.ts';
import { text } from './strings.ts';

/** Leads to the practice agent, whose step ends unclear on purpose. */
export function PractiseStep(props: {
  readonly isBusy: boolean;
  readonly onBack: () => void;
  readonly onFinish: (path: string) => void;
}) {
  const { value } = useQuery('agents.list', {});
  const practice = value === null ? null : practiceAgent(value.agents);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 id="onboarding-heading" ref={heading} tabIndex={-1}>
        {text.practiseHeading}
      </h1>
      <p className="ob-lead">{text.practiseLead}</p>
      <ol className="ob-steps">
        {text.practiseSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {value !== null && practice === null && <p className="ink2">{text.practiseNone}</p>}
      <p className="t12 ink3 ob-later">{text.pairLater}</p>
      <div className="ob-acts">
        <Button onClick={props.onBack}>{text.back}</Button>
        <Button isDisabled={props.isBusy} onClick={() => props.onFinish('/needs')}>
          {text.practiseLater}
        </Button>
        {practice !== null && (
          <Button
            variant="primary"
            isDisabled={props.isBusy}
            onClick={() => props.onFinish(`/agents/${encodeURIComponent(practice.agentId)}`)}
          >
            {text.practiseGo}
          </Button>
        )}
      </div>
    </>
  );
}
