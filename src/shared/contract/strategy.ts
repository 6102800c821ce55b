import { z } from 'zod';
import { agentIdSchema, stateIdSchema } from './identifiers.ts';
import { scopeSchema } from './scope.ts';
import { effectSchema, scriptCallSchema, template, toolCallSchema } from './tool-calls.ts';
import { triggersSchema } from './triggers.ts';

/** Limits of one strategy. */
export const STRATEGY_STATE_LIMIT = 512;
export const STRATEGY_EDGE_LIMIT = 2_048;
/** The most items of one workset, and the most of them that are worked on at a time. */
export const WORKSET_ITEM_LIMIT = 256;
export const PARALLEL_LIMIT = 8;
/** How long a question for a person stays open unless its state says otherwise, ms. */
export const APPROVAL_TTL_MS = 30 * 60_000;

const title = z.string().trim().min(1).max(80);
const expression = z
  .string()
  .min(1)
  .max(4_096)
  .describe(
    'A condition in CEL, such as steps.read.output.status == 200. In here a state with a dash is steps["a-b"].',
  );

/** Where a step leads: one state, or the first of several whose condition holds. */
const edge = z.union([
  stateIdSchema,
  z
    .array(z.strictObject({ when: expression.optional(), to: stateIdSchema }))
    .min(1)
    .max(16),
]);
const failureEdge = z.union([
  stateIdSchema,
  z
    .array(
      z.strictObject({
        class: z
          .enum(['transient', 'permanent', 'authority', 'runtime'])
          .optional()
          .describe('Only for failures of this class.'),
        when: expression.optional(),
        to: stateIdSchema,
      }),
    )
    .min(1)
    .max(16),
]);
export type StrategyEdge = z.infer<typeof failureEdge>;

const retry = z
  .strictObject({
    attempts: z.int().min(2).max(20).describe('Attempts at one visit, the first one included.'),
    budget: z.int().min(1).max(256).default(32).describe('Repeats of this state in one run, over all its visits.'),
    firstDelayMs: z.int().min(1).max(3_600_000).default(1_000),
    factor: z.number().min(1).max(10).default(2),
    longestDelayMs: z.int().min(1).max(86_400_000).default(60_000),
  })
  .describe('For transient failures only, and only where repeating cannot do it twice.');
export type RetryPolicy = z.infer<typeof retry>;

const after = {
  onSuccess: edge,
  onFailure: failureEdge.optional(),
};
const afterActing = {
  retry: retry.optional(),
  ...after,
  onUnclear: stateIdSchema
    .optional()
    .describe('Where to go when a person stops an unclear step; without it the run stops.'),
};

const ask = z
  .boolean()
  .default(false)
  .describe('Whether a person is asked before each call, and sees exactly what would be sent.');
const modelToolUse = z.union([
  z.strictObject({
    server: z.string().min(1).max(64).describe('Offers the tools of this server.'),
    names: z.array(z.string().min(1).max(128)).min(1).max(128).describe('The tools that are offered, by name.'),
    ask,
  }),
  z.strictObject({
    name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/u),
    description: z.string().max(1_024),
    parameters: z.record(z.string(), z.json()).describe('A JSON Schema for the arguments.'),
    call: toolCallSchema.describe('The call; {{ args.name }} is an argument that the model gave.'),
    effect: effectSchema.optional(),
    ask,
  }),
]);
export type ModelToolUse = z.infer<typeof modelToolUse>;

