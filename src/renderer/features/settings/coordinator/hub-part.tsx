import { useRef, useState } from 'react';
import type { CoordinatorView } from '../../../../shared/contract/coordinator-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormField } from '../../../ui/form-field.tsx';
import { Note } from '../../../ui/note.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { CopyValue } from '../copy-value.tsx';
import { Fact } from '../section.tsx';
import { portOf } from './choice-form.ts';
import { hubText as text } from './strings.ts';

/** Offered where no hub has run yet; the same as the contract's. */
const USUAL_PORT = 7_411;

/** The hub on this device: on or off, where other devices find it, and what is wrong with it. */
export function HubPart(props: {
  readonly view: CoordinatorView;
  readonly asked: string | null;
  readonly onAsk: (ask: 'hub-start' | 'hub-stop') => void;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { view, asked, onClose, onDone } = props;
  const { hub } = view;
  return (
    <div className="co-hub">
      <Switch
        label={text.label}
        description={text.description}
        isOn={hub.isRunning}
        onChange={(isOn) => props.onAsk(isOn ? 'hub-start' : 'hub-stop')}
      />
      {hub.trouble !== '' && (
        <Note tone="needs" icon="warn" title={text.trouble}>
          <VisibleText text={hub.trouble} />
        </Note>
      )}
      {hub.isRunning && (
        <>
          <Fact label={text.port}>
            <span className="num">{hub.port}</span>
          </Fact>
          <Fact label={text.addresses}>
            {hub.addresses.length === 0 ? (
              <span className="ink2">{text.noAddresses}</span>
            ) : (
              hub.addresses.map((address) => <CopyValue key={address} value={address} />)
            )}
          </Fact>
          <Fact label={text.fingerprint} help={text.fingerprintHelp}>
            <CopyValue value={hub.fingerprint} />
          </Fact>
        </>
      )}
      {asked === 'hub-start' && !hub.isRunning && <StartDialog port={hub.port} onClose={onClose} onDone={onDone} />}
      {asked === 'hub-stop' && (
        <StopDialog isUsedHere={view.choice.kind === 'this-hub'} onClose={onClose} onDone={onDone} />
      )}
    </div>
  );
}

function StartDialog(props: {
  readonly port: number;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const [typed, setTyped] = useState(String(props.port === 0 ? USUAL_PORT : props.port));
  const starting = useAction('hub.start');
  const safe = useRef<HTMLButtonElement>(null);
  const port = portOf(typed);
  async function go(): Promise<void> {
    if (port === null) return;
    const answer = await starting.run({ port });
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      title={text.startHeading}
      onClose={props.onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={props.onClose}>
            {text.dont}
          </Button>
          <Button variant="primary" isDisabled={port === null || starting.isBusy} onClick={() => void go()}>
            {text.start}
          </Button>
        </>
      }
    >
      <p>{text.startMore}</p>
      <p>{text.startKeep}</p>
      <p>{text.startNext}</p>
      <form
        className="form co-gap"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <FormField label={text.port} help={text.portHelp} mistake={port === null ? text.portMistake : ''}>
          {(described) => (
            <input
              {...described}
              className="field num co-port"
              inputMode="numeric"
              maxLength={5}
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </FormField>
      </form>
      <Trouble problem={starting.problem} />
    </Dialog>
  );
}

function StopDialog(props: {
  readonly isUsedHere: boolean;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const stopping = useAction('hub.stop');
  const safe = useRef<HTMLButtonElement>(null);
  async function go(): Promise<void> {
    const answer = await stopping.run({});
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={text.stopHeading}
      onClose={props.onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={props.onClose}>
            {text.keep}
          </Button>
          <Button variant="danger" isDisabled={stopping.isBusy} onClick={() => void go()}>
            {text.stop}
          </Button>
        </>
      }
    >
      <p>{text.stopMore}</p>
      {props.isUsedHere && <p className="strong ink">{text.stopUsed}</p>}
      <Trouble problem={stopping.problem} />
    </Dialog>
  );
}

function Trouble({ problem }: { readonly problem: ReturnType<typeof useAction<'hub.start'>>['problem'] }) {
  if (problem === null) return null;
  return (
    <Note tone="plain" icon="warn" role="alert" title={problem.message} className="co-gap">
      {problem.wayOut}
    </Note>
  );
}
