import { useLocation } from 'wouter';
import type { DevicesView, JoiningView } from '../../../shared/contract/coordinator-views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Note } from '../../ui/note.tsx';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { nextStep, pairingNote } from './devices-model.ts';
import { aloneText, nextText, pairText, text } from './strings.ts';

/** A pairing that goes on while its dialog is closed: never silent, and one press away. */
export function PairingNotes(props: {
  readonly view: DevicesView;
  readonly onShow: (kind: 'invite' | 'join') => void;
  readonly onChanged: () => void;
}) {
  const note = pairingNote(props.view, useNow(1_000));
  const cancel = useAction('devices.cancelInvite');
  async function cancelLink(): Promise<void> {
    await cancel.run({});
    props.onChanged();
  }
  if (note === null) return null;
  if (note.kind === 'ended') {
    return <EndedNote joining={note.joining} onAgain={() => props.onShow('join')} onChanged={props.onChanged} />;
  }
  if (note.kind === 'open') {
    return (
      <Note tone="plain" icon="devices" className="dv-note">
        <span className="grow">{pairText.openNote}</span>
        <Button size="small" variant="quiet" isDisabled={cancel.isBusy} onClick={() => void cancelLink()}>
          {pairText.cancelLink}
        </Button>
        <Button size="small" onClick={() => props.onShow('invite')}>
          {pairText.showLink}
        </Button>
      </Note>
    );
  }
  const isAsked = note.kind === 'asks';
  return (
    <Note tone={isAsked ? 'needs' : 'plain'} icon={isAsked ? 's-approve' : 's-wait'} className="dv-note">
      <b className="strong grow">
        <VisibleText text={isAsked ? pairText.asksNote(note.deviceName) : pairText.joiningNote(note.hubName)} />
      </b>
      <Button size="small" onClick={() => props.onShow(isAsked ? 'invite' : 'join')}>
        {isAsked ? pairText.compare : pairText.showWords}
      </Button>
    </Note>
  );
}

/** A pairing that came to nothing while nobody looked: what happened, and the way to try again. */
function EndedNote(props: {
  readonly joining: JoiningView;
  readonly onAgain: () => void;
  readonly onChanged: () => void;
}) {
  const { joining, onChanged } = props;
  const forgetting = useAction('devices.cancelJoin');
  async function forget(): Promise<void> {
    await forgetting.run({});
    onChanged();
  }
  return (
    <Note tone="plain" icon="warn" className="dv-note">
      <span className="grow">
        <b className="strong">{joining.state === 'refused' ? pairText.refusedTitle : pairText.failedTitle}</b>{' '}
        <VisibleText text={`${joining.sentence} ${joining.wayOut}`.trim()} />
      </span>
      <Button size="small" variant="quiet" isDisabled={forgetting.isBusy} onClick={() => void forget()}>
        {text.close}
      </Button>
      <Button size="small" onClick={props.onAgain}>
        {pairText.otherLink}
      </Button>
    </Note>
  );
}

/** Paired is not yet shared: says what is left to do, and leads there. */
export function NextNote({ view }: { readonly view: DevicesView }) {
  const coordinator = useQuery('coordinator.get', {}).value;
  const [, navigate] = useLocation();
  const next = nextStep(view.kind, coordinator?.choice.kind ?? null);
  if (view.kind === 'hub' && next === null) {
    const hub = coordinator?.pairedHub ?? null;
    if (hub === null) return null;
    return (
      <p className="dv-hint t12 ink3">
        <VisibleText text={text.pairAtHub(hub.name)} />
      </p>
    );
  }
  if (next === null || coordinator?.move?.state === 'running') return null;
  const isHere = next === 'this-hub';
  return (
    <Note tone="plain" icon="key" className="dv-note">
      <span className="grow">
        <b className="strong">
          <VisibleText text={isHere ? nextText.hubTitle : nextText.joinedTitle(coordinator?.pairedHub?.name ?? '')} />
        </b>{' '}
        {isHere ? nextText.hubMore : nextText.joinedMore}
      </span>
      <Button size="small" onClick={() => navigate(`/settings/right-to-act/${next}`)}>
        {isHere ? nextText.hubGo : nextText.joinedGo}
      </Button>
    </Note>
  );
}

/** Only this device: what pairing would bring, and the ways to it. */
export function Alone({ onJoin }: { readonly onJoin: () => void }) {
  const [, navigate] = useLocation();
  return (
    <EmptyState
      icon="devices"
      title={aloneText.title}
      action={
        <>
          <Button variant="primary" onClick={() => navigate('/settings/hub')}>
            {aloneText.makeHub}
          </Button>
          <Button onClick={onJoin}>{text.join}</Button>
          <Button variant="quiet" onClick={() => navigate('/settings/right-to-act')}>
            {aloneText.orServer}
          </Button>
        </>
      }
    >
      <p>{aloneText.more}</p>
      <p className="dv-gap">{aloneText.begin}</p>
    </EmptyState>
  );
}

/** PostgreSQL or etcd: they know no devices. */
export function ServerKeeps() {
  const [, navigate] = useLocation();
  return (
    <EmptyState
      icon="server"
      title={aloneText.serverTitle}
      action={<Button onClick={() => navigate('/settings')}>{aloneText.settings}</Button>}
    >
      {aloneText.server}
    </EmptyState>
  );
}
