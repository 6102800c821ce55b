import type { AgentId, DeviceId } from '../../contract/identifiers.ts';
import type { TailEntry } from './register.ts';

/** Time to live of a lease, ms. Each agent may have its own. Protocol section 5, defaults. */
export const LEASE_TTL_MS = 15_000;
/** A holder renews after this share of the TTL. */
export const LEASE_RENEW_SHARE = 1 / 3;
/** How far wrong the rate of a device's clock may be: local deadline = send time + TTL / this. */
export const CLOCK_RATE_TOLERANCE = 1.5;
/** X: the longest time from the fence read to the start of a send, ms. */
export const SEND_WINDOW_MS = 3_000;
/** ε: added to X for the hold-off after an unclean takeover, ms. */
export const HOLD_OFF_MARGIN_MS = 500;
/** X + ε, ms (rule 5). */
export const HOLD_OFF_MS = SEND_WINDOW_MS + HOLD_OFF_MARGIN_MS;

/** The right to act for an agent, as the register answers it. */
export interface Lease {
  readonly agentId: AgentId;
  readonly holder: DeviceId;
  /** The fencing token: rises with every grant, never comes back. */
  readonly epoch: number;
  /** Identity of this one grant; a repeated request with the same nonce gets the same epoch. */
  readonly nonce: string;
  readonly ttlMs: number;
}

/** Names one register and one life of it: a restored copy has another incarnation. */
export interface CoordinatorIdentity {
  readonly coordinatorId: string;
  readonly incarnation: string;
}

/** What the register knows about an agent right now. */
export interface RegisterView {
  readonly coordinator: CoordinatorIdentity;
  /** `null`: nobody holds the agent, or it was released. */
  readonly lease: Lease | null;
  /** The highest epoch ever granted; 0 before the first. */
  readonly epoch: number;
  /** What is left by the register's own clock, ms; 0 when it has run out or nobody holds it. For display only. */
  readonly remainingMs: number;
  readonly tail: readonly TailEntry[];
  readonly frontier: Readonly<Record<string, number>>;
  /** Set where an expired lease waits for a person (rule 12). */
  readonly takeover?: 'by-person';
  /** Set once the agent was moved to another register: this one grants it no more (rule 11). */
  readonly movedTo?: MovedTo;
}

/** Where an agent's right to act is kept now. */
export interface MovedTo extends CoordinatorIdentity {
  /** What a person calls that coordinator. */
  readonly name: string;
}
