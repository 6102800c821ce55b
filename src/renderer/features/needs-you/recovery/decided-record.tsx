import { useEffect, useRef, useState } from 'react';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/note.tsx';
import { relativeTime } from '../../../ui/time-words.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { actWords, choiceWords, text } from './strings.ts';

/** Who decided what and when; can be taken back as long as the host says so. */
export function DecidedRecord(props: {
  readonly view: RecoveryView;
  readonly decided: NonNullable<RecoveryView['decided']>;
  readonly said: string;
  readonly clock: (ms: number) => string;
  readonly nowMs: number;
  readonly onClose: () => void;
}) {
  const { view, decided } = props;
  const reopen = useAction('recovery.reopen');
  const [said, setSaid] = useState('');
  const record = useRef<HTMLDivElement>(null);
  // The answers are gone from under the focus: it goes to what they led to.
  useEffect(() => {
    if (document.activeElement === document.body) record.current?.focus();
  }, []);
  async function takeBack(): Promise<void> {
    const answer = await reopen.run({ attemptToken: view.attemptToken });
    if (!answer.ok) setSaid(`${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  return (
    <div className="rc-decided" ref={record} tabIndex={-1}>
      <Note tone="safe" icon="s-done">
        <output>
          {[props.said, said].map((sentence) => sentence !== '' && <span key={sentence}>{sentence} </span>)}
        </output>
        <b className="strong">
          {text.decided}: {choiceWords(decided.choice, actWords(view.tool).done)}
        </b>{' '}
        <VisibleText text={text.decidedBy(decided.by, whereWords(decided), whenWords(decided.atMs, props))} />{' '}
        {reopenWords(decided)}
      </Note>
      <div className="flex">
        <Button onClick={props.onClose}>{text.backToQueue}</Button>
        {decided.canReopen && (
          <Button isDisabled={reopen.isBusy} onClick={() => void takeBack()}>
            {text.reopen}
          </Button>
        )}
        <span className="t12 ink3">{text.record}</span>
      </div>
    </div>
  );
}

function whereWords({ isHere, deviceName }: NonNullable<RecoveryView['decided']>): string {
  if (isHere) return text.onThisDevice;
  return deviceName === null ? '' : text.onDevice(deviceName);
}

/** `12 s ago, at 07:40`. */
function whenWords(
  atMs: number,
  { clock, nowMs }: { readonly clock: (ms: number) => string; readonly nowMs: number },
): string {
  return `${relativeTime(atMs, nowMs)}, ${clock(atMs)}`;
}

function reopenWords(decided: NonNullable<RecoveryView['decided']>): string {
  if (!decided.canReopen) return text.cannotReopen;
  return decided.choice === 'stop-here' ? text.canReopenAnyTime : text.canReopen;
}
