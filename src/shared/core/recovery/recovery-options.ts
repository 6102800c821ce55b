import type { AttemptToken } from '../../contract/identifiers.ts';
import type { EffectKind } from '../effect/effect-kind.ts';

/** What a person can decide about an unclear effect. *Decide later* is no decision and has no name here. */
export type RecoveryChoice = 'it-happened' | 'send-again' | 'undo-then-send' | 'stop-here';

/** Whether a decision about an unclear attempt, by a person or by the effect's kind, lets another one follow it. */
export function letsFollow(choice: RecoveryChoice | 'repeat'): boolean {
  return choice === 'repeat' || choice === 'send-again' || choice === 'undo-then-send';
}

/** One choice and exactly what it will do. The window shows it, the host applies it: one function. */
export interface RecoveryOption {
  readonly choice: RecoveryChoice;
  /** The step that runs next, `null` if the run ends. */
  readonly next: string | null;
  /** Later steps that will not run. */
  readonly cancels: readonly string[];
  readonly sends: 'nothing' | 'effect' | 'undo-and-effect';
  /** The number of the attempt that would be made; `null` if nothing is sent. */
  readonly attemptNumber: number | null;
  /** Until when the decision can be taken back. */
  readonly reopen: 'until-next-step-starts' | 'never' | 'any-time';
  /** A second, deliberate confirmation is needed. */
  readonly needsConfirmation: boolean;
  /** The answer that the facts speak for. */
  readonly isSuggested: boolean;
}

/** What is known about an unclear effect when its choices are worked out. */
export interface RecoveryFacts {
  readonly effectKind: EffectKind;
  readonly attemptNumber: number;
  /** Already decided: there is nothing to choose any more. */
  readonly isDecided: boolean;
  readonly isRunStopped: boolean;
  readonly nextOnSuccess: string | null;
  /** Where the strategy goes when a person stops here; `null` if the run ends. */
  readonly nextOnUnclear: string | null;
  readonly laterSteps: readonly string[];
  readonly hasUndo: boolean;
  readonly isDestructive: boolean;
  /** Until when the provider recognises the same key, wall ms; `null` if it never said. */
  readonly dedupeUntilMs: number | null;
  readonly nowMs: number;
  /** What the last read-only check or a late answer said; `null` if none did. */
  readonly evidence: 'happened' | 'did-not-happen' | null;
}

/** The choices in the order in which they are shown. */
export function recoveryOptions(facts: RecoveryFacts): readonly RecoveryOption[] {
  if (facts.isDecided) return [];
  const options: RecoveryOption[] = [itHappened(facts)];
  if (!facts.isRunStopped) {
    options.push(sendAgain(facts));
    if (facts.hasUndo) options.push(undoThenSend(facts));
  }
  options.push(stopHere(facts));
  return options;
}

function itHappened(facts: RecoveryFacts): RecoveryOption {
  return {
    choice: 'it-happened',
    next: facts.isRunStopped ? null : facts.nextOnSuccess,
    cancels: [],
    sends: 'nothing',
    attemptNumber: null,
    reopen: 'until-next-step-starts',
    needsConfirmation: false,
    isSuggested: facts.evidence === 'happened',
  };
}

function sendAgain(facts: RecoveryFacts): RecoveryOption {
  const isDeduped = facts.dedupeUntilMs !== null && facts.nowMs < facts.dedupeUntilMs;
  return {
    choice: 'send-again',
    next: facts.nextOnSuccess,
    cancels: [],
    sends: 'effect',
    attemptNumber: facts.attemptNumber + 1,
    reopen: 'never',
    needsConfirmation: facts.effectKind === 'blind' && facts.isDestructive,
    isSuggested: facts.evidence === 'did-not-happen' || (facts.evidence === null && isDeduped),
  };
}

function undoThenSend(facts: RecoveryFacts): RecoveryOption {
  return { ...sendAgain(facts), choice: 'undo-then-send', sends: 'undo-and-effect', isSuggested: false };
}

function stopHere(facts: RecoveryFacts): RecoveryOption {
  const next = facts.isRunStopped ? null : facts.nextOnUnclear;
  return {
    choice: 'stop-here',
    next,
    cancels: facts.laterSteps,
    sends: 'nothing',
    attemptNumber: null,
    // A run that rests at this step can be taken up again at any time; one that went another way, until it acts there.
    reopen: next === null ? 'any-time' : 'until-next-step-starts',
    needsConfirmation: false,
    isSuggested: false,
  };
}

/** What a decision must name, so that it can only ever apply to what the person saw. */
export interface DecisionBinding {
  readonly attemptToken: AttemptToken;
  readonly inputDigest: string;
  readonly epoch: number;
}

/** Whether a decision still fits. */
export type DecisionVerdict =
  | { readonly kind: 'applies'; readonly option: RecoveryOption }
  | { readonly kind: 'already-decided' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'not-offered' };

/** Compare-and-set of a person's decision against the claim as it is now. */
export function checkDecision(
  choice: RecoveryChoice,
  made: DecisionBinding,
  current: DecisionBinding & { readonly facts: RecoveryFacts },
): DecisionVerdict {
  if (current.facts.isDecided) return { kind: 'already-decided' };
  const isSame =
    made.attemptToken === current.attemptToken &&
    made.inputDigest === current.inputDigest &&
    made.epoch === current.epoch;
  if (!isSame) return { kind: 'changed' };
  const option = recoveryOptions(current.facts).find((each) => each.choice === choice);
  return option === undefined ? { kind: 'not-offered' } : { kind: 'applies', option };
}
