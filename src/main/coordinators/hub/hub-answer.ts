import { z } from 'zod';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import type { RegisterReply } from '../../../shared/core/lease/register.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RegisterAnswer } from '../lease-coordinator.ts';
import { unreachableProblem, wentBackProblem } from '../register-problem.ts';

/** Every reply that this program understands. */
const REPLIES: Readonly<Record<RegisterReply['kind'], true>> = {
  granted: true,
  held: true,
  renewed: true,
  lost: true,
  released: true,
  'claims-pending': true,
  announced: true,
  'still-open': true,
  'already-committed': true,
  'tail-full': true,
  'tail-settled': true,
  'no-such-entry': true,
  'settled-otherwise': true,
  pruned: true,
  moved: true,
  'waits-for-person': true,
  'seen-otherwise': true,
  'takeover-set': true,
  bumped: true,
  retired: true,
  adopted: true,
};

const count = z.int().min(0);
/** What a holder goes by is checked; the entries of the tail come from registers that checked them. */
const viewSchema = z.object({
  coordinator: z.object({ coordinatorId: z.string(), incarnation: z.string() }),
  lease: z
    .object({ agentId: z.string(), holder: z.string(), epoch: count, nonce: z.string(), ttlMs: count })
    .nullable(),
  epoch: count,
  remainingMs: z.number().min(0),
  tail: z.array(z.object({ effect: z.object({}), attemptToken: z.string(), status: z.string() })),
  frontier: z.record(z.string(), count),
});
const answersSchema = z.object({ answers: z.array(z.unknown()) });
const problemSchema = z.object({
  ok: z.literal(false),
  error: z.object({ code: z.string(), message: z.string(), wayOut: z.string() }),
});
const viewAnswer = z.object({ ok: z.literal(true), value: viewSchema });
const verbAnswer = z.object({
  ok: z.literal(true),
  value: z.object({
    reply: z.object({ kind: z.string().refine((kind) => Object.hasOwn(REPLIES, kind)) }),
    view: viewSchema,
  }),
});

/** The list of answers in a hub's reply, one for each question; `null` where it is not that. */
export function readAnswers(value: unknown, questions: number): readonly unknown[] | null {
  const read = answersSchema.safeParse(value);
  return read.success && read.data.answers.length === questions ? read.data.answers : null;
}

/** One answer. Whatever cannot be read, or comes from another register, is no answer. */
export function readVerbAnswer(value: unknown, expected: CoordinatorIdentity): Result<RegisterAnswer, Problem> {
  if (!verbAnswer.safeParse(value).success) return err(failureIn(value));
  // Checked above; what was not looked at is passed on as it came.
  const answer = (value as { readonly value: RegisterAnswer }).value;
  return isSame(answer.view.coordinator, expected) ? ok(answer) : err(wentBackProblem());
}

export function readViewAnswer(value: unknown, expected: CoordinatorIdentity): Result<RegisterView, Problem> {
  if (!viewAnswer.safeParse(value).success) return err(failureIn(value));
  const view = (value as { readonly value: RegisterView }).value;
  return isSame(view.coordinator, expected) ? ok(view) : err(wentBackProblem());
}

/** Whether two answers come from one life of one register. */
export function isSame(one: CoordinatorIdentity, other: CoordinatorIdentity): boolean {
  return one.coordinatorId === other.coordinatorId && one.incarnation === other.incarnation;
}

function failureIn(value: unknown): Problem {
  const said = problemSchema.safeParse(value);
  if (!said.success) return unreachableProblem('The hub gave an answer that nobody can read.');
  if (said.data.error.code === 'register-went-back') return wentBackProblem();
  return unreachableProblem(`The hub says: ${said.data.error.message}`);
}
