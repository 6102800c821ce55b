import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { TOOL_TIMEOUT_MS } from '../../../shared/contract/tool-calls.ts';
import type { EffectDeclaration, ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import type { PreparedCall, ProbeAnswer, ToolAdapter, ToolContext, ToolRun } from '../tool.ts';
import { checkMail } from './check-mail.ts';
import type { CheckedMail } from './check-mail.ts';
import { composeMail, messageIdOf } from './compose-mail.ts';
import { describeAnswer, describeCopy } from './describe-mail.ts';
import { findSentCopy } from './find-sent-copy.ts';
import { submitMail } from './submit-mail.ts';

type MailCall = Extract<ToolCall, { tool: 'mail.send' }>;

/**
 * Sends one message by SMTP, to everybody or to nobody. Mail cannot be called back, so it counts as destructive; whether it
 * went out can be looked up where a folder of sent mail is configured.
 */
export function createMailTool(): ToolAdapter<MailCall> {
  const prepare = async (
    call: MailCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const checked = checkMail(call, scope);
    if (!checked.ok) {
      const wayOut = 'Change the strategy, or grant the agent a wider scope.';
      return await Promise.resolve(err(problem('input-invalid', checked.error, wayOut)));
    }
    return await Promise.resolve(ok(preparedMail(call, checked.value, { declaration, scope })));
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const call = mailCallIn(prepared);
    const checked = checkMail(call, prepared.scope);
    if (!checked.ok) {
      return {
        outcome: { kind: 'failure', class: 'permanent', code: 'outside-scope', wasSent: false },
        output: null,
        summary: `${checked.error} Nothing was sent.`,
      };
    }
    const mail = checked.value;
    const { host, port, security, user, secret } = mail.mailbox.smtp;
    let login: { user: string; password: string } | null = null;
    if (user !== undefined && secret !== undefined) {
      const password = await context.secrets.read(secret);
      if (!password.ok) return password.error;
      login = { user, password: password.value };
    }
    const messageId = messageIdOf(context.effectId, mail.from.domain);
    const answer = await submitMail({
      server: { host, port, security, login },
      from: mail.from.text,
      recipients: mail.recipients,
      message: await composeMail(mail, { messageId, epoch: context.epoch }),
      timeoutMs: call.timeoutMs ?? TOOL_TIMEOUT_MS,
      signal: context.signal,
    });
    return describeAnswer(answer, { mail, messageId, redact: (text) => context.secrets.redact(text) });
  };

  const verify = async (prepared: PreparedCall, context: ToolContext): Promise<ProbeAnswer> => {
    const call = mailCallIn(prepared);
    const checked = checkMail(call, prepared.scope);
    if (!checked.ok) return { answer: 'silent', summary: `Nobody looked. ${checked.error}` };
    const { sent } = checked.value.mailbox;
    if (sent?.user === undefined || sent.secret === undefined) {
      return { answer: 'silent', summary: 'Nobody could look: the mailbox names no folder of sent mail.' };
    }
    const { host, port, security, folder, user, secret } = sent;
    const password = await context.secrets.read(secret);
    if (!password.ok) {
      // Its summary says that nothing was sent, which is true of the look and may not be true of the message.
      const { outcome } = password.error;
      return describeCopy({ kind: 'no-look', code: outcome.kind === 'success' ? 'broken' : outcome.code }, sent);
    }
    const messageId = messageIdOf(context.effectId, checked.value.from.domain);
    const copy = await findSentCopy({ host, port, security, folder, user, password: password.value }, messageId, {
      timeoutMs: call.timeoutMs ?? TOOL_TIMEOUT_MS,
      signal: context.signal,
    });
    return describeCopy(copy, sent);
  };

  return { tool: 'mail.send', prepare, perform, verify };
}

function mailCallIn(prepared: PreparedCall): MailCall {
  if (prepared.call.tool !== 'mail.send') throw new Error('Not a mail.send call.');
  return prepared.call;
}

function preparedMail(
  call: MailCall,
  mail: CheckedMail,
  given: { readonly declaration: EffectDeclaration | undefined; readonly scope: StrategyScope },
): PreparedCall {
  const { smtp, sent } = mail.mailbox;
  const { to, cc, bcc } = mail;
  const lists = Object.entries({ to, cc, bcc }).filter(([, addresses]) => addresses.length > 0);
  const only = mail.recipients.length === 1 ? mail.recipients[0] : undefined;
  // Where nobody can look, nobody may claim that it can be looked up or repeated.
  const kind = sent === undefined ? 'blind' : 'verifiable';
  return {
    tool: 'mail.send',
    call,
    title: plainTitle(`Send mail to ${only ?? `${mail.recipients.length} people`}`),
    target: lists.map(([list, addresses]) => `${list} ${addresses.join(', ')}`).join('; '),
    recipient: {
      recipient: 'actor',
      bindingId: `smtp://${smtp.host}:${smtp.port}/${mail.from.text}`,
      runtimeId: 'mail.send',
    },
    commandKind: 'actor',
    ...declaredEffect(given.declaration, { undeclared: kind, hint: kind, isDestructive: true }),
    inputText: canonicalJson({
      tool: 'mail.send',
      from: mail.from.text,
      to,
      cc,
      bcc,
      subject: mail.subject,
      text: mail.text,
      smtp: { host: smtp.host, port: smtp.port, security: smtp.security },
    }),
    scope: given.scope,
  };
}
