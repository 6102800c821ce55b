import type { StrategyScope } from '../../shared/contract/scope.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import type { EffectDeclaration, ToolCall } from '../../shared/contract/tool-calls.ts';
import type { GraphEdge } from '../../shared/contract/run-views.ts';
import type { GraphNode } from '../../shared/contract/views.ts';
import { tightenEffectKind } from '../../shared/core/effect/effect-kind.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import { waysOut } from '../../shared/core/run/next-state.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { countText, durationText, KIND_BADGES } from './words.ts';

/** What a call may use, as far as its kind depends on it. */
type KindScope = Pick<StrategyScope, 'servers' | 'mailboxes'>;

/**
 * The kind that a call has before it is filled in: what its tool would say, tightened the same way. Without a scope, what
 * a server or a mailbox adds is left out.
 */
export function kindOfCall(
  call: ToolCall,
  declaration: EffectDeclaration | undefined,
  { scope }: { readonly scope?: KindScope } = {},
): EffectKind {
  const declared = declaration?.kind;
  switch (call.tool) {
    case 'file.write':
      return declared === undefined || declared === 'read-only' ? 'verifiable' : declared;
    case 'http.request': {
      const isReading = call.method === 'GET' || call.method === 'HEAD';
      if (declared === undefined) return isReading ? 'read-only' : 'blind';
      return declared === 'read-only' && !isReading ? tightenEffectKind(declared, 'blind') : declared;
    }
    case 'mcp.call': {
      const server = scope === undefined ? undefined : ownMember(scope.servers, call.server);
      const ofServer = server === undefined ? undefined : ownMember(server.effects, call.name)?.kind;
      if (declared === undefined || ofServer === undefined) return declared ?? ofServer ?? 'blind';
      return tightenEffectKind(declared, ofServer);
    }
    case 'mail.send': {
      const mailbox = scope === undefined ? undefined : ownMember(scope.mailboxes, call.mailbox);
      const atLeast = mailbox?.sent === undefined ? 'blind' : 'verifiable';
      return declared === undefined ? atLeast : tightenEffectKind(declared, atLeast);
    }
    case 'model.call':
      return declared ?? 'idempotent-by-key';
    case 'shell':
    case 'script':
      return declared ?? 'blind';
    default:
      return assertNever(call);
  }
}

/** The states as boxes. `marks` says where open runs stand. */
export function graphNodes(strategy: Strategy, marks: ReadonlyMap<string, GraphNode['mark']>): GraphNode[] {
  return Object.entries(strategy.states).map(([stateId, state]) => ({
    stateId,
    type: state.type === 'tool' ? state.call.tool : state.type,
    title: state.title ?? stateId,
    note: noteOf(state, strategy.scope),
    isStart: stateId === strategy.start,
    mark: marks.get(stateId) ?? 'none',
  }));
}

function noteOf(state: StrategyState, scope: StrategyScope): string {
  switch (state.type) {
    case 'tool':
    case 'script':
      return KIND_BADGES[kindOfCall(state.call, state.effect, { scope })];
    case 'model':
      return `Asks ${state.model}`;
    case 'approve':
      return 'You approve';
    case 'choice':
      return 'Decides the way';
    case 'workset':
      return `Each item, ${state.parallel} at once`;
    case 'fork':
      return `${countText(Object.keys(state.branches).length, 'branch', 'branches')} at once`;
    case 'join':
      return joinNote(state.need);
    case 'wait':
      return `Waits ${durationText(state.forMs)}`;
    case 'done':
      return 'The run is done';
    case 'fail':
      return 'The run fails';
    default:
      return assertNever(state);
  }
}

function joinNote(need: Extract<StrategyState, { type: 'join' }>['need']): string {
  if (need === 'all') return 'Needs every branch';
  return need === 'any' ? 'Needs one branch' : `Needs ${countText(need, 'branch', 'branches')}`;
}

/** The ways between the boxes, with words where there is more than one. */
export function graphEdges(strategy: Strategy): GraphEdge[] {
  return Object.entries(strategy.states).flatMap(([from, state]) => edgesFrom(from, state));
}

/** The words for the ways out of a state, by the kind of result. */
interface WayWords {
  readonly success: string;
  readonly failure: string;
  readonly unclear: string;
}

const USUAL: WayWords = { success: 'success', failure: 'failure', unclear: 'unclear' };

function wordsFor(state: StrategyState): WayWords {
  switch (state.type) {
    case 'approve':
      return { ...USUAL, success: 'allowed', failure: 'not allowed' };
    case 'workset':
      return { ...USUAL, success: 'all done', failure: 'an item failed' };
    case 'join':
      return { ...USUAL, success: 'arrived', failure: 'too few arrived' };
    case 'tool':
    case 'script':
    case 'model':
    case 'choice':
    case 'fork':
    case 'wait':
    case 'done':
    case 'fail':
      return USUAL;
    default:
      return assertNever(state);
  }
}

function edgesFrom(from: string, state: StrategyState): GraphEdge[] {
  if (state.type === 'choice') {
    const branches = state.branches.map((branch) => ({
      from,
      to: branch.to,
      label: branchLabel(branch),
      kind: 'success' as const,
    }));
    return [...branches, { from, to: state.otherwise, label: 'otherwise', kind: 'success' }];
  }
  // Its branches lead to the join, so the way past them is left out.
  if (state.type === 'fork')
    return Object.entries(state.branches).map(([name, to]) => ({ from, to, label: name, kind: 'branch' }));
  const words = wordsFor(state);
  const edges = (['success', 'failure', 'unclear'] as const).flatMap((kind) => {
    const ways = waysOut(state, kind);
    return ways.map((way, index): GraphEdge => {
      const isRest = ways.length > 1 && index === ways.length - 1 && way.when === undefined && way.class === undefined;
      return { from, to: way.to, label: isRest ? restLabel(kind, words) : wayLabel(way, kind, words), kind };
    });
  });
  if (state.type === 'workset') edges.unshift({ from, to: state.do, label: 'each item', kind: 'branch' });
  const [only] = edges;
  return edges.length === 1 && only?.label === words.success ? [{ ...only, label: '' }] : edges;
}

function restLabel(kind: GraphEdge['kind'], words: WayWords): string {
  return kind === 'failure' ? `any other ${words.failure === USUAL.failure ? 'failure' : 'end'}` : 'otherwise';
}

function wayLabel(
  way: { readonly class?: string | undefined; readonly when?: string | undefined },
  kind: keyof WayWords,
  words: WayWords,
): string {
  const word = way.class === undefined ? words[kind] : `${words[kind]} (${way.class})`;
  if (way.when === undefined) return word;
  return kind === 'success' ? way.when : `${word} if ${way.when}`;
}

function branchLabel(branch: Extract<StrategyState, { type: 'choice' }>['branches'][number]): string {
  const parts: string[] = [];
  if (branch.when !== undefined) parts.push(branch.when);
  if (branch.is !== undefined) parts.push(`is “${branch.is}”`);
  if (branch.contains !== undefined) parts.push(`contains “${branch.contains}”`);
  if (branch.atLeast !== undefined) parts.push(`at least ${branch.atLeast}`);
  return parts.length === 0 ? 'always' : parts.join(', ');
}
