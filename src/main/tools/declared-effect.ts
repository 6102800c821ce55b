import type { EffectDeclaration, ToolCall } from '../../shared/contract/tool-calls.ts';
import { tightenEffectKind } from '../../shared/core/effect/effect-kind.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { PreparedCall } from './tool.ts';

/** What an adapter knows about a call without anybody's declaration. */
export interface EffectFacts {
  /** The kind where a person declared none. */
  readonly undeclared: EffectKind;
  /** What the call is at the very least, for tightening what a person declared; `null` to leave it. */
  readonly hint: EffectKind | null;
  /** Whether repeating it can destroy something, where a person declared nothing. */
  readonly isDestructive: boolean;
}

/** The part of a prepared call that says what may be done when nobody knows whether it happened. */
export type DeclaredEffect = Pick<PreparedCall, 'effectKind' | 'dedupeWindowMs' | 'isDestructive' | 'undo' | 'probe'>;

/** Joins what a person declared with what the adapter knows; the adapter can only tighten. */
export function declaredEffect(declaration: EffectDeclaration | undefined, facts: EffectFacts): DeclaredEffect {
  const none = { dedupeWindowMs: null, isDestructive: facts.isDestructive, undo: null, probe: null };
  if (declaration === undefined) return { ...none, effectKind: facts.undeclared };
  const effectKind = facts.hint === null ? declaration.kind : tightenEffectKind(declaration.kind, facts.hint);
  switch (declaration.kind) {
    case 'read-only':
      return { ...none, effectKind };
    case 'idempotent-by-key':
      return { ...none, effectKind, dedupeWindowMs: declaration.dedupeWindowMs };
    case 'verifiable':
      return { ...none, effectKind, probe: declaration.probe ?? null };
    case 'compensable':
      return { ...none, effectKind, undo: declaration.undo };
    case 'blind':
      return { ...none, effectKind, isDestructive: facts.isDestructive || declaration.destructive };
    default:
      return assertNever(declaration);
  }
}

/** The calls that a declaration brings along, each of which must lie inside the scope as well. */
export function companionCalls(declaration: EffectDeclaration | undefined): readonly ToolCall[] {
  if (declaration?.kind === 'compensable') return [declaration.undo];
  if (declaration?.kind === 'verifiable' && declaration.probe !== undefined) return [declaration.probe];
  return [];
}
