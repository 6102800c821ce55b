import { useState } from 'react';
import { useLocation } from 'wouter';
import type { CoordinatorView } from '../../../../shared/contract/coordinator-views.ts';
import { useQuery } from '../../../state/use-query.ts';
import { useRefetchEvery } from '../../../state/use-refetch-every.ts';
import { Button } from '../../../ui/button.tsx';
import { Disclosure } from '../../../ui/disclosure.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Note } from '../../../ui/note.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { CopyValue } from '../copy-value.tsx';
import { Fact, Section } from '../section.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { HubPart } from './hub-part.tsx';
import { MoveProgress } from './move-progress.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { restoreText, text } from './strings.ts';
import './coordinator.css';

/** Whether it answers changes without a notice; a move is watched closely. */
const LOOK_EVERY_MS = 10_000;
const MOVING_EVERY_MS = 1_000;

type Open = 'change' | 'restore' | 'hub-start' | 'hub-stop' | null;

/** Where the right to act is kept: how that stands, the hub on this device, and the guided way to another place. */
export function CoordinatorSection({ part, choice }: { readonly part: string; readonly choice: string }) {
  const query = useQuery('coordinator.get', {});
  const [open, setOpen] = useState<Open>(null);
  const [said, setSaid] = useState('');
  const [, navigate] = useLocation();
  const view = query.value;
  useRefetchEvery(query, view?.move?.state === 'running' ? MOVING_EVERY_MS : LOOK_EVERY_MS);
  // A link from the devices opens its dialog at once; closing it leads back there, where the next step is said.
  const shown = open ?? (part === 'right-to-act' ? 'change' : part === 'hub' ? 'hub-start' : null);
  const close = (): void => {
    setOpen(null);
    if (part !== '') navigate('/devices', { replace: true });
  };
  const done = (sentence: string): void => {
    setSaid(sentence);
    close();
    query.refetch();
  };
  if (view === null) {
    return (
      <Section title={text.title} lede={text.lede}>
        {query.problem !== null && <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />}
      </Section>
    );
  }
  return (
    <Section title={text.title} lede={text.lede}>
      <Standing view={view} onOpen={setOpen} />
      <output className="t12 ink2 co-said">
        <VisibleText text={said} />
      </output>
      {view.move !== null && <MoveProgress move={view.move} isInline onChanged={query.refetch} />}
      <HubPart view={view} asked={shown} onAsk={setOpen} onClose={close} onDone={done} />
      <Ids view={view} />
      {shown === 'change' && (
        <ChangeDialog
          key={choice}
          view={view}
          asked={part === 'right-to-act' ? choice : ''}
          onChanged={query.refetch}
          onClose={close}
        />
      )}
      {shown === 'restore' && <RestoreDialog onClose={close} onDone={done} />}
    </Section>
  );
}

function Standing({ view, onOpen }: { readonly view: CoordinatorView; readonly onOpen: (open: Open) => void }) {
  const isReady = view.state === 'ready';
  return (
    <>
      <Fact label={text.place}>
        <span className="co-place">
          <span className="medium">
            <VisibleText text={view.name} />
          </span>
          <span className={isReady ? 'st ok' : 'st you'}>
            <Icon name={isReady ? 's-done' : 'warn'} size="small" />
            {text.states[view.state]}
            {isReady && view.answeredMs !== null && ` ${text.answeredIn(view.answeredMs)}`}
          </span>
          {view.move?.state !== 'running' && (
            <span className="right">
              <Button onClick={() => onOpen('change')}>{text.change}</Button>
            </span>
          )}
        </span>
        <span className="t12 ink3 se-help">
          <VisibleText text={view.sentence} />
        </span>
      </Fact>
      {view.warning !== '' && (
        <Note tone="plain" icon="warn">
          <VisibleText text={view.warning} />
        </Note>
      )}
      {view.canConfirmRestore && (
        <Note tone="needs" icon="warn" className="co-note">
          <span className="grow">{restoreText.note}</span>
          <Button size="small" onClick={() => onOpen('restore')}>
            {restoreText.open}
          </Button>
        </Note>
      )}
    </>
  );
}

function Ids({ view }: { readonly view: CoordinatorView }) {
  const { pairedHub } = view;
  return (
    <Disclosure label={text.numbers}>
      <dl className="facts t12">
        <dt>{text.identity}</dt>
        <dd className="mono">{view.coordinatorId === '' ? text.none : <VisibleText text={view.coordinatorId} />}</dd>
        <dt>{text.incarnation}</dt>
        <dd className="mono">{view.incarnation === '' ? text.none : <VisibleText text={view.incarnation} />}</dd>
        {pairedHub !== null && (
          <>
            <dt>{text.pairedHub}</dt>
            <dd>
              <VisibleText text={pairedHub.name} />
            </dd>
            <dt>{text.hubAddresses}</dt>
            <dd className="mono">
              <VisibleText text={pairedHub.addresses.join(', ')} />
            </dd>
            <dt>{text.hubFingerprint}</dt>
            <dd>
              <CopyValue value={pairedHub.fingerprint} />
            </dd>
          </>
        )}
      </dl>
    </Disclosure>
  );
}
