import type { EventPayloads } from '../../shared/contract/events.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import { EFFECT_OUTCOME_UNKNOWN } from '../../shared/core/effect/effect-outcome.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { causeText } from '../../shared/lib/system-causes.ts';
import { clockText, toolWords } from './words.ts';

/** Why nobody knows, by the code that was written down. A code that is new here is quoted. */
export function doubtText(code: string, of: { readonly device: string; readonly tool: string }): string {
  const { device, tool } = of;
  const isProgram = runsProgram(tool);
  if (code === EFFECT_OUTCOME_UNKNOWN)
    return `${device} stopped or lost the right to act before an answer was recorded.`;
  if (code === 'announced-by-last-holder') return `${device} had announced it, and no outcome is recorded.`;
  if (code === 'repeat-refused') return 'it was repeated, and the receiver refused the repeat.';
  if (code === 'repeat-too-late') return 'the receiver may have forgotten it by now, so it was not repeated.';
  if (code === 'timeout')
    return isProgram ? 'the program did not end in time and was stopped.' : 'no answer arrived in time.';
  if (code === 'aborted')
    return isProgram ? 'the program was stopped before it ended.' : `${device} broke off before an answer arrived.`;
  if (code === 'truncated') return 'the answer broke off.';
  if (code === 'closed' || code === 'econnreset' || code === 'epipe') return 'the connection closed without an answer.';
  if (code.startsWith('signal-')) return `the program was ended by ${code.slice('signal-'.length)}.`;
  const cause = causeText(code);
  return cause === null ? `no answer was recorded (${code}).` : `no answer was recorded: ${cause}.`;
}

/** What a read-only look found. */
export function probeText(answer: EventPayloads['recovery.probed']['answer']): string {
  switch (answer) {
    case 'happened':
      return 'it happened';
    case 'did-not-happen':
      return 'it did not happen';
    case 'silent':
      return 'it could not be told';
    default:
      return assertNever(answer);
  }
}

/** Why a step was repeated without asking. */
export function repeatText(reason: EventPayloads['recovery.repeated']['reason']): string {
  switch (reason) {
    case 'read-only':
      return 'Repeated without asking: it only reads';
    case 'idempotent-by-key':
      return 'Repeated without asking: the target does the same key once';
    case 'did-not-happen':
      return 'Repeated without asking: the check showed that it had not happened';
    default:
      return assertNever(reason);
  }
}

/** What a check would look at. */
export function checkLabel(tool: string): string {
  if (tool.startsWith('file')) return 'Look at the file';
  if (tool.startsWith('mail')) return 'Look in the Sent folder';
  return runsProgram(tool) ? 'Run the check' : 'Ask the server';
}

function runsProgram(tool: string): boolean {
  return tool.startsWith('shell') || tool.startsWith('script');
}

/** The sentence of *Needs you*. */
export function cannotTellText(tool: string): string {
  return `We can’t tell whether it was ${toolWords(tool).done}.`;
}

/** What nobody knows, and whether waiting could bring it. */
export function unknownSentences(of: {
  readonly tool: string;
  readonly target: string;
  readonly effectKind: EffectKind;
  readonly isCheckOffered: boolean;
  readonly isCheckSilent: boolean;
  readonly dedupeUntilMs: number | null;
  readonly nowMs: number;
  /** What another device may hold of it; empty for nothing. */
  readonly elsewhere: string;
}): string[] {
  const sentences = [mainUnknown(of.tool, of.target)];
  if (of.effectKind === 'idempotent-by-key') {
    sentences.push(
      of.dedupeUntilMs !== null && of.nowMs < of.dedupeUntilMs
        ? `Nothing is lost by repeating: the target recognises the same key until ${clockText(of.dedupeUntilMs)}.`
        : 'The target no longer recognises the same key, so a repeat could happen twice.',
    );
  } else if (!of.isCheckOffered) {
    sentences.push('No check that only reads is known for this step. You can look in the target yourself.');
  } else if (of.isCheckSilent) {
    sentences.push('The check could not tell either.');
  }
  if (of.elsewhere !== '') sentences.push(of.elsewhere);
  return sentences;
}

function mainUnknown(tool: string, target: string): string {
  if (runsProgram(tool))
    return 'Whether the program had finished its work before it was cut off, or only a part of it.';
  if (tool.startsWith('file')) return `Whether ${target} was written.`;
  if (tool.startsWith('mail')) return `Whether the mail server accepted the mail (${target}).`;
  if (tool.startsWith('mcp')) return `Whether ${target} did what it was asked to.`;
  if (tool.startsWith('model')) return `What ${target} answered, if it did.`;
  return `Whether ${target} accepted the request.`;
}
