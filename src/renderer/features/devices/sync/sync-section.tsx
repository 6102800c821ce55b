import { useRef, useState } from 'react';
import type { SyncDeviceRow, SyncView } from '../../../../shared/contract/sync-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { useQuery } from '../../../state/use-query.ts';
import { useRefetchEvery } from '../../../state/use-refetch-every.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icon-shapes.tsx';
import { Note } from '../../../ui/note.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { Conflicts } from './conflicts.tsx';
import { AnewDialog, LetGoDialog, StopDialog } from './leave-dialogs.tsx';
import { SetUpDialog } from './set-up-dialog.tsx';
import { emptyText, text } from './strings.ts';
import { CatchUp, SyncNotes } from './sync-notes.tsx';
import { SyncTable } from './sync-table.tsx';
import { WordsDialog } from './words-dialog.tsx';
import './sync.css';

/** What a relay tells changes without a commit here; while entries come in, the bar moves. */
const LOOK_EVERY_MS = 5_000;
const CATCH_UP_EVERY_MS = 1_000;

type Asked =
  | { readonly kind: 'set-up' | 'stop' | 'anew' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'let-go'; readonly device: SyncDeviceRow };

const looks: Readonly<Record<SyncView['state'], { readonly icon: IconName; readonly tone: string }>> = {
  off: { icon: 'sync', tone: '' },
  ready: { icon: 's-done', tone: 'ok' },
  'catching-up': { icon: 's-run', tone: 'run' },
  offline: { icon: 's-wait', tone: '' },
  trouble: { icon: 'warn', tone: 'you' },
};

/** How the shared record stands with every device, and what a person can do about it. */
export function SyncSection() {
  const query = useQuery('sync.get', {});
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const view = query.value;
  useRefetchEvery(query, view?.state === 'catching-up' ? CATCH_UP_EVERY_MS : LOOK_EVERY_MS);
  const ask = (next: Asked): void => {
    setSaid('');
    setAsked(next);
  };
  const done = (sentence: string): void => {
    setSaid(sentence);
    setAsked(null);
    query.refetch();
    // The button that was pressed may be gone.
    heading.current?.focus();
  };
  return (
    <section className="sy-section" aria-labelledby="sy-title">
      <header className="sy-head">
        <h2 id="sy-title" ref={heading} tabIndex={-1}>
          {text.title}
        </h2>
        {view !== null && view.relay !== null && (
          <Facts view={view} onDone={done} onStop={() => ask({ kind: 'stop' })} />
        )}
      </header>
      <output className="t12 ink2 sy-said">
        <VisibleText text={said} />
      </output>
      {view === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null && (
        <>
          {view.state === 'off' ? <Off view={view} onSetUp={() => ask({ kind: 'set-up' })} /> : <Lede view={view} />}
          {view.catchUp !== null && <CatchUp catchUp={view.catchUp} />}
          <SyncNotes
            view={view}
            onLetGo={(device) => ask({ kind: 'let-go', device })}
            onNewIdentity={() => ask({ kind: 'anew' })}
            onShowWords={() => ask({ kind: 'words', words: [] })}
            onDone={done}
          />
          {view.devices.length > 0 && (
            <SyncTable devices={view.devices} onLetGo={(device) => ask({ kind: 'let-go', device })} />
          )}
          <Conflicts conflicts={view.conflicts} />
        </>
      )}
      {view !== null && asked !== null && (
        <Asking
          asked={asked}
          view={view}
          onWords={(words) => {
            query.refetch();
            setAsked({ kind: 'words', words });
          }}
          onClose={() => {
            setAsked(null);
            query.refetch();
          }}
          onDone={done}
        />
      )}
    </section>
  );
}

function Facts(props: {
  readonly view: SyncView;
  readonly onDone: (sentence: string) => void;
  readonly onStop: () => void;
}) {
  const { view } = props;
  const syncing = useAction('sync.now');
  async function go(): Promise<void> {
    const answer = await syncing.run({});
    if (answer.ok) props.onDone(answer.value.sentence);
  }
  return (
    <>
      <span className="t12 ink3 sy-carrier">
        <Icon name="lock" size="small" />
        <VisibleText text={text.through(view.relay?.name ?? '')} />
      </span>
      <span className="t12 ink3 nw" title={text.commonHelp}>
        {text.common} <span className="mono ink2">{view.spaceName}</span>
      </span>
      <span className="right flex">
        <Button icon="sync" size="small" isDisabled={syncing.isBusy} onClick={() => void go()}>
          {text.syncNow}
        </Button>
        <Button size="small" variant="quiet" onClick={props.onStop}>
          {text.stop}
        </Button>
      </span>
      {syncing.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={syncing.problem.message} className="sy-whole">
          {syncing.problem.wayOut}
        </Note>
      )}
    </>
  );
}

function Lede({ view }: { readonly view: SyncView }) {
  const look = looks[view.state];
  return (
    <div className="sy-lede">
      <span className={`st ${look.tone}`}>
        <Icon name={look.icon} />
      </span>
      <p aria-live="polite" className="strong grow">
        <VisibleText text={view.sentence} />
      </p>
      <span className="t12 ink3 nw">
        {view.syncedAtMs === null ? (
          text.notYet
        ) : (
          <>
            {text.synced} <Time atMs={view.syncedAtMs} format="relative" />
          </>
        )}
      </span>
    </div>
  );
}

/** Nothing is shared: what sharing would bring, and the way to it. */
function Off({ view, onSetUp }: { readonly view: SyncView; readonly onSetUp: () => void }) {
  return (
    <div className="sy-off">
      <span className="dv-mark">
        <Icon name="sync" />
      </span>
      <div>
        <h3 className="strong">{emptyText.title}</h3>
        <p className="ink2">
          <VisibleText text={view.sentence} /> {emptyText.more}
        </p>
        <Button onClick={onSetUp}>{emptyText.begin}</Button>
      </div>
    </div>
  );
}

function Asking(props: {
  readonly asked: Asked;
  readonly view: SyncView;
  readonly onWords: (words: readonly string[]) => void;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { asked, onClose, onDone } = props;
  switch (asked.kind) {
    case 'set-up':
      return <SetUpDialog onClose={onClose} onWords={props.onWords} onDone={onDone} />;
    case 'words':
      return <WordsDialog words={asked.words} onClose={onClose} onDone={onDone} />;
    case 'let-go':
      return <LetGoDialog device={asked.device} onClose={onClose} onDone={onDone} />;
    case 'anew':
      return <AnewDialog onClose={onClose} onDone={onDone} />;
    case 'stop':
      return <StopDialog hasWords={props.view.hasWords} onClose={onClose} onDone={onDone} />;
    default:
      return asked satisfies never;
  }
}