const state = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('tool'),
    title: title.optional(),
    call: toolCallSchema,
    effect: effectSchema.optional(),
    ...afterActing,
  }),
  z.strictObject({
    type: z.literal('script'),
    title: title.optional(),
    call: scriptCallSchema,
    effect: effectSchema.optional(),
    ...afterActing,
  }),
  z.strictObject({
    type: z.literal('model'),
    title: title.optional(),
    model: z.string().min(1).max(64).describe('One of the models in the scope.'),
    system: template.default(''),
    prompt: template,
    tools: z.array(modelToolUse).max(64).default([]),
    maxTurns: z.int().min(1).max(64).default(16),
    maxOutputTokens: z.int().min(1).max(200_000).default(4_096).describe('Of one answer.'),
    tokenBudget: z.int().min(1).default(200_000).describe('Tokens of all turns together, in and out.'),
    costBudget: z.number().min(0).optional().describe('In the currency of the prices of the model.'),
    timeoutMs: z.int().min(100).max(3_600_000).optional(),
    ...afterActing,
  }),
  z.strictObject({
    type: z.literal('approve'),
    title: title.optional(),
    question: template,
    of: stateIdSchema.describe('The tool state that this allows, with exactly the input that was shown.'),
    expiresAfterMs: z
      .int()
      .min(1_000)
      .max(30 * 86_400_000)
      .optional(),
    ...after,
  }),
  z.strictObject({
    type: z.literal('choice'),
    title: title.optional(),
    branches: z
      .array(
        z.strictObject({
          when: expression.optional(),
          value: template
            .optional()
            .describe('Compared with is, atLeast and contains, where those say more than when.'),
          is: z.string().optional(),
          atLeast: z.number().optional(),
          contains: z.string().optional(),
          to: stateIdSchema,
        }),
      )
      .min(1)
      .max(64),
    otherwise: stateIdSchema,
  }),
  z.strictObject({
    type: z.literal('workset'),
    title: title.optional(),
    items: z.string().min(1).max(4_096).describe('An expression that gives a list, such as steps.read.output.files.'),
    id: z
      .string()
      .max(4_096)
      .optional()
      .describe('An expression over item that names it, the same whenever it is asked. Without it, the item itself.'),
    do: stateIdSchema.describe('The first state of what is done with each item; {{ item }} is the item in there.'),
    parallel: z.int().min(1).max(PARALLEL_LIMIT).default(PARALLEL_LIMIT),
    ...after,
  }),
  z.strictObject({
    type: z.literal('fork'),
    title: title.optional(),
    branches: z.record(stateIdSchema, stateIdSchema).describe('The first state of each branch, by its name.'),
    join: stateIdSchema.describe('The join state in which the branches end.'),
  }),
  z.strictObject({
    type: z.literal('join'),
    title: title.optional(),
    need: z
      .union([z.enum(['all', 'any']), z.int().min(1).max(16)])
      .default('all')
      .describe('How many branches must arrive for success. The others are still waited for.'),
    ...after,
  }),
  z.strictObject({
    type: z.literal('wait'),
    title: title.optional(),
    forMs: z
      .int()
      .min(1)
      .max(366 * 86_400_000),
    onSuccess: edge,
  }),
  z.strictObject({ type: z.literal('done'), title: title.optional() }),
  z.strictObject({ type: z.literal('fail'), title: title.optional(), reason: template.optional() }),
]);
/** One state of a strategy. */
export type StrategyState = z.infer<typeof state>;
type StateOf<Type extends StrategyState['type']> = Extract<StrategyState, { type: Type }>;
export type ModelState = StateOf<'model'>;
/** States that a run goes through in branches of its own. */
export type BranchingState = StateOf<'workset' | 'fork'>;

const inputField = z.strictObject({
  title,
  description: z.string().max(400).optional(),
  default: z.string().max(65_536).optional(),
});

/** The strategy as a file: JSON or YAML. Edges are checked by `checkStrategy` in the core. */
export const strategySchema = z.strictObject({
  $schema: z.string().optional(),
  fencepost: z.literal(1).describe('Version of this format.'),
  id: agentIdSchema,
  name: title,
  description: z.string().max(400).default(''),
  summary: template.optional().describe('One line that says what a run does, for lists.'),
  input: z.record(z.string().regex(/^[a-z][a-zA-Z0-9]{0,31}$/u), inputField).default({}),
  scope: scopeSchema.prefault({}),
  triggers: triggersSchema.prefault({}),
  leaseTtlMs: z.int().min(3_000).max(600_000).optional(),
  start: stateIdSchema,
  states: z.record(stateIdSchema, state),
});
export type Strategy = z.infer<typeof strategySchema>;

/** A place in a strategy file where something is wrong. `line` and `column` count from 1. */
export interface StrategyProblem {
  readonly line: number;
  readonly column: number;
  /** Such as `states.post.call.url`. */
  readonly field: string;
  readonly message: string;
}
