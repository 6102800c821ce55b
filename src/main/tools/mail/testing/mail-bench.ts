import type { Mailbox, StrategyScope } from '../../../../shared/contract/scope.ts';
import type { ToolCall } from '../../../../shared/contract/tool-calls.ts';
import type { SecretStore } from '../../../secrets/secret-store.ts';
import { NO_SECRETS } from '../../../secrets/no-secrets.ts';
import { createBench } from '../../testing/tool-bench.ts';
import type { ToolBench } from '../../testing/tool-bench.ts';

type MailCall = Extract<ToolCall, { tool: 'mail.send' }>;

/** Who signs in at the servers of the tests. */
export const LOGIN = { user: 'robot@example.com', password: 'correct horse battery' };

/** A bench whose one mailbox hands mail in at a port of this machine. */
export function createMailBench(
  smtp: Partial<Mailbox['smtp']> & { readonly port: number },
  more: { readonly sent?: Mailbox['sent']; readonly scope?: Partial<StrategyScope> } = {},
): ToolBench {
  const store: SecretStore = {
    ...NO_SECRETS,
    read: (name) => Promise.resolve(name === 'mail-password' ? LOGIN.password : null),
  };
  const mailbox: Mailbox = {
    from: 'robot@example.com',
    smtp: { host: '127.0.0.1', security: 'none', ...smtp },
    ...(more.sent === undefined ? {} : { sent: more.sent }),
  };
  const recipients = ['ana@example.com', 'Li@Example.com', '@team.example'];
  return createBench({ mailboxes: { work: mailbox }, recipients, ...more.scope }, store);
}

/** A message to one person that was granted, unless something else is asked for. */
export function mailTo(to: readonly string[] = ['ana@example.com'], more: Partial<MailCall> = {}): MailCall {
  return {
    tool: 'mail.send',
    mailbox: 'work',
    to: [...to],
    subject: 'Weekly numbers',
    text: 'All is well.\n',
    ...more,
  };
}
