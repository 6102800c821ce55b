import type { RequestOf } from '../../../shared/contract/api.ts';
import type { SettingsView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note } from '../../ui/note.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { CoordinatorSection } from './coordinator/coordinator-section.tsx';
import { DesktopSection } from './desktop-section.tsx';
import { DeviceNameForm } from './device-name-form.tsx';
import { DiagnosticsSection } from './diagnostics-section.tsx';
import { updatesText } from './diagnostics-strings.ts';
import { RecordSection } from './record-section.tsx';
import { secretText } from './secret-strings.ts';
import { Secrets } from './secrets.tsx';
import { Fact, Section } from './section.tsx';
import { text } from './strings.ts';
import { ToolsSection } from './tools-section.tsx';
import './settings.css';

/** This device, how the window looks, what agents can do, what is kept and where, and the versions. `part` and `choice` lead into one. */
export function SettingsPage({ part, choice }: { readonly part: string; readonly choice: string }) {
  const query = useQuery('settings.get', {});
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
      </header>
      {query.value === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {query.value !== null && <Settings view={query.value} part={part} choice={choice} onSaved={query.refetch} />}
    </div>
  );
}

function Settings(props: {
  readonly view: SettingsView;
  readonly part: string;
  readonly choice: string;
  readonly onSaved: () => void;
}) {
  const { view, onSaved } = props;
  return (
    <div className="scroll grow">
      <div className="se">
        <Section title={text.device}>
          <DeviceNameForm key={view.deviceName} name={view.deviceName} onSaved={onSaved} />
          <Fact label={text.deviceId} help={text.deviceIdHelp}>
            <span className="mono">{view.deviceId}</span>
          </Fact>
        </Section>
        <Section title={text.appearance}>
          <Appearance view={view} onSaved={onSaved} />
        </Section>
        <DesktopSection />
        <ToolsSection />
        <Section title={secretText.title} lede={secretText.lede}>
          <Secrets />
        </Section>
        <CoordinatorSection part={props.part} choice={props.choice} />
        <RecordSection folder={view.profileFolder} />
        <Section title={updatesText.title} lede={updatesText.lede}>
          <Fact label={updatesText.app} help={versionsOf(view)}>
            {view.version}
          </Fact>
          <Fact label={updatesText.form}>{updatesText.formNumber(view.schemaVersion)}</Fact>
          <Fact label={updatesText.how}>{updatesText.howSteps}</Fact>
          <Fact label={updatesText.rules}>{updatesText.rulesSteps}</Fact>
        </Section>
        <DiagnosticsSection folder={view.profileFolder} />
      </div>
    </div>
  );
}

function versionsOf({ electronVersion, nodeVersion, sqliteVersion }: SettingsView): string {
  const electron = electronVersion === null ? '' : `${text.electron} ${electronVersion}, `;
  return `${electron}${text.node} ${nodeVersion}, ${text.sqlite} ${sqliteVersion}`;
}

/** How the window looks: each choice is saved as it is made. */
function Appearance({ view, onSaved }: { readonly view: SettingsView; readonly onSaved: () => void }) {
  const saving = useAction('settings.set');
  async function save(change: Pick<RequestOf<'settings.set'>, 'theme' | 'contrast'>): Promise<void> {
    const answer = await saving.run(change);
    if (answer.ok) onSaved();
  }
  return (
    <>
      <div className="se-row">
        <span className="ink2">{text.theme}</span>
        <RadioGroup
          label={text.theme}
          isInline
          value={view.theme}
          onChange={(theme) => void save({ theme })}
          items={[
            { value: 'system', label: text.system },
            { value: 'light', label: text.light },
            { value: 'dark', label: text.dark },
          ]}
        />
      </div>
      <div className="se-row">
        <span className="ink2">{text.contrast}</span>
        <span className="se-value">
          <RadioGroup
            label={text.contrast}
            isInline
            value={view.contrast}
            onChange={(contrast) => void save({ contrast })}
            items={[
              { value: 'system', label: text.system },
              { value: 'high', label: text.high },
            ]}
          />
          <span className="t12 ink3 se-help">{text.contrastHelp}</span>
        </span>
      </div>
      {saving.problem !== null && (
        <Note tone="bad" role="alert" title={saving.problem.message}>
          {saving.problem.wayOut}
        </Note>
      )}
    </>
  );
}
