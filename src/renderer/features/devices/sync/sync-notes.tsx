import type { SyncDeviceRow, SyncView } from '../../../../shared/contract/sync-views.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/note.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { text } from './strings.ts';
import { percentOf } from './sync-model.ts';

/** Each journal that is set aside and each silent device: what is so, and the ways out. */
export function SyncNotes(props: {
  readonly view: SyncView;
  readonly onLetGo: (device: SyncDeviceRow) => void;
  readonly onShowWords: () => void;
  readonly onNewIdentity: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { view } = props;
  return (
    <>
      {view.problem !== null && view.problem.wayOut !== '' && (
        <Note tone="plain" icon="warn" className="dv-note">
          <span className="grow">
            {view.problem.message !== view.sentence && (
              <b className="strong">
                <VisibleText text={view.problem.message} />{' '}
              </b>
            )}
            <VisibleText text={view.problem.wayOut} />
          </span>
          {view.problem.code === 'relay-fork' && (
            <Button size="small" onClick={props.onNewIdentity}>
              {text.newIdentity}
            </Button>
          )}
        </Note>
      )}
      {view.hasWords && (
        <Note tone="plain" icon="lock" className="dv-note">
          <span className="grow">
            <b className="strong">{text.wordsKept}</b> {text.wordsKeptMore}
          </span>
          <Button size="small" onClick={props.onShowWords}>
            {text.showWords}
          </Button>
        </Note>
      )}
      {view.devices.map((device) => (
        <DeviceNote key={device.deviceId} device={device} onLetGo={props.onLetGo} onDone={props.onDone} />
      ))}
    </>
  );
}

function DeviceNote(props: {
  readonly device: SyncDeviceRow;
  readonly onLetGo: (device: SyncDeviceRow) => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { device } = props;
  const looking = useAction('sync.tryAgain');
  const name = visibleText(device.name);
  const { quarantine } = device;
  async function look(): Promise<void> {
    const answer = await looking.run({ deviceId: device.deviceId });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  if (device.letGoAtMs !== null || (quarantine === null && !device.isSilent)) return null;
  return (
    <Note tone={quarantine === null ? 'plain' : 'safe'} className="dv-note">
      <span className="grow">
        <b className="strong">
          <VisibleText text={quarantine === null ? text.silentTitle(device.name) : quarantine.sentence} />
        </b>{' '}
        <VisibleText text={quarantine === null ? text.silentMore : quarantine.wayOut} />
        {looking.problem !== null && (
          <span role="alert" className="sy-line">
            {looking.problem.message} {looking.problem.wayOut}
          </span>
        )}
      </span>
      {quarantine !== null && (
        <Button size="small" label={text.lookAgainNamed(name)} isDisabled={looking.isBusy} onClick={() => void look()}>
          {text.lookAgain}
        </Button>
      )}
      <Button size="small" label={text.letGoNamed(name)} onClick={() => props.onLetGo(device)}>
        {text.letGo}
      </Button>
    </Note>
  );
}

/** How much of the first entries is here. */
export function CatchUp({ catchUp }: { readonly catchUp: NonNullable<SyncView['catchUp']> }) {
  const words = text.catchUp(catchUp.done, catchUp.total);
  const percent = percentOf(catchUp);
  return (
    <div className="sy-catch">
      <progress
        className="sy-bar"
        aria-label={text.catchingUp}
        aria-valuetext={`${words}, ${percent} %`}
        value={percent}
        max={100}
      />
      <span className="num t12 ink2">
        {words}, {percent} %
      </span>
      {/* Only every tenth percent is read out. */}
      <output className="sr-only">{`${text.catchingUp}: ${Math.floor(percent / 10) * 10} %`}</output>
    </div>
  );
}
