import type { StrategyScope, ToolServer } from '../../shared/contract/scope.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import type { EffectDeclaration, ToolCall } from '../../shared/contract/tool-calls.ts';
import type { AgentDetailView } from '../../shared/contract/views.ts';
import { fillTemplate, templatePaths } from '../../shared/core/run/template.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { kindOfCall } from './agent-graph.ts';
import { scopeAsks, triggerAsks } from './agent-scope-asks.ts';
import { KIND_BADGES } from './words.ts';

type Ask = AgentDetailView['asks'][number];

interface Use {
  readonly icon: string;
  readonly sentence: string;
  readonly kind: EffectKind;
  /** The entry of the scope that it uses up. */
  readonly names: string | null;
}

/**
 * What a permission for a strategy would cover: every call it makes, then what its scope allows besides, and when it starts by
 * itself. `signInText` says after the name of a tool server what is to be done first.
 */
export function asksOf(strategy: Strategy, signInText: (server: ToolServer) => string): Ask[] {
  const uses = Object.values(strategy.states).flatMap((state) => usesOfState(strategy, state));
  const asks = new Map<string, Ask>();
  for (const { icon, sentence, kind } of uses) {
    const ask = { icon, sentence, badge: KIND_BADGES[kind] };
    asks.set(`${sentence}\n${ask.badge}`, ask);
  }
  const used = new Set(uses.flatMap((use) => (use.names === null ? [] : [use.names])));
  return [...asks.values(), ...scopeAsks(strategy, { used, signInText }), ...triggerAsks(strategy)];
}

function usesOfState(strategy: Strategy, state: StrategyState): Use[] {
  switch (state.type) {
    case 'tool':
    case 'script':
      return usesOf(strategy, state.call, state.effect);
    case 'model':
      return [
        {
          icon: 'model',
          sentence: `Ask the model ${state.model}, which decides about the calls below`,
          kind: 'idempotent-by-key',
          names: null,
        },
        ...state.tools.flatMap((use) =>
          ('server' in use
            ? use.names.flatMap((name) =>
                usesOf(strategy, { tool: 'mcp.call', server: use.server, name, arguments: {} }, undefined),
              )
            : usesOf(strategy, use.call, use.effect)
          ).map((each) => (use.ask ? { ...each, sentence: `${each.sentence}, asking you each time` } : each)),
        ),
      ];
    default:
      return [];
  }
}

function usesOf(strategy: Strategy, call: ToolCall, declaration: EffectDeclaration | undefined): Use[] {
  const { scope } = strategy;
  const uses = [useOf(strategy, call, { kind: kindOfCall(call, declaration, { scope }), purpose: '' })];
  if (declaration?.kind === 'compensable') {
    const kind = kindOfCall(declaration.undo, undefined, { scope });
    uses.push(useOf(strategy, declaration.undo, { kind, purpose: ', to undo a step' }));
  }
  if (declaration?.kind === 'verifiable' && declaration.probe !== undefined)
    uses.push(useOf(strategy, declaration.probe, { kind: 'read-only', purpose: ', to check a step' }));
  return uses;
}

function useOf(strategy: Strategy, call: ToolCall, of: { kind: EffectKind; purpose: string }): Use {
  const { kind, purpose } = of;
  switch (call.tool) {
    case 'file.write': {
      const how = call.mode === 'replace' ? 'Write and replace files' : 'Write new files';
      return { icon: 'file', sentence: `${how} in ${foldersText(strategy)}${purpose}`, kind, names: null };
    }
    case 'shell': {
      const program = call.argv[0] ?? '';
      const sentence = `Run ${program} in ${foldersText(strategy)}${purpose}`;
      return { icon: 'program', sentence, kind, names: program };
    }
    case 'script': {
      const sentence = `Run a script of this agent with ${call.interpreter} in ${foldersText(strategy)}${purpose}`;
      return { icon: 'program', sentence, kind, names: call.interpreter };
    }
    case 'http.request': {
      const host = hostOf(strategy, call.url);
      const isReading = call.method === 'GET' || call.method === 'HEAD';
      const how = isReading ? 'Read from' : `Send (${call.method}) to`;
      return { icon: 'http', sentence: `${how} ${host ?? 'the hosts it may call'}${purpose}`, kind, names: host };
    }
    case 'mcp.call': {
      const sentence = `Use ${visibleText(call.name)} of the tool server ${call.server}${purpose}`;
      return { icon: 'program', sentence, kind, names: null };
    }
    case 'mail.send': {
      const sentence = `Send mail from ${call.mailbox} to ${recipientsText(strategy.scope)}${purpose}`;
      return { icon: 'mail', sentence, kind, names: null };
    }
    case 'model.call':
      return { icon: 'model', sentence: `Ask the model ${call.model}${purpose}`, kind, names: null };
    default:
      return assertNever(call);
  }
}

function recipientsText(scope: StrategyScope): string {
  return scope.recipients.length === 0 ? 'nobody' : scope.recipients.map((each) => visibleText(each)).join(', ');
}

function foldersText(strategy: Strategy): string {
  const folders = strategy.scope.folders.map((folder) => withDefaults(strategy, folder));
  return folders.length === 0 ? 'no folder' : folders.join(' and ');
}

/** A template with the defaults filled in, and what may be entered instead. */
function withDefaults(strategy: Strategy, template: string): string {
  const keys = templatePaths(template)
    .filter((path) => path.startsWith('input.'))
    .map((path) => path.slice('input.'.length));
  if (keys.length === 0) return template;
  const fields = keys.flatMap((key) => (Object.hasOwn(strategy.input, key) ? [strategy.input[key]] : []));
  const titles = fields.flatMap((field) => (field === undefined ? [] : [`“${field.title}”`])).join(' and ');
  const filled = fillTemplate(template, { input: defaultsOf(strategy), steps: {}, run: { id: 'run' } });
  const entered = `what you enter as ${titles}`;
  return filled.ok ? `${filled.value} (or ${entered})` : entered;
}

function defaultsOf(strategy: Strategy): Record<string, string> {
  return Object.fromEntries(
    Object.entries(strategy.input).flatMap(([key, field]) =>
      field.default === undefined ? [] : [[key, field.default]],
    ),
  );
}

function hostOf(strategy: Strategy, url: string): string | null {
  const filled = fillTemplate(url, { input: defaultsOf(strategy), steps: {}, run: { id: 'run' } });
  const address = filled.ok ? filled.value : url;
  if (!URL.canParse(address)) return null;
  const { host, hostname, port } = new URL(address);
  const found = strategy.scope.hosts.find(
    (each) => each === host || each === hostname || (port === '' && each.startsWith(`${hostname}:`)),
  );
  return found ?? null;
}
