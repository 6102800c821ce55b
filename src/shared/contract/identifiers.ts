import { z } from 'zod';

/** The longest identifier the contract takes, in UTF-8 bytes (protocol section 3). */
export const IDENTIFIER_MAX_BYTES = 160;

/** Why an identifier was turned away; `null` means it is fine. */
export function identifierProblem(text: string): string | null {
  if (text.length === 0) return 'An identifier may not be empty.';
  if (text !== text.trim()) return 'An identifier may not begin or end with white space.';
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F-\u009F]/u.test(text)) return 'An identifier may not hold control characters.';
  if (!text.isWellFormed()) return 'An identifier must be well-formed Unicode text.';
  if (new TextEncoder().encode(text).length > IDENTIFIER_MAX_BYTES) {
    return `An identifier may be at most ${IDENTIFIER_MAX_BYTES} bytes long.`;
  }
  return null;
}

const identifier = z.string().superRefine((text, context) => {
  const problem = identifierProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem, params: { code: 'identifier-invalid' } });
});

/** A strategy a person owns. */
export const agentIdSchema = identifier.brand<'AgentId'>();
export type AgentId = z.infer<typeof agentIdSchema>;

/** One occurrence of an agent's work. */
export const runIdSchema = identifier.brand<'RunId'>();
export type RunId = z.infer<typeof runIdSchema>;

/** One installation with its own journal and store. */
export const deviceIdSchema = identifier.brand<'DeviceId'>();
export type DeviceId = z.infer<typeof deviceIdSchema>;

/** A state of a strategy; letters, digits and dashes, so that `stateId#visit` reads back one way only. */
export const stateIdSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/u, 'A state name has lower-case letters, digits and dashes, and begins with a letter.')
  .brand<'StateId'>();
export type StateId = z.infer<typeof stateIdSchema>;

/** Names one effect within a run; derived from durable facts, the same on every resume. */
export const effectKeySchema = identifier.brand<'EffectKey'>();
export type EffectKey = z.infer<typeof effectKeySchema>;

/** One try at an effect. */
export const attemptTokenSchema = identifier.brand<'AttemptToken'>();
export type AttemptToken = z.infer<typeof attemptTokenSchema>;

/** SHA-256 in lower-case hexadecimal. */
export const digestSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/u, 'A digest is 64 hexadecimal digits.')
  .brand<'Digest'>();
export type Digest = z.infer<typeof digestSchema>;

/** One side-effecting tool call: compared field by field, never as a joined string. */
export interface EffectIdentity {
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly effectKey: EffectKey;
}

/** One try at one effect. */
export interface AttemptIdentity {
  readonly effect: EffectIdentity;
  readonly attemptToken: AttemptToken;
}

/** Field-by-field equality of effects. */
export function isSameEffect(one: EffectIdentity, other: EffectIdentity): boolean {
  return one.agentId === other.agentId && one.runId === other.runId && one.effectKey === other.effectKey;
}

/** Field-by-field equality of attempts. */
export function isSameAttempt(one: AttemptIdentity, other: AttemptIdentity): boolean {
  return one.attemptToken === other.attemptToken && isSameEffect(one.effect, other.effect);
}
