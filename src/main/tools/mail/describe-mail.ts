import type { FailureClass } from '../../../shared/core/effect/effect-outcome.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import type { ProbeAnswer, ToolRun } from '../tool.ts';
import type { CheckedMail } from './check-mail.ts';
import type { SentCopy, SentFolder } from './find-sent-copy.ts';
import type { MailAnswer } from './submit-mail.ts';

/** How much of what a server says is kept, in characters. */
const RESPONSE_LIMIT = 500;
/** What passes by itself: a server or a network that is away for now. A bad certificate or address stays bad. */
const PASSING_CODES =
  'closed timeout econnrefused econnreset etimedout epipe enotfound eai_again ehostunreach enetunreach ehostdown enetdown';
const PASSING = new Set(PASSING_CODES.split(' '));
/** Answers that are about who is asking, wherever in the conversation they come. */
const AUTHORITY = new Set([530, 534, 535, 538]);

/** What became of a message, for the record and for a person. `output` is `{messageId, recipients, response}`. */
export function describeAnswer(
  answer: MailAnswer,
  sent: { readonly mail: CheckedMail; readonly messageId: string; readonly redact: (text: string) => string },
): ToolRun {
  const { host } = sent.mail.mailbox.smtp;
  const count = sent.mail.recipients.length;
  const people = count === 1 ? '1 person' : `${count} people`;
  // Before it is cut: half a secret would not be recognised any more.
  const shown = (response: string) => plainLine(sent.redact(response));
  const output = (response: string | null): Json => ({
    messageId: sent.messageId,
    recipients: count,
    response: response === null ? null : shown(response),
  });
  switch (answer.kind) {
    case 'taken':
      return {
        outcome: { kind: 'success' },
        output: output(answer.response),
        summary: `${host} took the message for ${people}.`,
      };
    case 'refused':
      return {
        outcome: { kind: 'failure', class: refusalClass(answer), code: `smtp-${answer.status}`, wasSent: false },
        output: output(answer.response),
        summary: `${host} refused ${refusedThing(answer)}: "${shown(answer.response)}". Nothing was sent to anybody.`,
      };
    case 'not-sent':
      return {
        outcome: { kind: 'failure', class: unsentClass(answer.code), code: answer.code, wasSent: false },
        output: output(null),
        summary: `The message could not be handed to ${host} (${answer.code}). Nothing was sent to anybody.`,
      };
    case 'no-answer':
      return {
        outcome: { kind: 'unclear', code: answer.code },
        output: output(answer.response),
        summary: `The message left for ${host}, and no answer says whether it was taken (${answer.code}).`,
      };
    default:
      return assertNever(answer);
  }
}

/**
 * What a look says. A copy proves that the server took the message. Its absence proves nothing: many servers file no copies
 * of what is handed in by SMTP, and others do so late.
 */
export function describeCopy(copy: SentCopy, sent: Pick<SentFolder, 'host' | 'folder'>): ProbeAnswer {
  const place = `the folder ${visibleText(sent.folder)} on ${sent.host}`;
  switch (copy.kind) {
    case 'found':
      return { answer: 'happened', summary: `The message is in ${place}.` };
    case 'not-found':
      return {
        answer: 'silent',
        summary: `The message is not in ${place}. It may have been sent all the same: the server may file no copy, or file it later.`,
      };
    case 'no-look':
      return { answer: 'silent', summary: `Nobody could look into ${place} (${copy.code}).` };
    default:
      return assertNever(copy);
  }
}

type Refusal = Extract<MailAnswer, { kind: 'refused' }>;

function refusedThing(refusal: Refusal): string {
  switch (refusal.part) {
    case 'greeting':
      return 'the connection';
    case 'login':
      return 'the sign-in';
    case 'sender':
      return 'the sender';
    case 'recipient':
      return refusal.recipient ?? 'a recipient';
    case 'data':
    case 'message':
      return 'the message';
    default:
      return assertNever(refusal.part);
  }
}

function refusalClass(refusal: Refusal): FailureClass {
  if (AUTHORITY.has(refusal.status)) return 'authority';
  if (refusal.status < 500) return 'transient';
  return refusal.part === 'login' ? 'authority' : 'permanent';
}

function unsentClass(code: string): FailureClass {
  if (code === 'aborted') return 'runtime';
  // The server knows none of the ways to sign in, or the user or the password is empty.
  if (code === 'eauth') return 'authority';
  return PASSING.has(code) ? 'transient' : 'permanent';
}

/** What a server says is anybody's text: one line, nothing hidden in it. */
function plainLine(response: string): string {
  return visibleText(response.slice(0, RESPONSE_LIMIT)).replaceAll(/\s+/gu, ' ').trim();
}
