import type { EffectKind } from '../core/effect/effect-kind.ts';
import type { ToolName } from './tool-calls.ts';

/** When a tool has a kind: always, or only in one of the ways in which it is used. */
export type ToolCase = 'always' | 'reading' | 'changing' | 'with-sent-folder' | 'without-sent-folder';

/** One way of using a tool, and what may be done about it where nobody knows whether it happened. */
export interface ToolEffect {
  readonly when: ToolCase;
  /** As long as no agent's file says otherwise. */
  readonly kind: EffectKind;
}

/** A tool of this host. */
export interface ToolRow {
  readonly tool: ToolName;
  readonly effects: readonly ToolEffect[];
  /** Whose current version uses it, whether or not it is permitted. */
  readonly agents: readonly { readonly agentId: string; readonly name: string }[];
}

/** What this host can do in the world. */
export interface ToolsView {
  readonly sequence: number;
  readonly tools: readonly ToolRow[];
}
