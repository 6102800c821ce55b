import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ScheduleDraftView } from '../../../shared/contract/schedule-views.ts';
import type { Schedule } from '../../../shared/contract/triggers.ts';
import type { AgentRow } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { ScheduleChoiceFields } from './schedule-choice-fields.tsx';
import { cronOf, FIRST_CHOICE, onlyAgentId } from './schedule-choice.ts';
import { newText as text } from './strings.ts';

/** What is asked about while a field is empty; the answer is not shown. */
const ANY_TIME = { cron: '0 7 * * *', timeZone: 'UTC' };

/** Gives an agent a schedule. Its file changes, so it starts nothing before the person has permitted it once more. */
export function NewScheduleDialog(props: { readonly agents: readonly AgentRow[]; readonly onClose: () => void }) {
  const [agentId, setAgentId] = useState(() => onlyAgentId(props.agents) ?? '');
  const [choice, setChoice] = useState(FIRST_CHOICE);
  const [timeZone, setTimeZone] = useState(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [missed, setMissed] = useState<Schedule['missed']>('once');
  const [said, setSaid] = useState('');
  const cron = cronOf(choice);
  const when = cron === null || timeZone.trim() === '' ? null : { cron, timeZone: timeZone.trim() };
  // What a time means is told before an agent is chosen; the file of the one that is asked about then is not used.
  const askedId = agentId === '' ? (props.agents[0]?.agentId ?? '') : agentId;
  const { value, problem } = useQuery('schedules.draft', { agentId: askedId, missed, ...(when ?? ANY_TIME) });
  const draft = when === null ? null : value;
  const lacks = agentId === '' ? text.noAgent : when === null ? text.incomplete : '';
  const mistake = lacks === '' ? (problem?.message ?? draft?.problem ?? '') : lacks;
  const saving = useAction('agents.save');
  const [, navigate] = useLocation();
  async function add(): Promise<void> {
    if (agentId === '' || !draft?.file) return;
    const answer = await saving.run(draft.file);
    if (!answer.ok) return setSaid(`${answer.error.message} ${answer.error.wayOut}`.trim());
    const [first] = answer.value.problems;
    if (first !== undefined) return setSaid(first.message);
    props.onClose();
    navigate(`/agents/${encodeURIComponent(agentId)}`);
  }
  const actions = (
    <>
      <Button onClick={props.onClose}>{text.cancel}</Button>
      <Button
        variant="primary"
        isDisabled={saving.isBusy || draft === null}
        disabledReason={mistake}
        onClick={() => void add()}
      >
        {text.add}
      </Button>
    </>
  );
  return (
    <Dialog isOpen title={text.heading} onClose={props.onClose} actions={actions}>
      <div className="form sc-new">
        <FormField label={text.agent} help={text.permitAgain}>
          {(described) => (
            <select
              className="field"
              {...described}
              value={agentId}
              onChange={(event) => setAgentId(event.target.value)}
            >
              {agentId === '' && <option value="">{text.chooseAgent}</option>}
              {props.agents.map((agent) => (
                <option key={agent.agentId} value={agent.agentId}>
                  {agent.name}
                </option>
              ))}
            </select>
          )}
        </FormField>
        <ScheduleChoiceFields {...{ choice, timeZone }} onChoice={setChoice} onTimeZone={setTimeZone} />
        <MissedField missed={missed} onChange={setMissed} />
        <Meaning draft={draft} said={said} />
      </div>
    </Dialog>
  );
}

function MissedField(props: {
  readonly missed: Schedule['missed'];
  readonly onChange: (missed: Schedule['missed']) => void;
}) {
  return (
    <div className="form-field">
      <span>{text.missed}</span>
      <RadioGroup
        label={text.missed}
        value={props.missed}
        onChange={props.onChange}
        items={[
          { value: 'once', label: text.once },
          { value: 'skip', label: text.skip },
          { value: 'each', label: text.each },
        ]}
      />
    </div>
  );
}

/** What it will mean, before it is added. */
function Meaning(props: { readonly draft: ScheduleDraftView | null; readonly said: string }) {
  const { draft } = props;
  return (
    <output className="t12 sc-draft">
      {draft !== null && draft.words !== '' && (
        <>
          <span className="medium">
            <VisibleText text={draft.words} />
          </span>
          <span className="ink2">
            {text.next}{' '}
            {draft.nextAtMs.map((atMs) => (
              <span key={atMs} className="nw sc-time">
                <Time atMs={atMs} format="both" />
              </span>
            ))}
          </span>
        </>
      )}
      {props.said !== '' && <span className="needs">{props.said}</span>}
    </output>
  );
}
