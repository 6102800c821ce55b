import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { JoiningView } from '../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { hasFailed, isJoining } from './devices-model.ts';
import { Shared, SixWords } from './six-words.tsx';
import { nextText, pairText as words } from './strings.ts';

const LONGEST_LINK = 4_096;
/** What is shown until the host tells more. */
const BEGINS: JoiningView = { hubName: '', state: 'connects', words: [], sentence: '', wayOut: '' };

/** Pairs this device with a hub: the link, then the six words while the hub is asked, then what is left to do. */
export function JoinDialog(props: {
  readonly joining: JoiningView | null;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { joining, onChanged, onClose } = props;
  const starting = useAction('devices.join');
  const stopping = useAction('devices.cancelJoin');
  const [link, setLink] = useState('');
  // An ended pairing from before says nothing about the link that is to be pasted now.
  const [hasBegun, setHasBegun] = useState(joining !== null && isJoining(joining));
  const input = useRef<HTMLInputElement>(null);
  const safe = useRef<HTMLButtonElement>(null);
  const shown = hasBegun ? (joining ?? BEGINS) : null;
  const state = shown?.state ?? 'link';
  useEffect(() => (state === 'link' ? input : safe).current?.focus(), [state]);
  async function connect(): Promise<void> {
    if (link.trim() === '') return;
    const answer = await starting.run({ link: link.trim() });
    if (answer.ok) setHasBegun(true);
    onChanged();
  }
  async function stop(): Promise<void> {
    const answer = await stopping.run({});
    onChanged();
    if (answer.ok) onClose();
  }
  function close(): void {
    // Seen here, so the page need not say it again.
    if (joining !== null && hasFailed(joining)) void stopping.run({}).then(onChanged);
    onClose();
  }
  const trouble = starting.problem ?? stopping.problem;
  return (
    <Dialog
      isOpen
      title={words.joinHeading}
      onClose={close}
      initialFocus={hasBegun ? safe : input}
      actions={
        <Actions
          state={state}
          safe={safe}
          isBusy={starting.isBusy || stopping.isBusy}
          hasLink={link.trim() !== ''}
          onConnect={() => void connect()}
          onStop={() => void stop()}
          onOtherLink={() => setHasBegun(false)}
          onClose={close}
        />
      }
    >
      {shown === null ? (
        <LinkForm input={input} link={link} onLink={setLink} onConnect={() => void connect()} />
      ) : (
        <div aria-live="polite">
          <Joining joining={shown} />
        </div>
      )}
      {trouble !== null && (
        <Note tone="plain" icon="warn" role="alert" title={trouble.message} className="dv-gap">
          {trouble.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

type JoinStep = JoiningView['state'] | 'link';

function Actions(props: {
  readonly state: JoinStep;
  readonly safe: RefObject<HTMLButtonElement | null>;
  readonly isBusy: boolean;
  readonly hasLink: boolean;
  readonly onConnect: () => void;
  readonly onStop: () => void;
  readonly onOtherLink: () => void;
  readonly onClose: () => void;
}) {
  const { state, safe, isBusy } = props;
  const [, navigate] = useLocation();
  switch (state) {
    case 'link':
      return (
        <>
          <Button onClick={props.onClose}>{words.cancel}</Button>
          <Button variant="primary" isDisabled={!props.hasLink || isBusy} onClick={props.onConnect}>
            {words.connect}
          </Button>
        </>
      );
    case 'connects':
    case 'compares':
      return (
        <Button ref={safe} isDisabled={isBusy} onClick={props.onStop}>
          {state === 'connects' ? words.cancel : words.stop}
        </Button>
      );
    case 'paired':
      return (
        <>
          <Button onClick={props.onClose}>{words.later}</Button>
          <Button ref={safe} variant="primary" onClick={() => navigate('/settings/right-to-act/hub')}>
            {nextText.joinedGo}
          </Button>
        </>
      );
    case 'refused':
    case 'failed':
      return (
        <Button ref={safe} onClick={props.onOtherLink}>
          {words.otherLink}
        </Button>
      );
    default:
      return state satisfies never;
  }
}

/** Where the link is pasted, and what pairing shares. */
function LinkForm(props: {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly link: string;
  readonly onLink: (link: string) => void;
  readonly onConnect: () => void;
}) {
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onConnect();
      }}
    >
      <FormField label={words.pasteLabel} help={words.pasteHelp}>
        {(described) => (
          <input
            {...described}
            ref={props.input}
            className="field mono"
            value={props.link}
            maxLength={LONGEST_LINK}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => props.onLink(event.target.value)}
          />
        )}
      </FormField>
      <Shared />
    </form>
  );
}

function Joining({ joining }: { readonly joining: JoiningView }) {
  const { hubName, state } = joining;
  switch (state) {
    case 'connects':
      return (
        <>
          <p>
            <VisibleText text={words.connecting(hubName)} />
          </p>
          <div className="hatch dv-wait" aria-hidden="true" />
        </>
      );
    case 'compares':
      return (
        <>
          <p className="strong ink">
            <VisibleText text={words.compareHere(hubName)} />
          </p>
          <SixWords words={joining.words} />
          <p>
            <VisibleText text={words.answerThere(hubName)} />
          </p>
          <p className="t12">{words.differWhy}</p>
        </>
      );
    case 'paired':
      return (
        <Note tone="plain" icon="s-done" title={visibleText(words.pairedWith(hubName))}>
          {words.pairedMore}
        </Note>
      );
    case 'refused':
    case 'failed':
      return (
        <Note
          tone={state === 'refused' ? 'safe' : 'plain'}
          icon={state === 'refused' ? 's-ref' : 'warn'}
          title={state === 'refused' ? words.refusedTitle : words.failedTitle}
        >
          <VisibleText text={`${joining.sentence} ${joining.wayOut}`.trim()} />
        </Note>
      );
    default:
      return state satisfies never;
  }
}
