import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity, RegisterView } from '../../shared/core/lease/lease.ts';
import type { RegisterReply, RegisterVerb } from '../../shared/core/lease/register.ts';
import type { Result } from '../../shared/lib/result.ts';

/** A reply of the register, and what it holds after it. */
export interface RegisterAnswer {
  readonly reply: RegisterReply;
  readonly view: RegisterView;
}

/**
 * Where the right to act is kept. All storages mean the same by every verb, since all of them call `applyVerb`; each
 * brings an atomic read-decide-write and a clock. An error is an unknown outcome, never a "no" (protocol section 5, rule 8).
 */
export interface LeaseCoordinator {
  readonly identity: CoordinatorIdentity;
  /** What a person calls it. */
  readonly name: string;
  /** acquire, renew, release, announce, settle-tail and prune-tail. */
  ask(agentId: AgentId, verb: RegisterVerb): Promise<Result<RegisterAnswer, Problem>>;
  /** A linearizable read. */
  current(agentId: AgentId): Promise<Result<RegisterView, Problem>>;
  /**
   * Set only where the register lives in the store's own database: the same inside the caller's open transaction.
   * Both throw when the register cannot be read, which takes the caller's work back as well.
   */
  readonly inside: {
    ask(agentId: AgentId, verb: RegisterVerb): RegisterAnswer;
    current(agentId: AgentId): RegisterView;
  } | null;
  /** Where a register tells by itself that something about an agent changed; others are looked at from time to time. Ends with the call of the answer. */
  readonly onChange?: (listener: (agentId: AgentId) => void) => () => void;
  /** What a person should know although it works, in a sentence; absent or empty if nothing. */
  readonly warning?: string;
  /** Ends the connection; may be called more than once. Every later question is answered with a problem. */
  close(): Promise<void>;
}
