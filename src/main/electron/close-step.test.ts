import { describe, expect, it } from 'vitest';
import { closeAnswer, closeQuestion, closeStep, livesWithoutWindow, startsWithoutWindow } from './close-step.ts';
import type { CloseFacts } from './close-step.ts';

const facts: CloseFacts = { isHostRunning: true, hasTray: true, onClose: 'ask', quitting: 'no' };

describe('closing the window', () => {
  it('asks until somebody has said what they want, and never again', () => {
    expect(closeStep(facts)).toBe('ask');
    expect(closeStep({ ...facts, onClose: 'background' })).toBe('stay');
    expect(closeStep({ ...facts, onClose: 'quit' })).toBe('quit');
  });

  it.each(['ask', 'background', 'quit'] as const)(
    'leaves no program behind that nobody can find, without a tray: %s',
    (onClose) => {
      expect(closeStep({ ...facts, hasTray: false, onClose })).toBe('quit');
      expect(livesWithoutWindow({ ...facts, hasTray: false, onClose })).toBe(false);
    },
  );

  it('does not ask about agents when the host never started', () => {
    expect(closeStep({ ...facts, isHostRunning: false })).toBe('close');
  });

  it('while it quits means to quit at once, and once all is closed the window can go', () => {
    expect(closeStep({ ...facts, quitting: 'waiting' })).toBe('hurry');
    expect(closeStep({ ...facts, quitting: 'over' })).toBe('close');
  });

  it('does not run on when the window went without a question', () => {
    expect(livesWithoutWindow(facts)).toBe(false);
    expect(livesWithoutWindow({ ...facts, onClose: 'background' })).toBe(true);
  });
});

describe('a start at sign-in', () => {
  const start = { isLoginStart: true, hasTray: true, isHostRunning: true, place: null };

  it('has no window where an icon is instead', () => {
    expect(startsWithoutWindow(start)).toBe(true);
  });

  it.each([
    ['a person started it', { isLoginStart: false }],
    ['nothing would bring a window', { hasTray: false }],
    ['the host says why it could not start', { isHostRunning: false }],
    ['a link leads to a place', { place: '/needs' }],
  ])('shows one all the same when %s', (_, change) => {
    expect(startsWithoutWindow({ ...start, ...change })).toBe(false);
  });
});

describe('the question about closing', () => {
  it('decides nothing when it is cancelled, and quits only by its own button', () => {
    const { cancelId, defaultId, buttons } = closeQuestion(0, 'linux');
    expect(closeAnswer(cancelId)).toBeNull();
    expect(closeAnswer(defaultId)).toBe('background');
    expect(closeAnswer(buttons.indexOf('Quit Fencepost'))).toBe('quit');
    expect(closeAnswer(7)).toBeNull();
  });

  it('says what quitting would leave unclear', () => {
    expect(closeQuestion(0, 'linux').detail).not.toContain('unclear');
    expect(closeQuestion(1, 'linux').detail).toContain('One step is on the way');
    expect(closeQuestion(3, 'darwin').detail).toContain('3 steps are on the way');
  });
});
