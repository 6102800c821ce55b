import type { AgentId } from '../../shared/contract/identifiers.ts';

/** What is noted when the system says that it falls asleep. */
export interface SleepStart {
  /** Wall ms. */
  readonly fromMs: number;
  /** The boot clock, which goes on meanwhile, ms. */
  readonly bootMs: number;
  /** Where the record ended. */
  readonly fromSeq: number;
  /** The agents that this device had the right to act for. */
  readonly heldAgentIds: readonly AgentId[];
}

/** One sleep that is over. */
export interface Sleep extends Omit<SleepStart, 'bootMs'> {
  /** Wall ms. */
  readonly untilMs: number;
  readonly asleepMs: number;
}

/** The most sleeps that are told of together, and for how long after the wake, ms. */
const SLEEPS_MAX = 50;
const TOLD_FOR_MS = 24 * 60 * 60_000;

/**
 * When this device was asleep, as the system says, since this process began. It is for telling a person about and decides
 * nothing: for what may be done after a sleep the clocks count.
 */
export class Sleeps {
  #start: SleepStart | null = null;
  #over: readonly Sleep[] = [];

  /** The system is about to fall asleep. Said twice it is one sleep. */
  begin(start: SleepStart): void {
    this.#start ??= start;
  }

  /** The system woke up. */
  end(now: { readonly wallMs: number; readonly bootMs: number }): void {
    if (this.#start === null) return;
    const { bootMs, ...start } = this.#start;
    this.#start = null;
    // A calendar that was set back meanwhile does not end a sleep before it began.
    const untilMs = Math.max(start.fromMs, now.wallMs);
    const sleep: Sleep = { ...start, untilMs, asleepMs: Math.max(0, now.bootMs - bootMs) };
    this.#over = [...this.#over, sleep].slice(-SLEEPS_MAX);
  }

  /** Those that a person may still be told of, in order. */
  untold(nowMs: number): readonly Sleep[] {
    this.#over = this.#over.filter((sleep) => nowMs - sleep.untilMs < TOLD_FOR_MS);
    return this.#over;
  }

  /** A person has seen them, up to the one that ended then. */
  dismiss(untilMs: number): void {
    this.#over = this.#over.filter((sleep) => sleep.untilMs > untilMs);
  }
}
