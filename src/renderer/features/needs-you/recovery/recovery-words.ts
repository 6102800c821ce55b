import { assertNever } from '../../../../shared/lib/assert-never.ts';
import type { RecoveryChoice } from '../../../../shared/core/recovery/recovery-options.ts';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { actWords, COUNTDOWN_SECONDS, text } from './strings.ts';

type Option = RecoveryView['options'][number];

/** One row of the table of answers. `warning` is the part of `happens` that must not be overlooked. */
export interface AnswerWords {
  readonly choice: RecoveryChoice;
  readonly title: string;
  readonly happens: string;
  readonly warning: string;
  readonly sends: string;
  readonly reopen: string;
  /** The part of `reopen` that must not be overlooked. */
  readonly reopenWarning: string;
  readonly button: string;
  readonly isSuggested: boolean;
  readonly isSending: boolean;
  readonly needsConfirmation: boolean;
}

/** What the options in a view say to a person. Everything comes from the option; nothing is decided here. */
export function answerWords(view: RecoveryView, clock: (ms: number) => string, nowMs: number): readonly AnswerWords[] {
  return view.options.map((option) => ({
    choice: option.choice,
    title: titleOf(option.choice, view.tool),
    ...happensOf(option, view, { clock, nowMs }),
    sends: sendsOf(option, view.tool),
    reopen: reopenOf(option, view),
    reopenWarning: option.reopen === 'never' ? text.noUndo : '',
    button: buttonOf(option.choice, view),
    isSuggested: option.isSuggested,
    isSending: option.sends !== 'nothing',
    needsConfirmation: option.needsConfirmation,
  }));
}

/** Evidence that was not there when the panel was opened. */
export function newEvidence(seenSeqs: ReadonlySet<number>, known: RecoveryView['known']): ReadonlySet<number> {
  return new Set(known.filter((row) => !seenSeqs.has(row.seq)).map((row) => row.seq));
}

/** What a countdown must stop for: anything that changes what the person is deciding on. */
export function evidenceMark(view: RecoveryView): string {
  const last = view.known.reduce((seq, row) => Math.max(seq, row.seq), 0);
  return [view.inputDigest, view.epoch, last, view.lateEvidence ?? '', view.decided === null].join('|');
}

function titleOf(choice: RecoveryChoice, tool: string): string {
  const words = actWords(tool);
  switch (choice) {
    case 'it-happened':
      return `It was ${words.done}: carry on`;
    case 'send-again':
      return `It wasn’t ${words.done}: ${words.again}`;
    case 'undo-then-send':
      return `Undo it first, then ${words.again}`;
    case 'stop-here':
      return 'Stop here';
    default:
      return assertNever(choice);
  }
}

/** Where something would leave from: named, since it may be another device than the one that is looked at. */
function senderOf(view: RecoveryView): string {
  return view.sendsFrom ?? text.thisDevice;
}

function buttonOf(choice: RecoveryChoice, view: RecoveryView): string {
  switch (choice) {
    case 'it-happened':
      return text.carryOn;
    case 'send-again':
      return actWords(view.tool).againButton(senderOf(view));
    case 'undo-then-send':
      return actWords(view.tool).undoButton(senderOf(view));
    case 'stop-here':
      return text.stopHere;
    default:
      return assertNever(choice);
  }
}

function happensOf(
  option: Option,
  view: RecoveryView,
  when: { readonly clock: (ms: number) => string; readonly nowMs: number },
): { readonly happens: string; readonly warning: string } {
  switch (option.choice) {
    case 'it-happened':
      return { happens: `This attempt is marked done. ${nextOf(option, view)}`, warning: '' };
    case 'send-again':
      return {
        happens: `Goes out from ${senderOf(view)} as attempt ${option.attemptNumber ?? 2}. ${nextOf(option, view)}`,
        warning: twiceOf(view, when),
      };
    case 'undo-then-send':
      return {
        happens: `The first attempt is undone, then it goes out from ${senderOf(view)} as attempt ${option.attemptNumber ?? 2}. ${nextOf(option, view)}`,
        warning: '',
      };
    case 'stop-here':
      return { happens: cancelsOf(option.cancels), warning: '' };
    default:
      return assertNever(option.choice);
  }
}

function nextOf(option: Option, view: RecoveryView): string {
  return option.next === null ? 'The run ends there.' : `Next step: ${view.nextStep ?? option.next}.`;
}

function twiceOf(view: RecoveryView, when: { readonly clock: (ms: number) => string; readonly nowMs: number }): string {
  if (view.dedupeUntilMs !== null && when.nowMs < view.dedupeUntilMs) {
    return `Safe until ${when.clock(view.dedupeUntilMs)}: a repeat is recognised and done once.`;
  }
  return view.isDestructive
    ? 'If it did happen the first time, it happens twice, and that can’t be undone.'
    : 'If it did happen the first time, it happens twice.';
}

function cancelsOf(cancels: readonly string[]): string {
  if (cancels.length === 0) return 'The run ends here. No later step was planned.';
  const steps = cancels.length === 1 ? '1 later step is cancelled' : `${cancels.length} later steps are cancelled`;
  return `${steps}: ${cancels.join(', ')}.`;
}

function sendsOf(option: Option, tool: string): string {
  switch (option.sends) {
    case 'nothing':
      return 'Nothing';
    case 'effect':
      return actWords(tool).one;
    case 'undo-and-effect':
      return `1 undo, ${actWords(tool).one}`;
    default:
      return assertNever(option.sends);
  }
}

function reopenOf(option: Option, view: RecoveryView): string {
  switch (option.reopen) {
    case 'any-time':
      return 'Any time';
    case 'never':
      return `after a ${COUNTDOWN_SECONDS}‑second countdown`;
    case 'until-next-step-starts': {
      const next = option.next === null ? null : (view.nextStep ?? option.next);
      return next === null ? 'Until the run goes on' : `Until “${next}” starts`;
    }
    default:
      return assertNever(option.reopen);
  }
}
