import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import type { InvitationView } from '../../../shared/contract/coordinator-views.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/note.tsx';
import { countdown } from '../../ui/time-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { inviteStep, qrDrawing, shortName } from './devices-model.ts';
import type { InviteStep } from './devices-model.ts';
import { Shared, SixWords } from './six-words.tsx';
import { pairText as words, text } from './strings.ts';

/** Pairs a device from the hub's side: the link, then the six words, then what became of it. Closing decides nothing. */
export function InviteDialog(props: {
  readonly invitation: InvitationView | null;
  /** Why no link could be made. */
  readonly problem: Problem | null;
  readonly onAgain: () => void;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { invitation, problem, onChanged, onClose } = props;
  const answering = useAction('devices.answer');
  const cancelling = useAction('devices.cancelInvite');
  const safe = useRef<HTMLButtonElement>(null);
  const step = inviteStep(invitation, useNow(1_000));
  // Whoever waits with the keyboard is taken to the safe answer as soon as there is a question.
  useEffect(() => {
    if (step !== 'making') safe.current?.focus();
  }, [step]);
  async function answer(isAllowed: boolean): Promise<void> {
    if (invitation === null) return;
    await answering.run({ invitationId: invitation.invitationId, isAllowed });
    onChanged();
  }
  async function cancelLink(): Promise<void> {
    const cancelled = await cancelling.run({});
    onChanged();
    if (cancelled.ok) onClose();
  }
  const trouble = answering.problem ?? cancelling.problem ?? (step === 'making' ? problem : null);
  return (
    <Dialog
      isOpen
      title={words.heading}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <Actions
          step={step}
          name={shortName(invitation?.deviceName ?? '')}
          isBusy={answering.isBusy || cancelling.isBusy}
          hasTrouble={trouble !== null}
          safe={safe}
          onAnswer={(isAllowed) => void answer(isAllowed)}
          onCancelLink={() => void cancelLink()}
          onAgain={props.onAgain}
          onClose={onClose}
        />
      }
    >
      <div aria-live="polite">
        {step === 'making' && trouble === null && <p>{words.making}</p>}
        {invitation !== null && <Step step={step} invitation={invitation} />}
      </div>
      {trouble !== null && (
        <Note tone="plain" icon="warn" role="alert" title={trouble.message} className="dv-gap">
          {trouble.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

function Step({ step, invitation }: { readonly step: InviteStep; readonly invitation: InvitationView }): ReactNode {
  switch (step) {
    case 'making':
      return null;
    case 'open':
      return <OpenLink invitation={invitation} />;
    case 'asks':
      return (
        <>
          <p className="ink">
            <bdi className="strong">
              <VisibleText text={words.asks(invitation.deviceName)} />
            </bdi>{' '}
            {words.question}
          </p>
          <SixWords words={invitation.words} />
          <p className="t12">{words.differWhy}</p>
          <Shared />
        </>
      );
    case 'allowed':
      return (
        <Note tone="plain" icon="s-done" title={visibleText(words.allowed(invitation.deviceName))}>
          {words.allowedMore}
        </Note>
      );
    case 'refused':
    case 'expired':
      return (
        <Note tone="safe" title={step === 'refused' ? words.refusedTitle : words.expiredTitle}>
          <VisibleText text={step === 'refused' ? invitation.sentence : ''} />
        </Note>
      );
    default:
      return step satisfies never;
  }
}

function OpenLink({ invitation }: { readonly invitation: InvitationView }) {
  const left = invitation.expiresAtMs - useNow(1_000);
  const drawing = qrDrawing(invitation.qr);
  return (
    <div className="dv-link">
      {drawing !== null && (
        <svg
          className="dv-qr"
          viewBox={`0 0 ${drawing.size} ${drawing.size}`}
          role="img"
          aria-label={words.qr}
          shapeRendering="crispEdges"
        >
          <rect width={drawing.size} height={drawing.size} fill="#fff" />
          <path d={drawing.path} fill="#000" />
        </svg>
      )}
      <div className="grow">
        <p>{words.scan}</p>
        <p className="num ink dv-left">{words.left(countdown(left))}</p>
        <div className="dv-url">
          <code className="mono">
            <VisibleText text={invitation.link} />
          </code>
        </div>
        <CopyButton label={words.copyLink} content={invitation.link} />
      </div>
      <div className="dv-full">
        <Shared />
        <p className="t12 ink3 dv-gap">{words.closeKeeps}</p>
      </div>
    </div>
  );
}

function Actions(props: {
  readonly step: InviteStep;
  readonly name: string;
  readonly isBusy: boolean;
  readonly hasTrouble: boolean;
  readonly safe: RefObject<HTMLButtonElement | null>;
  readonly onAnswer: (isAllowed: boolean) => void;
  readonly onCancelLink: () => void;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}) {
  const { step, safe, isBusy } = props;
  if (step === 'asks') {
    return (
      <>
        <Button ref={safe} isDisabled={isBusy} onClick={() => props.onAnswer(false)}>
          {words.differ}
        </Button>
        <Button variant="primary" isDisabled={isBusy} onClick={() => props.onAnswer(true)}>
          {words.same(props.name)}
        </Button>
      </>
    );
  }
  const canAgain = step === 'expired' || step === 'refused' || (step === 'making' && props.hasTrouble);
  return (
    <>
      {step === 'open' && (
        <Button isDisabled={isBusy} onClick={props.onCancelLink}>
          {words.cancelLink}
        </Button>
      )}
      <Button ref={safe} onClick={props.onClose}>
        {text.close}
      </Button>
      {canAgain && (
        <Button variant="primary" onClick={props.onAgain}>
          {step === 'making' ? text.again : words.newLink}
        </Button>
      )}
    </>
  );
}
