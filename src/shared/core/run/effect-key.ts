import type { EffectKey, StateId } from '../../contract/identifiers.ts';

/**
 * The key of the effect of one state visit. A state name holds no `#`, so it reads back one way only; it depends on
 * durable facts alone and is the same on every resume.
 */
export function effectKeyOf(stateId: StateId, stateVisit: number): EffectKey {
  return `${stateId}#${stateVisit}` as EffectKey;
}

/** The key of undoing an earlier attempt of that effect: an effect of its own, gated and fenced like any other. */
export function undoKeyOf(stateId: StateId, stateVisit: number, attemptNumber: number): EffectKey {
  return `${stateId}#${stateVisit}!undo${attemptNumber}` as EffectKey;
}

/** Whether an effect undoes another one. */
export function isUndoKey(effectKey: EffectKey): boolean {
  return effectKey.includes('!');
}
