import type { SettingsView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { CoordinatorSection } from './coordinator/coordinator-section.tsx';
import { CopyValue } from './copy-value.tsx';
import { DesktopSection } from './desktop-section.tsx';
import { DeviceNameForm } from './device-name-form.tsx';
import { secretText } from './secret-strings.ts';
import { Secrets } from './secrets.tsx';
import { Fact, Section } from './section.tsx';
import { sizeWords, text } from './strings.ts';
import './settings.css';

/** This device, how the window looks, where everything is kept, and the versions. `part` and `choice` lead into one. */
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
          <Theme view={view} onSaved={onSaved} />
        </Section>
        <DesktopSection />
        <Section title={secretText.title} lede={secretText.lede}>
          <Secrets />
        </Section>
        <CoordinatorSection part={props.part} choice={props.choice} />
        <Section title={text.data} lede={text.dataLede}>
          <Fact label={text.folder}>
            <CopyValue value={view.profileFolder} />
          </Fact>
          <Fact label={text.size}>{sizeWords(view.databaseBytes)}</Fact>
          <Fact label={text.entries} help={text.kept}>
            {view.journalEntries.toLocaleString('en')}
          </Fact>
          <Fact label={text.format}>{text.formatNumber(view.schemaVersion)}</Fact>
        </Section>
        <Section title={text.versions}>
          <Fact label={text.app}>{view.version}</Fact>
          <Fact label={text.electron}>{view.electronVersion ?? text.none}</Fact>
          <Fact label={text.node}>{view.nodeVersion}</Fact>
          <Fact label={text.sqlite}>{view.sqliteVersion}</Fact>
        </Section>
      </div>
    </div>
  );
}

function Theme({ view, onSaved }: { readonly view: SettingsView; readonly onSaved: () => void }) {
  const saving = useAction('settings.set');
  async function save(theme: SettingsView['theme']): Promise<void> {
    const answer = await saving.run({ theme });
    if (answer.ok) onSaved();
  }
  return (
    <div className="se-row">
      <span className="ink2">{text.theme}</span>
      <span className="se-value">
        <RadioGroup
          label={text.theme}
          isInline
          value={view.theme}
          onChange={(theme) => void save(theme)}
          items={[
            { value: 'system', label: text.system },
            { value: 'light', label: text.light },
            { value: 'dark', label: text.dark },
          ]}
        />
        {saving.problem !== null && <span className="t12 se-help">{saving.problem.message}</span>}
      </span>
    </div>
  );
}
