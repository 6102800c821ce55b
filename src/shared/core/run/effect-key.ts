import type { EffectKey, StateId } from '../../contract/identifiers.ts';

/**
 * The key of the effect of one state visit. A state name holds no `#`, so it reads back one way only; it depends on
 * durable facts alone and is the same on every resume.
 */
export function effectKeyOf(stateId: StateId, stateVisit: number): EffectKey {
  return `${stateId}#${stateVisit}` as EffectKey;
}

/**
 * The key of one of several effects of a state visit: a turn of a model, or a call that it asked for in a turn. The id of a
 * call is one that `nextModelAct` let through: a model could write `!undo1` there.
 */
export function partKeyOf(
  stateId: StateId,
  stateVisit: number,
  part: { readonly turn: number; readonly callId: string | null },
): EffectKey {
  const call = part.callId === null ? '' : `.${part.callId}`;
  return `${stateId}#${stateVisit}/${part.turn}${call}` as EffectKey;
}

/** The key of undoing an earlier attempt of an effect: an effect of its own, gated and fenced like any other. */
export function undoKeyOf(effectKey: EffectKey, attemptNumber: number): EffectKey {
  return `${effectKey}!undo${attemptNumber}` as EffectKey;
}

/** Whether an effect undoes another one. */
export function isUndoKey(effectKey: EffectKey): boolean {
  return effectKey.includes('!');
}

/** Whether an effect is a part of a step: when it is settled, its step goes on, and nothing is released yet. */
export function isPartKey(effectKey: EffectKey): boolean {
  return effectKey.includes('/');
}

/** Whether an effect is a question to a model, as against a call that it asked for. */
export function isTurnKey(effectKey: EffectKey): boolean {
  return /\/[0-9]+$/u.test(effectKey);
}

/** Which part of its step an effect, or the effect that it undoes, is; `null` if it is the whole step. */
export function partOfKey(effectKey: EffectKey): { readonly turn: number; readonly callId: string | null } | null {
  const [, turn, callId = null] = /\/([0-9]+)(?:\.([^!]+))?/u.exec(effectKey) ?? [];
  return turn === undefined ? null : { turn: Number(turn), callId };
}
