import net from 'node:net';
import type { Mailbox, StrategyScope } from '../../../shared/contract/scope.ts';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { escapedText, isGrantedRecipient, plainAddress } from './mail-address.ts';
import type { MailAddress } from './mail-address.ts';

type MailCall = Extract<ToolCall, { tool: 'mail.send' }>;

/** The longest subject and the longest text of one message, in characters. */
const SUBJECT_LIMIT = 900;
const TEXT_LIMIT = 1_000_000;
/** Ends a line for somebody: in a header, whatever follows would become a header of its own. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A mailbox as it was granted, and the message as it would leave. All addresses are plain and granted. */
export interface CheckedMail {
  readonly mailbox: Mailbox;
  readonly from: MailAddress;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** Everybody, each once. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Checks a message against what was granted; used when it is prepared and again when it is sent. The error is a sentence. */
export function checkMail(call: MailCall, scope: StrategyScope): Result<CheckedMail, string> {
  // A name such as `constructor` is on every object, and was granted by nobody.
  const mailbox = Object.hasOwn(scope.mailboxes, call.mailbox) ? scope.mailboxes[call.mailbox] : undefined;
  if (mailbox === undefined) return err(`This agent may not use a mailbox named "${escapedText(call.mailbox)}".`);
  const flaw = mailboxFlaw(mailbox) ?? textFlaw(call);
  if (flaw !== null) return err(flaw);
  const from = plainAddress(mailbox.from);
  if (!from.ok) return err(`The sender of the mailbox cannot be used. ${from.error}`);
  const lists = { to: call.to, cc: call.cc ?? [], bcc: call.bcc ?? [] };
  const plain: Record<keyof typeof lists, string[]> = { to: [], cc: [], bcc: [] };
  for (const list of ['to', 'cc', 'bcc'] as const) {
    for (const entry of lists[list]) {
      const address = plainAddress(entry);
      if (!address.ok) return address;
      if (!isGrantedRecipient(address.value, scope.recipients)) {
        return err(`This agent may not send mail to ${address.value.text}.`);
      }
      plain[list].push(address.value.text);
    }
  }
  if (plain.to.length === 0) return err('The message is addressed to nobody.');
  const recipients = [...new Set([...plain.to, ...plain.cc, ...plain.bcc])];
  return ok({ mailbox, from: from.value, ...plain, recipients, subject: call.subject, text: call.text });
}

function textFlaw(call: MailCall): string | null {
  if (CONTROLS.test(call.subject)) return 'The subject holds a line break or another control character.';
  if (call.subject.length > SUBJECT_LIMIT) return `The subject is longer than ${SUBJECT_LIMIT} characters.`;
  if (call.text.length > TEXT_LIMIT) return `The text is longer than ${TEXT_LIMIT} characters.`;
  if (!call.subject.isWellFormed() || !call.text.isWellFormed()) {
    return 'The message holds half a character and cannot be sent.';
  }
  return null;
}

function mailboxFlaw(mailbox: Mailbox): string | null {
  for (const server of [mailbox.smtp, mailbox.sent]) {
    if (server === undefined) continue;
    if (net.isIP(server.host) === 0 && !/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(server.host)) {
      return `"${escapedText(server.host)}" is not the name of a mail server.`;
    }
    if (server.security === 'none' && !isLoopbackHost(server.host)) {
      return `The connection to ${server.host} would not be encrypted, which is allowed only on this machine.`;
    }
    if ((server.user === undefined) !== (server.secret === undefined)) {
      return `The mailbox names only one of the two that a sign-in at ${server.host} needs: a user and a secret.`;
    }
  }
  if (mailbox.sent !== undefined && mailbox.sent.user === undefined) {
    return 'The mailbox names a folder to look into and no user and secret to sign in with.';
  }
  if (mailbox.sent !== undefined && CONTROLS.test(mailbox.sent.folder))
    return 'The folder to look into has no usable name.';
  return null;
}

function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isLoopbackAddress(host);
}

/** Whether an IP address leads back to this machine; anything that is not an address does not. */
export function isLoopbackAddress(address: string): boolean {
  if (net.isIPv4(address)) return address.startsWith('127.');
  return address === '::1' || (address.startsWith('::ffff:127.') && net.isIPv6(address));
}
