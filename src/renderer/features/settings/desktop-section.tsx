import type { RequestOf } from '../../../shared/contract/api.ts';
import type { DesktopFacts, DesktopView } from '../../../shared/contract/desktop-views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note } from '../../ui/note.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Switch } from '../../ui/switch.tsx';
import { desktopText as text } from './desktop-strings.ts';
import { Section } from './section.tsx';

/** How the desktop app behaves outside of its window; in a browser a sentence about it. */
export function DesktopSection() {
  const query = useQuery('desktop.get', {});
  const view = query.value;
  return (
    <Section title={text.title} lede={text.lede}>
      {view === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null &&
        (view.desktop === null ? (
          <p className="ink2">{text.browser}</p>
        ) : (
          <Manners view={view} desktop={view.desktop} onSaved={query.refetch} />
        ))}
    </Section>
  );
}

function Manners(props: { readonly view: DesktopView; readonly desktop: DesktopFacts; readonly onSaved: () => void }) {
  const { view, desktop } = props;
  const saving = useAction('desktop.set');
  async function save(change: RequestOf<'desktop.set'>): Promise<void> {
    await saving.run(change);
    // Also after a refusal: what is shown is what holds.
    props.onSaved();
  }
  return (
    <>
      <OnClose view={view} hasTray={desktop.hasTray} onChange={(onClose) => void save({ onClose })} />
      <Switch
        label={text.notifies}
        description={desktop.canNotify ? text.notifiesHelp : text.noNotices}
        isOn={view.notifies && desktop.canNotify}
        isDisabled={!desktop.canNotify}
        onChange={(notifies) => void save({ notifies })}
      />
      {desktop.canNotify && desktop.isNotifyBlocked && view.notifies && (
        <Note tone="plain" title={text.noticesBlockedTitle}>
          {text.noticesBlocked}
        </Note>
      )}
      <Switch
        label={text.keepsAwake}
        description={text.keepsAwakeHelp}
        isOn={view.keepsAwake}
        onChange={(keepsAwake) => void save({ keepsAwake })}
      />
      <Switch
        label={text.startsAtLogin}
        description={desktop.canStartAtLogin ? text.startsAtLoginHelp : text.otherProfile}
        isOn={desktop.startsAtLogin}
        isDisabled={!desktop.canStartAtLogin}
        onChange={(startsAtLogin) => void save({ startsAtLogin })}
      />
      {saving.problem !== null && (
        <Note tone="bad" role="alert" title={saving.problem.message}>
          {saving.problem.wayOut}
        </Note>
      )}
    </>
  );
}

function OnClose(props: {
  readonly view: DesktopView;
  readonly hasTray: boolean;
  readonly onChange: (onClose: DesktopView['onClose']) => void;
}) {
  if (!props.hasTray) return <p className="ink2">{text.noTray}</p>;
  return (
    <div className="se-row">
      <span className="ink2">{text.onClose}</span>
      <span className="se-value">
        <RadioGroup
          label={text.onClose}
          value={props.view.onClose}
          onChange={props.onChange}
          items={[
            { value: 'ask', label: text.ask },
            { value: 'background', label: text.background, description: text.backgroundHelp },
            { value: 'quit', label: text.quit },
          ]}
        />
      </span>
    </div>
  );
}
