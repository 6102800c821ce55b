import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ApprovalView } from '../../../../shared/contract/decision-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Note } from '../../../ui/note.tsx';
import { useShortcuts } from '../../../ui/use-shortcuts.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { AllowLikeDialog } from './allow-like-dialog.tsx';
import { ApprovalPayload } from './approval-payload.tsx';
import { effectWords, text } from './strings.ts';

export interface ApprovalClock {
  readonly clock: (ms: number) => string;
  readonly left: string;
}

/** One question before anything leaves. The safe button has the focus; closing decides nothing. */
export function ApprovalCard(props: {
  readonly view: ApprovalView;
  readonly words: ApprovalClock;
  readonly onClose: () => void;
}) {
  const { view } = props;
  const [reason, setReason] = useState('');
  const [isLike, setIsLike] = useState(false);
  const decide = useDecide(view, reason);
  return (
    <>
      <div className="nq-scroll">
        <CardHeader view={view} onClose={props.onClose} />
        {view.state !== 'open' && <ApprovalRecord view={view} said={decide.said} clock={props.words.clock} />}
        <ApprovalPayload view={view} />
        <ApprovalFacts view={view} words={props.words} />
        {view.state === 'open' && (
          <input
            className="nq-input ap-reason"
            aria-label={text.reason}
            placeholder={text.reason}
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </div>
      {view.state === 'open' ? (
        <DecideFooter
          isBusy={decide.isBusy}
          said={decide.said}
          onDecide={decide.decide}
          onLike={() => setIsLike(true)}
        />
      ) : (
        <footer className="nq-acts">
          <Button onClick={props.onClose}>{text.backToQueue}</Button>
        </footer>
      )}
      {isLike && view.state === 'open' && (
        <AllowLikeDialog view={view} reason={reason.trim()} onClose={() => setIsLike(false)} />
      )}
    </>
  );
}

function useDecide(view: ApprovalView, reason: string) {
  const action = useAction('approval.decide');
  const [said, setSaid] = useState('');
  async function decide(isAllowed: boolean): Promise<void> {
    const { approvalId, inputDigest } = view;
    const answer = await action.run({ approvalId, inputDigest, isAllowed, reason: reason.trim() });
    if (answer.ok) {
      setSaid('');
      return;
    }
    const { code, message, wayOut } = answer.error;
    const isSaid = code !== 'already-decided' || message.startsWith('Already decided');
    setSaid([isSaid ? '' : text.alreadyDecided, message, wayOut].filter((part) => part !== '').join(' '));
  }
  return { said, isBusy: action.isBusy, decide: (isAllowed: boolean) => void decide(isAllowed) };
}

function CardHeader({ view, onClose }: { readonly view: ApprovalView; readonly onClose: () => void }) {
  const words = effectWords(view.effectKind);
  return (
    <header>
      <div className="ap-top">
        <span className={view.state === 'open' ? 'st you' : 'st'}>
          <Icon name={view.state === 'open' ? 's-approve' : 'hand'} />
          {view.state === 'open' ? text.state : text.settled}
        </span>
        <Badge tone={words.isSafe ? 'safe' : 'plain'}>{words.badge}</Badge>
        <span className="right t12 nw">
          <Link href={`/runs/${encodeURIComponent(view.run.runId)}`}>
            {text.run(view.run.agentName, String(view.run.number).padStart(4, '0'))}
          </Link>
        </span>
        <Button variant="quiet" size="small" icon="x" label={text.close} onClick={onClose} />
      </div>
      <h2 id="approval-heading">
        <VisibleText text={view.question === '' ? `${view.title} ${view.target}` : view.question} />
      </h2>
      <p className="ap-lead">
        {view.state === 'open' && (
          <>
            {text.lead}
            <b>{view.deviceName}</b>
            {text.leadEnd}
          </>
        )}
      </p>
    </header>
  );
}

function ApprovalFacts({ view, words }: { readonly view: ApprovalView; readonly words: ApprovalClock }) {
  return (
    <dl className="facts ap-facts">
      <dt>{text.actsOn}</dt>
      <dd>
        {view.deviceName}. {text.actsOnMore}
      </dd>
      <dt>{text.undo}</dt>
      <dd>{effectWords(view.effectKind).undo}</dd>
      <dt>{text.why}</dt>
      <dd>
        <VisibleText text={view.why} />
      </dd>
      {view.state === 'open' && (
        <>
          <dt>{text.ifNobody}</dt>
          <dd>{text.expiry(words.clock(view.expiresAtMs), words.left)}</dd>
        </>
      )}
      <dt>{text.fingerprint}</dt>
      <dd className="mono ap-print">{view.inputDigest}</dd>
    </dl>
  );
}

/** Who answered and when; stays after the answer, also when another device gave it. */
function ApprovalRecord(props: {
  readonly view: ApprovalView;
  readonly said: string;
  readonly clock: (ms: number) => string;
}) {
  const { view } = props;
  const record = useRef<HTMLDivElement>(null);
  useEffect(() => record.current?.focus(), []);
  if (view.state === 'open') return null;
  return (
    <div className="ap-record" ref={record} tabIndex={-1}>
      <Note tone="safe" icon={view.state === 'allowed' ? 's-done' : 's-ref'}>
        {props.said !== '' && <>{props.said} </>}
        <b className="strong">{text.outcome[view.state]}</b>
        {view.staleWhy !== '' && <> {view.staleWhy}.</>}
        {view.decided !== null && (
          <>
            {' '}
            <VisibleText text={text.by(view.decided.by, view.decided.deviceName, props.clock(view.decided.atMs))} />
            {view.decided.reason !== '' && (
              <>
                {' '}
                <VisibleText text={text.because(view.decided.reason)} />
              </>
            )}
          </>
        )}
      </Note>
    </div>
  );
}

function DecideFooter(props: {
  readonly isBusy: boolean;
  readonly said: string;
  readonly onDecide: (isAllowed: boolean) => void;
  readonly onLike: () => void;
}) {
  const deny = useRef<HTMLButtonElement>(null);
  const allow = useRef<HTMLButtonElement>(null);
  // The safe answer has the focus first; the keys a and d move the focus, they never press.
  useEffect(() => deny.current?.focus(), []);
  useShortcuts({ 'focus-allow': () => allow.current?.focus(), 'focus-deny': () => deny.current?.focus() });
  return (
    <footer className="nq-acts">
      <Button ref={deny} isDisabled={props.isBusy} onClick={() => props.onDecide(false)}>
        {text.deny}
      </Button>
      <output className="ink3 t12 grow">{props.said === '' ? text.closing : props.said}</output>
      <span className="nq-keys">
        <kbd>a</kbd>
        <kbd>d</kbd>
        {text.keys}
      </span>
      <Button isDisabled={props.isBusy} onClick={props.onLike}>
        {text.like}
      </Button>
      <Button ref={allow} variant="primary" isDisabled={props.isBusy} onClick={() => props.onDecide(true)}>
        {text.allow}
      </Button>
    </footer>
  );
}
