import { useRef, useState } from 'react';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { IconName } from '../../ui/icon-shapes.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { AuthoriseDialog } from './authorise-dialog.tsx';
import { ExactPermissionDialog } from './exact-permission.tsx';
import { StandingList } from './standing-list.tsx';
import { text } from './strings.ts';

type Asks = AgentDetailView['asks'];

const ICONS: Readonly<Record<string, IconName>> = {
  shell: 'terminal',
  program: 'terminal',
  terminal: 'terminal',
  file: 'file',
  folder: 'file',
  http: 'globe',
  host: 'globe',
  globe: 'globe',
  mail: 'mail',
};

/** What an agent asks for, each with a badge that says whether it can be undone. */
export function AskList({ asks }: { readonly asks: Asks }) {
  if (asks.length === 0) return <p className="t12 ink2">{text.asksNothing}</p>;
  return (
    <ul className="ag-asks" aria-label={text.asksHeading}>
      {asks.map((ask) => (
        <li key={ask.sentence}>
          <Icon name={ICONS[ask.icon] ?? 'hand'} />
          <span>
            <VisibleText text={ask.sentence} />
          </span>
          {ask.badge !== '' && <Badge>{ask.badge}</Badge>}
        </li>
      ))}
    </ul>
  );
}

/** The permission column: what it asks for, what was given, and the way to give or take it. */
export function AgentPermission({
  view,
  when,
}: {
  readonly view: AgentDetailView;
  readonly when: (ms: number) => string;
}) {
  const [open, setOpen] = useState<'exact' | 'authorise' | 'revoke' | null>(null);
  const { grant } = view;
  const isValid = grant !== null && grant.isInForce;
  const close = () => setOpen(null);
  return (
    <section className="ag-perm" aria-labelledby="ag-perm">
      <h3>
        <Icon name="hand" />
        <span id="ag-perm">{text.permission}</span>
      </h3>
      {grant === null || !isValid ? (
        <Note tone="needs" icon="lock">
          <b className="strong">{text.needsPermission}.</b> {grant === null ? text.notGiven : whyNot(grant, when)}
        </Note>
      ) : (
        <p>
          {text.given(when(grant.givenAtMs), grant.by)}{' '}
          {text.holds(grant.devices, grant.expiresAtMs === null ? null : when(grant.expiresAtMs))}
        </p>
      )}
      {/* What is waited for stands where it is seen without scrolling; what takes something away stands last. */}
      {isValid && <AskList asks={view.asks} />}
      <div className="acts">
        <Button size="small" onClick={() => setOpen('exact')}>
          {text.seeExactly}
        </Button>
        <span className="t12 ink3 grow">{isValid ? text.used(grant.used) : ''}</span>
        {isValid ? (
          <Button size="small" variant="danger" onClick={() => setOpen('revoke')}>
            {text.revoke}
          </Button>
        ) : (
          <Button size="small" variant="primary" onClick={() => setOpen('authorise')}>
            {text.authorise}
          </Button>
        )}
      </div>
      {!isValid && <AskList asks={view.asks} />}
      <StandingList standing={view.standing} when={when} />
      {open === 'exact' && <ExactPermissionDialog view={view} onClose={close} />}
      {open === 'authorise' && <AuthoriseDialog view={view} onClose={close} />}
      {open === 'revoke' && <RevokeDialog view={view} onClose={close} />}
    </section>
  );
}

function whyNot(grant: NonNullable<AgentDetailView['grant']>, when: (ms: number) => string): string {
  return grant.isForThisRevision ? text.notInForce(grant.whyNot) : text.givenForOther(when(grant.givenAtMs), grant.by);
}

function RevokeDialog({ view, onClose }: { readonly view: AgentDetailView; readonly onClose: () => void }) {
  const safe = useRef<HTMLButtonElement>(null);
  const revoke = useAction('agents.revoke');
  const [said, setSaid] = useState('');
  async function go(): Promise<void> {
    const answer = await revoke.run({ agentId: view.agent.agentId });
    if (answer.ok) onClose();
    else setSaid(`${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  return (
    <Dialog
      isOpen
      role="alertdialog"
      initialFocus={safe}
      title={text.revokeHeading(view.agent.name)}
      onClose={onClose}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.keep}
          </Button>
          <Button variant="danger" isDisabled={revoke.isBusy} onClick={() => void go()}>
            {text.revokeGo}
          </Button>
        </>
      }
    >
      <p>{text.revokeWhy}</p>
      <output>{said}</output>
    </Dialog>
  );
}
