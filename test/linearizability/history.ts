import type { RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import type { RegisterView } from '../../src/shared/core/lease/lease.ts';
import type { RegisterReply, RegisterVerb } from '../../src/shared/core/lease/register.ts';

/**
 * What was asked of the register, or what befell it. `reboot` is a restart of the machine that keeps the register: every
 * earlier holder is gone after it (protocol section 5, clarifications).
 */
export type Call = RegisterVerb | { readonly verb: 'current' } | { readonly verb: 'reboot' };

/** What came back. A plain read has a view and no reply. */
export interface Answered {
  readonly reply: RegisterReply | null;
  readonly view: RegisterView;
}

/** One question to the register for one agent, as its client saw it. */
export interface Operation {
  /** Position in the recording; names the operation in a report. */
  readonly id: number;
  /** Which client, and which of its lives. */
  readonly client: string;
  readonly agentId: string;
  readonly call: Call;
  /** When it was asked, ms on the machine's one monotonic clock. */
  readonly invokeMs: number;
  /** When the answer was there; `Infinity` while nobody knows what became of it (protocol section 5, rule 8). */
  readonly returnMs: number;
  /** `null`: unknown. It may take effect at any later time, or never. */
  readonly answer: Answered | null;
}

/** Agents are independent, so the operations of each are judged alone (Herlihy and Wing: locality). */
export function byAgent(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  return Map.groupBy(operations, (operation) => operation.agentId);
}

/** An answer of a coordinator in the shape of a recording. */
export function answeredBy(answer: RegisterAnswer | RegisterView): Answered {
  return 'reply' in answer ? { reply: answer.reply, view: answer.view } : { reply: null, view: answer };
}

/** The machine's one monotonic clock, ms; comparable between its processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
