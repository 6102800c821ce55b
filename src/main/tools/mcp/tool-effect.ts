import type { ToolServer } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration } from '../../../shared/contract/tool-calls.ts';
import { tightenEffectKind } from '../../../shared/core/effect/effect-kind.ts';
import { ownMember } from '../../../shared/lib/own-member.ts';
import { declaredEffect } from '../declared-effect.ts';
import type { DeclaredEffect } from '../declared-effect.ts';
import type { ServerTool } from './server-tools.ts';

/**
 * What may be done when nobody knows whether a tool acted. Two declarations of a person count, that of the step and that
 * of the server, and of two kinds the stricter. The server's own hints are untrusted and only tighten: one that says
 * plainly that it writes or destroys is no read-only tool, whatever was declared.
 */
export function toolEffect(
  tool: ServerTool,
  server: ToolServer,
  ofStep: EffectDeclaration | undefined,
): DeclaredEffect {
  const ofServer = ownMember(server.effects, tool.name);
  const declaration = stricter(ofStep, ofServer);
  const { readOnlyHint, destructiveHint } = tool.annotations;
  const admitsWriting = readOnlyHint === false || destructiveHint === true;
  const effect = declaredEffect(declaration, {
    undeclared: 'blind',
    hint: declaration?.kind === 'read-only' && admitsWriting ? 'blind' : null,
    isDestructive: destructiveHint === true,
  });
  // The host carries out the undo of a step. One that stands at the server would be offered and never be found.
  return declaration === ofServer && declaration !== ofStep ? { ...effect, undo: null } : effect;
}

function stricter(
  ofStep: EffectDeclaration | undefined,
  ofServer: EffectDeclaration | undefined,
): EffectDeclaration | undefined {
  if (ofStep === undefined || ofServer === undefined) return ofStep ?? ofServer;
  if (tightenEffectKind(ofServer.kind, ofStep.kind) !== ofStep.kind) return ofServer;
  if (ofStep.kind === 'idempotent-by-key' && ofServer.kind === 'idempotent-by-key') {
    return { ...ofStep, dedupeWindowMs: Math.min(ofStep.dedupeWindowMs, ofServer.dedupeWindowMs) };
  }
  if (ofStep.kind === 'blind' && ofServer.kind === 'blind') {
    return { ...ofStep, destructive: ofStep.destructive || ofServer.destructive };
  }
  if (ofStep.kind === 'verifiable' && ofServer.kind === 'verifiable') return { ...ofServer, ...ofStep };
  return ofStep;
}
