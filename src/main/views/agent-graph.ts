import type { EffectDeclaration, Strategy, StrategyState, ToolCall } from '../../shared/contract/strategy.ts';
import type { AgentDetailView, GraphNode } from '../../shared/contract/views.ts';
import { tightenEffectKind } from '../../shared/core/effect/effect-kind.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { durationText, KIND_BADGES } from './words.ts';

type Edge = AgentDetailView['edges'][number];

/** The kind that a call has before it is filled in: what its tool would say, tightened the same way. */
export function kindOfCall(call: ToolCall, declaration: EffectDeclaration | undefined): EffectKind {
  const declared = declaration?.kind;
  switch (call.tool) {
    case 'file.write':
      return declared === undefined
        ? 'verifiable'
        : declared === 'read-only'
          ? tightenEffectKind(declared, 'verifiable')
          : declared;
    case 'http.request': {
      const isReading = call.method === 'GET' || call.method === 'HEAD';
      if (declared === undefined) return isReading ? 'read-only' : 'blind';
      return declared === 'read-only' && !isReading ? tightenEffectKind(declared, 'blind') : declared;
    }
    case 'shell':
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
    note: noteOf(state),
    isStart: stateId === strategy.start,
    mark: marks.get(stateId) ?? 'none',
  }));
}

function noteOf(state: StrategyState): string {
  switch (state.type) {
    case 'tool':
      return KIND_BADGES[kindOfCall(state.call, state.effect)];
    case 'approve':
      return 'You approve';
    case 'choice':
      return 'Decides the way';
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

/** The ways between the boxes, with words where there is more than one. */
export function graphEdges(strategy: Strategy): Edge[] {
  return Object.entries(strategy.states).flatMap(([from, state]) => edgesFrom(from, state));
}

function edgesFrom(from: string, state: StrategyState): Edge[] {
  const edges: Edge[] = [];
  const add = (to: string | undefined, label: string): void => {
    if (to !== undefined) edges.push({ from, to, label });
  };
  switch (state.type) {
    case 'tool':
      add(state.onSuccess, '');
      add(state.onFailure, 'if it fails');
      add(state.onUnclear, "if you can't tell");
      return edges;
    case 'approve':
      add(state.onSuccess, 'allowed');
      add(state.onFailure, 'not allowed');
      return edges;
    case 'choice':
      for (const branch of state.branches) add(branch.to, branchLabel(branch));
      add(state.otherwise, 'otherwise');
      return edges;
    case 'wait':
      add(state.onSuccess, '');
      return edges;
    case 'done':
    case 'fail':
      return edges;
    default:
      return assertNever(state);
  }
}

function branchLabel(branch: Extract<StrategyState, { type: 'choice' }>['branches'][number]): string {
  const parts: string[] = [];
  if (branch.is !== undefined) parts.push(`is “${branch.is}”`);
  if (branch.contains !== undefined) parts.push(`contains “${branch.contains}”`);
  if (branch.atLeast !== undefined) parts.push(`at least ${branch.atLeast}`);
  return parts.length === 0 ? 'always' : parts.join(', ');
}
