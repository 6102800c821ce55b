import { describe, expect, it } from 'vitest';
import { heldBy, pauseState } from './hold.ts';

const NONE = { isEverythingHeld: false, isAgentHeld: false, isRunHeld: false };

describe('a pause', () => {
  it('of one kind is forgotten, or one is made up', () => {
    expect(heldBy(NONE)).toBeNull();
    expect(heldBy({ ...NONE, isRunHeld: true })).toBe('run');
    expect(heldBy({ ...NONE, isRunHeld: true, isAgentHeld: true })).toBe('agent');
    expect(heldBy({ isRunHeld: true, isAgentHeld: true, isEverythingHeld: true })).toBe('everything');
  });

  it('is called one while something is still on its way', () => {
    expect(pauseState(false, 3)).toBe('none');
    expect(pauseState(true, 1)).toBe('pause-requested');
    expect(pauseState(true, 0)).toBe('paused');
  });
});
