import { useEffect, useRef, useState } from 'react';
import type { RecoveryChoice } from '../../../../shared/core/recovery/recovery-options.ts';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { evidenceMark } from './recovery-words.ts';
import { COUNTDOWN_SECONDS, text } from './strings.ts';
import { useCountdown } from './use-countdown.ts';

/** The decision while it is being made. Nothing of it is kept: closing the panel forgets it. */
export interface Decision {
  readonly choice: RecoveryChoice | null;
  readonly reason: string;
  readonly secondsLeft: number | null;
  readonly isConfirming: boolean;
  readonly isBusy: boolean;
  /** What the last press led to, in words. */
  readonly said: string;
  readonly choose: (choice: RecoveryChoice) => void;
  readonly setReason: (reason: string) => void;
  /** The primary button: records at once, or leads to the confirmation or the countdown. */
  readonly go: () => void;
  readonly confirm: () => void;
  readonly cancel: () => void;
}

/** Choosing, confirming, counting down and recording, bound to exactly what the person saw. */
export function useDecision(view: RecoveryView): Decision {
  const [choice, setChoice] = useState<RecoveryChoice | null>(null);
  const [reason, setReason] = useState('');
  const [isConfirming, setIsConfirming] = useState(false);
  const [said, setSaid] = useState('');
  const [recorded, setRecorded] = useState<RecoveryChoice | null>(null);
  // The record says the same from then on, also once it is reopened.
  const isTold = recorded !== null && view.decided?.choice === recorded;
  if (isTold) {
    setRecorded(null);
    setSaid('');
  }
  const resolve = useAction('recovery.resolve');
  const option = view.options.find((each) => each.choice === choice) ?? null;

  async function record(): Promise<void> {
    if (option === null) return;
    const { attemptToken, inputDigest, epoch } = view;
    const answer = await resolve.run({
      attemptToken,
      inputDigest,
      epoch,
      choice: option.choice,
      reason: reason.trim(),
    });
    setSaid(answer.ok ? answer.value.sentence : failureWords(answer.error));
    if (!answer.ok) return;
    setChoice(null);
    setRecorded(option.choice);
  }
  const countdown = useCountdown(() => void record());
  useStopOnChange(view, countdown.secondsLeft !== null, () => {
    countdown.cancel();
    setSaid(text.cancelledByEvidence);
  });

  function go(): void {
    setSaid('');
    if (option === null) return;
    if (option.sends === 'nothing') void record();
    else if (option.needsConfirmation) setIsConfirming(true);
    else countdown.start(COUNTDOWN_SECONDS);
  }
  return {
    choice: option?.choice ?? null,
    reason,
    secondsLeft: countdown.secondsLeft,
    isConfirming,
    isBusy: resolve.isBusy,
    said,
    choose: (next) => {
      setChoice(next);
      setSaid('');
    },
    setReason,
    go,
    confirm: () => {
      setIsConfirming(false);
      countdown.start(COUNTDOWN_SECONDS);
    },
    cancel: () => {
      if (countdown.secondsLeft !== null) setSaid(text.cancelled);
      setIsConfirming(false);
      countdown.cancel();
    },
  };
}

/** A countdown to a send ends when anything that it was started on changes. */
function useStopOnChange(view: RecoveryView, isCounting: boolean, stop: () => void): void {
  const mark = evidenceMark(view);
  const before = useRef(mark);
  useEffect(() => {
    if (before.current === mark) return;
    before.current = mark;
    if (isCounting) stop();
  });
}

function failureWords(failure: { readonly code: string; readonly message: string; readonly wayOut: string }): string {
  const isSaid = failure.code !== 'already-decided' || failure.message.startsWith('Already');
  return [isSaid ? '' : text.alreadyDecided, failure.message, failure.wayOut].filter((part) => part !== '').join(' ');
}
