import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Note } from '../../ui/note.tsx';
import { Switch } from '../../ui/switch.tsx';
import { actText as text } from './strings.ts';

/** Whether another device may take over an agent by itself. */
export function NeverSwitch(props: {
  readonly lease: LeaseView;
  readonly onSaid: (sentence: string) => void;
  readonly onChanged: () => void;
}) {
  const { lease } = props;
  const setting = useAction('leases.setTakeover');
  const isOn = lease.takeover === 'by-person';
  async function set(never: boolean): Promise<void> {
    const answer = await setting.run({ agentId: lease.agentId, takeover: never ? 'by-person' : 'automatic' });
    if (answer.ok) props.onSaid(answer.value.sentence);
    props.onChanged();
  }
  return (
    <div className="le-never">
      <Switch
        label={text.never}
        description={isOn ? text.neverOn : text.neverOff}
        isOn={isOn}
        onChange={(never) => void set(never)}
      />
      {setting.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={setting.problem.message}>
          {setting.problem.wayOut}
        </Note>
      )}
    </div>
  );
}
