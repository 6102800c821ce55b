import type { EffectDeclaration, Strategy, ToolCall } from '../../shared/contract/strategy.ts';
import type { AgentDetailView } from '../../shared/contract/views.ts';
import { fillTemplate, templatePaths } from '../../shared/core/run/template.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { kindOfCall } from './agent-graph.ts';
import { KIND_BADGES } from './words.ts';

type Ask = AgentDetailView['asks'][number];

interface Use {
  readonly icon: string;
  readonly sentence: string;
  readonly kind: EffectKind;
  /** The entry of the scope that it uses up. */
  readonly names: string | null;
}

/** What a permission for a strategy would cover: every call it makes, then what its scope allows besides. */
export function asksOf(strategy: Strategy): Ask[] {
  const uses = Object.values(strategy.states).flatMap((state) =>
    state.type === 'tool' ? usesOf(strategy, state.call, state.effect) : [],
  );
  const asks = new Map<string, Ask>();
  for (const { icon, sentence, kind } of uses) {
    const ask = { icon, sentence, badge: KIND_BADGES[kind] };
    asks.set(`${sentence}\n${ask.badge}`, ask);
  }
  const used = new Set(uses.map((use) => use.names));
  for (const program of strategy.scope.programs) {
    if (!used.has(program))
      asks.set(`program ${program}`, {
        icon: 'program',
        sentence: `Run ${program}, which no step does now`,
        badge: KIND_BADGES.blind,
      });
  }
  for (const host of strategy.scope.hosts) {
    if (!used.has(host))
      asks.set(`host ${host}`, {
        icon: 'http',
        sentence: `Call ${host}, which no step names now`,
        badge: KIND_BADGES.blind,
      });
  }
  return [...asks.values()];
}

function usesOf(strategy: Strategy, call: ToolCall, declaration: EffectDeclaration | undefined): Use[] {
  const uses = [useOf(strategy, call, kindOfCall(call, declaration), '')];
  if (declaration?.kind === 'compensable')
    uses.push(useOf(strategy, declaration.undo, kindOfCall(declaration.undo, undefined), ', to undo a step'));
  if (declaration?.kind === 'verifiable' && declaration.probe !== undefined)
    uses.push(useOf(strategy, declaration.probe, 'read-only', ', to check a step'));
  return uses;
}

function useOf(strategy: Strategy, call: ToolCall, kind: EffectKind, purpose: string): Use {
  switch (call.tool) {
    case 'file.write': {
      const how = call.mode === 'replace' ? 'Write and replace files' : 'Write new files';
      return { icon: 'file', sentence: `${how} in ${foldersText(strategy)}${purpose}`, kind, names: null };
    }
    case 'shell': {
      const program = call.argv[0] ?? '';
      return {
        icon: 'program',
        sentence: `Run ${program} in ${foldersText(strategy)}${purpose}`,
        kind,
        names: program,
      };
    }
    case 'http.request': {
      const host = hostOf(strategy, call.url);
      const isReading = call.method === 'GET' || call.method === 'HEAD';
      return {
        icon: 'http',
        sentence: `${isReading ? 'Read from' : `Send (${call.method}) to`} ${host ?? 'the hosts it may call'}${purpose}`,
        kind,
        names: host,
      };
    }
    default:
      return assertNever(call);
  }
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
