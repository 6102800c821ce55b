import type { PipelineState } from './pipeline/pipeline.ts';

/** Whether nothing new may begin at all, whatever the record says. */
export function isHeldBack(state: Pick<PipelineState, 'isDraining' | 'isMoving' | 'isCatchingUp'>): boolean {
  return state.isDraining || state.isMoving || state.isCatchingUp();
}
