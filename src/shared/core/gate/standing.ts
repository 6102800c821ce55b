/** A yes that a person gave for every later question that is like one that was shown. */
export interface StandingPermission {
  readonly agentId: string;
  /** The permission that was in force when it was given; it ends with that one, and so with every change of the agent. */
  readonly grantDigest: string;
  readonly ofStateId: string;
  readonly tool: string;
  readonly target: string;
  /** `null`: any input for the same target. */
  readonly inputDigest: string | null;
  readonly deviceId: string;
  /** Wall ms. */
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
}

/** A question, and who would act at which time. */
export interface StandingQuestion {
  readonly agentId: string;
  /** The permission in force. */
  readonly grantDigest: string;
  readonly ofStateId: string;
  readonly tool: string;
  readonly target: string;
  readonly inputDigest: string;
  readonly deviceId: string;
  /** The newest time that anybody knows of, wall ms. */
  readonly nowMs: number;
}

/** Whether a standing permission answers a question: every single thing it names has to be the same. */
export function isCoveredByStanding(given: StandingPermission, asked: StandingQuestion): boolean {
  const isSameWork =
    given.agentId === asked.agentId &&
    given.grantDigest === asked.grantDigest &&
    given.ofStateId === asked.ofStateId &&
    given.tool === asked.tool &&
    given.target === asked.target;
  const isSameInput = given.inputDigest === null || given.inputDigest === asked.inputDigest;
  const isInTime = !given.isRevoked && asked.nowMs < given.expiresAtMs;
  return isSameWork && isSameInput && isInTime && given.deviceId === asked.deviceId;
}

/** How wide a standing permission may be. */
export type StandingScope = 'same-target' | 'same-input';

/**
 * Which scopes are offered for a tool. The target of a program is its name and folder, which says nothing about what it
 * does with other arguments: there only exactly the same input is offered.
 */
export function standingScopes(tool: string): readonly StandingScope[] {
  const namesItsTarget = tool.startsWith('http') || tool.startsWith('file') || tool.startsWith('mail');
  return namesItsTarget ? ['same-input', 'same-target'] : ['same-input'];
}
