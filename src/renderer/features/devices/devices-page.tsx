import { useRef, useState } from 'react';
import type { DeviceRow as Device, DevicesView } from '../../../shared/contract/coordinator-views.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import type { Query } from '../../state/use-query.ts';
import { useRefetchEvery } from '../../state/use-refetch-every.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Alone, NextNote, PairingNotes, ServerKeeps } from './device-notes.tsx';
import { DeviceRow } from './device-row.tsx';
import { isPairingUnderWay } from './devices-model.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { JoinDialog } from './join-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { text } from './strings.ts';
import { SyncSection } from './sync/sync-section.tsx';
import './devices.css';

/** Whether a device is there changes without a notice. */
const LOOK_EVERY_MS = 10_000;
/** While two people compare words, each waits for the other. */
const PAIRING_EVERY_MS = 1_000;

type Asked = { readonly kind: 'invite' | 'join' } | { readonly kind: 'rename' | 'remove'; readonly device: Device };

const columns = [
  { label: text.device },
  { label: text.now },
  { label: text.rights },
  { label: text.paired },
  { label: text.acts },
];

/** The devices that share the right to act, and how one more is added. */
export function DevicesPage() {
  const query = useQuery('devices.list', {});
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const view = query.value;
  const invite = useAction('devices.invite');
  const nowMs = useNow(1_000);
  const isPairing = view !== null && isPairingUnderWay(view, nowMs);
  const isOpen = asked?.kind === 'invite' || asked?.kind === 'join';
  useRefetchEvery(query, isOpen || isPairing ? PAIRING_EVERY_MS : LOOK_EVERY_MS);
  async function makeLink(): Promise<void> {
    await invite.run({});
    query.refetch();
  }
  const act = (kind: 'invite' | 'join', isNew: boolean): void => {
    setSaid('');
    setAsked({ kind });
    if (kind === 'invite' && isNew) void makeLink();
  };
  const done = (sentence: string): void => {
    setSaid(sentence);
    setAsked(null);
    query.refetch();
    // The button that was pressed may be gone with its row.
    heading.current?.focus();
  };
  return (
    <div className="page">
      <header className="top">
        <h1 ref={heading} tabIndex={-1}>
          {text.title}
        </h1>
        {view !== null && view.devices.length > 0 && <span className="ink3">{text.count(view.devices.length)}</span>}
        {view !== null && <PageActions kind={view.kind} onAct={(kind) => act(kind, true)} />}
      </header>
      {view === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null && (
        <div className="scroll grow">
          <div className="dv-lede">
            <p>
              <VisibleText text={view.sentence} />
            </p>
            <output className="t12 ink2">
              <VisibleText text={said} />
            </output>
          </div>
          {!isOpen && <PairingNotes view={view} onShow={(kind) => act(kind, false)} onChanged={query.refetch} />}
          <NextNote view={view} />
          <Devices view={view} onAsk={setAsked} />
          {view.kind === 'none' && <Alone onJoin={() => act('join', true)} />}
          {view.kind === 'server' && <ServerKeeps />}
          <SyncSection />
        </div>
      )}
      {view !== null && asked !== null && (
        <Asking
          asked={asked}
          query={query}
          view={view}
          invite={{ problem: invite.problem, again: () => void makeLink() }}
          onClose={() => setAsked(null)}
          onDone={done}
        />
      )}
    </div>
  );
}

function PageActions(props: { readonly kind: DevicesView['kind']; readonly onAct: (kind: 'invite' | 'join') => void }) {
  if (props.kind !== 'hub-here') return null;
  return (
    <span className="right">
      <Button variant="primary" icon="plus" onClick={() => props.onAct('invite')}>
        {text.pair}
      </Button>
    </span>
  );
}

function Devices({ view, onAsk }: { readonly view: DevicesView; readonly onAsk: (asked: Asked) => void }) {
  if (view.devices.length === 0) return null;
  return (
    <Table label={text.title} className="dv-table" columns={columns} rowCount={view.devices.length + 1}>
      {view.devices.map((device, index) => (
        <DeviceRow
          key={device.deviceId}
          device={device}
          index={index + 2}
          onRename={() => onAsk({ kind: 'rename', device })}
          onRemove={() => onAsk({ kind: 'remove', device })}
        />
      ))}
    </Table>
  );
}

function Asking(props: {
  readonly asked: Asked;
  readonly query: Query<'devices.list'>;
  readonly view: DevicesView;
  readonly invite: { readonly problem: Query<'devices.list'>['problem']; readonly again: () => void };
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const { asked, view, query, onClose, onDone } = props;
  switch (asked.kind) {
    case 'invite':
      return (
        <InviteDialog
          invitation={view.invitation}
          problem={props.invite.problem}
          onAgain={props.invite.again}
          onChanged={query.refetch}
          onClose={onClose}
        />
      );
    case 'join':
      return <JoinDialog joining={view.joining} onChanged={query.refetch} onClose={onClose} />;
    case 'rename':
      return <RenameDialog device={asked.device} onClose={onClose} onDone={onDone} />;
    case 'remove':
      return <RemoveDialog device={asked.device} onClose={onClose} onDone={onDone} />;
    default:
      return asked satisfies never;
  }
}
