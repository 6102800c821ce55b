import { useState } from 'react';
import type { WaitView } from '../../../../shared/contract/decision-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { relativeTime } from '../../../ui/time-words.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** Waiting for the device that may hold an answer: no decision, and it can be taken back at any time. */
export function WaitCard(props: {
  readonly attemptToken: string;
  readonly wait: WaitView;
  readonly clock: (ms: number) => string;
  readonly nowMs: number;
}) {
  const { attemptToken, wait, clock, nowMs } = props;
  const begin = useAction('recovery.wait');
  const takeBack = useAction('recovery.stopWaiting');
  const [said, setSaid] = useState('');
  // What was done is seen from the heading; only what was not done takes place on the screen.
  const [isSeen, setIsSeen] = useState(false);
  const isWaiting = wait.state === 'waiting';
  async function press(): Promise<void> {
    setSaid('');
    const answer = await (isWaiting ? takeBack : begin).run({ attemptToken });
    setIsSeen(!answer.ok);
    setSaid(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`.trim());
  }
  const seen =
    wait.lastSeenAtMs === null
      ? text.neverSeen
      : text.lastSeen(clock(wait.lastSeenAtMs), relativeTime(wait.lastSeenAtMs, nowMs));
  return (
    <div>
      <Icon name={wait.state === 'over' ? 'info' : 's-wait'} />
      <p className="grow">
        <b>
          <VisibleText text={headingOf(wait, clock)} />
        </b>
        <br />
        <span className="t12 ink2">
          <VisibleText text={wait.state === 'over' ? wait.sentence : isWaiting ? text.waitingWhy : text.waitWhy} />{' '}
          {wait.state !== 'over' && seen}
        </span>
        <output className={isSeen ? 't12' : 'sr-only'}>
          {isSeen && <br />}
          <VisibleText text={said} />
        </output>
      </p>
      {wait.state !== 'over' && (
        <Button size="small" isDisabled={begin.isBusy || takeBack.isBusy} onClick={() => void press()}>
          {isWaiting ? text.stopWaiting : text.wait}
        </Button>
      )}
    </div>
  );
}

function headingOf(wait: WaitView, clock: (ms: number) => string): string {
  if (wait.state === 'offered' || wait.sinceMs === null) return text.waitFor(wait.deviceName);
  const since = clock(wait.sinceMs);
  return wait.state === 'waiting' ? text.waitingFor(wait.deviceName, since) : text.waitedFor(wait.deviceName, since);
}
