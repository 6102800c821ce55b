import type { ToolServer } from '../../shared/contract/scope.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { AgentDetailView } from '../../shared/contract/views.ts';
import { secretsOf } from '../../shared/core/run/secrets-of.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { scheduleWords } from './schedule-words.ts';
import { KIND_BADGES } from './words.ts';

type Ask = AgentDetailView['asks'][number];

/** What a scope allows besides the calls of the steps, word for word: command lines, addresses, secrets by name. */
export function scopeAsks(
  strategy: Strategy,
  { used, signInText }: { readonly used: ReadonlySet<string>; readonly signInText: (server: ToolServer) => string },
): readonly Ask[] {
  const { scope } = strategy;
  const unused = (names: readonly string[], ask: (name: string) => Ask): readonly Ask[] =>
    names.filter((name) => !used.has(name)).map(ask);
  const secrets = secretsOf(strategy);
  return [
    ...unused(scope.programs, (program) => blind('program', `Run ${visibleText(program)}, which no step does now`)),
    ...unused(scope.hosts, (host) => blind('http', `Call ${visibleText(host)}, which no step names now`)),
    ...Object.entries(scope.servers).map(([name, server]) =>
      plain('program', serverText(name, server) + signInText(server)),
    ),
    ...Object.entries(scope.mailboxes).map(([name, { from, smtp }]) =>
      plain('mail', `Sign in to ${smtp.host}:${smtp.port} as ${name}, to send mail from ${visibleText(from)}`),
    ),
    ...Object.entries(scope.models).map(([name, { model, provider, baseUrl }]) =>
      plain('model', `Send its questions to ${model} at ${baseUrl ?? provider}, called ${name} here`),
    ),
    ...(secrets.length === 0
      ? []
      : [plain('program', `Use ${secrets.length === 1 ? 'the secret' : 'the secrets'} ${secrets.join(', ')}`)]),
  ];
}

function serverText(name: string, server: ToolServer): string {
  if ('url' in server) return `Talk to the tool server ${name} at ${visibleText(server.url)}`;
  const line = server.command.map((part) => (/^[\w./:@=-]+$/u.test(part) ? part : JSON.stringify(visibleText(part))));
  return `Start the tool server ${name} with exactly: ${line.join(' ')}`;
}

/** When an agent starts by itself. */
export function triggerAsks(strategy: Strategy): readonly Ask[] {
  const { schedules, files, webhooks, afterRuns } = strategy.triggers;
  return [
    ...schedules.map((schedule) => plain('clock', `Start by itself: ${scheduleWords(schedule)}`)),
    ...files.map(({ folder }) => plain('file', `Start by itself when files change in ${visibleText(folder)}`)),
    ...webhooks.map(({ secret }) =>
      plain('http', `Start when a program on this device calls it with the secret ${secret}`),
    ),
    ...afterRuns.map(({ agent }) => plain('clock', `Start by itself after a run of ${agent}`)),
  ];
}

function blind(icon: string, sentence: string): Ask {
  return { icon, sentence, badge: KIND_BADGES.blind };
}

function plain(icon: string, sentence: string): Ask {
  return { icon, sentence, badge: '' };
}
