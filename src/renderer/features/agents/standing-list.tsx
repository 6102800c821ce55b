import { useState } from 'react';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';
import './agent-control.css';

/** What a person allowed for later questions too, each with the way to take it back. */
export function StandingList(props: {
  readonly standing: AgentDetailView['standing'];
  readonly when: (ms: number) => string;
}) {
  const revoke = useAction('standing.revoke');
  const [said, setSaid] = useState('');
  async function go(standingId: string): Promise<void> {
    const answer = await revoke.run({ standingId });
    setSaid(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  if (props.standing.length === 0) return <output className="t12 ink3">{said}</output>;
  return (
    <div className="ag-standing">
      <h4 className="label">{text.standing}</h4>
      <ul aria-label={text.standing}>
        {props.standing.map((each) => (
          <li key={each.standingId}>
            <p className="t12">
              <VisibleText text={each.sentence} />
            </p>
            <p className="t12 ink3">
              {each.scope}. {text.standingUntil(props.when(each.expiresAtMs))}
            </p>
            <Button size="small" isDisabled={revoke.isBusy} onClick={() => void go(each.standingId)}>
              {text.standingRevoke}
            </Button>
          </li>
        ))}
      </ul>
      <output className="t12 ink3">{said}</output>
    </div>
  );
}
