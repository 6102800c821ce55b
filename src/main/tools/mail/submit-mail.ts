import { openSmtp } from './open-smtp.ts';
import type { SmtpReply, SmtpServer, SmtpSession, SmtpStage } from './open-smtp.ts';

/** One message, complete and checked. */
interface MailOrder {
  readonly server: SmtpServer;
  readonly from: string;
  readonly recipients: readonly string[];
  /** ASCII with CR LF, as `composeMail` makes it. */
  readonly message: string;
  /** From the first packet to the last answer, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Which part of handing a message in was refused. */
type RefusedPart = SmtpStage | 'sender' | 'recipient' | 'data' | 'message';

/** What became of a message. */
export type MailAnswer =
  /** The server has it, for everybody. */
  | { readonly kind: 'taken'; readonly response: string }
  /** The server said no, and has it for nobody. */
  | {
      readonly kind: 'refused';
      readonly part: RefusedPart;
      readonly status: number;
      readonly response: string;
      readonly recipient: string | null;
    }
  /** Not a byte of it left. */
  | { readonly kind: 'not-sent'; readonly code: string }
  /** It was on its way, and no answer came back that says whether the server has it. */
  | { readonly kind: 'no-answer'; readonly code: string; readonly response: string | null };

/**
 * Hands one message in once: no retry, no pool. Every recipient is asked for, one after the other, before DATA is said, and
 * one refusal ends it for all. Until the first byte of the message is written, nothing has left.
 */
export async function submitMail(order: MailOrder): Promise<MailAnswer> {
  const opening = await openSmtp(order.server, { timeoutMs: order.timeoutMs, signal: order.signal });
  if (opening.kind === 'closed') return negative(opening.reply, opening.stage);
  const { session } = opening;
  try {
    return (await offer(session, order)) ?? (await deliver(session, order.message));
  } finally {
    session.close();
  }
}

/** Everything before the message; `null` if the server is waiting for it. */
async function offer(session: SmtpSession, order: MailOrder): Promise<MailAnswer | null> {
  const { sizeLimit } = session;
  if (sizeLimit !== null && sizeLimit > 0 && order.message.length > sizeLimit) {
    return { kind: 'not-sent', code: 'too-large' };
  }
  const sender = await session.say(`MAIL FROM:<${order.from}>`);
  if (!isPositive(sender, 2)) return negative(sender, 'sender');
  for (const recipient of order.recipients) {
    const reply = await session.say(`RCPT TO:<${recipient}>`);
    if (!isPositive(reply, 2)) return negative(reply, 'recipient', recipient);
  }
  const data = await session.say('DATA');
  return isPositive(data, 3) ? null : negative(data, 'data');
}

async function deliver(session: SmtpSession, message: string): Promise<MailAnswer> {
  // Looked at and acted upon within one turn, so that nothing can happen in between.
  if (session.brokenBy !== null) return { kind: 'not-sent', code: session.brokenBy };
  // A line of a single dot ends the message, so every line that starts with one gets another.
  const reply = await session.say(`${message.replaceAll(/^\./gm, '..')}.`);
  if (reply.kind === 'broken') return { kind: 'no-answer', code: reply.code, response: null };
  const { status, text } = reply;
  if (status >= 200 && status < 300) return { kind: 'taken', response: text };
  // 421 says that the server is leaving, not what became of the message.
  const isRefusal = status >= 400 && status !== 421;
  return isRefusal ? negative(reply, 'message') : { kind: 'no-answer', code: `smtp-${status}`, response: text };
}

function isPositive(reply: SmtpReply, hundred: 2 | 3): boolean {
  return reply.kind === 'reply' && Math.floor(reply.status / 100) === hundred;
}

function negative(reply: SmtpReply, part: RefusedPart, recipient: string | null = null): MailAnswer {
  if (reply.kind === 'broken') return { kind: 'not-sent', code: reply.code };
  return { kind: 'refused', part, status: reply.status, response: reply.text, recipient };
}
