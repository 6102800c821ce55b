import { z } from 'zod';
import { agentIdSchema, stateIdSchema } from './identifiers.ts';

/** Limits of one strategy. */
export const STRATEGY_STATE_LIMIT = 512;
/** The longest a tool may take unless its state says otherwise, ms. */
export const TOOL_TIMEOUT_MS = 30_000;
/** How long a question for a person stays open unless its state says otherwise, ms. */
export const APPROVAL_TTL_MS = 30 * 60_000;

const title = z.string().trim().min(1).max(80);
/** Text with `{{ input.name }}` and `{{ steps.state.output.field }}` places in it. */
const template = z.string().max(65_536);
const argv = z
  .array(template)
  .min(1)
  .max(256)
  .describe('The program and its arguments, one by one. Never a shell line.');

const shellCall = z.strictObject({
  tool: z.literal('shell'),
  argv,
  cwd: template.optional().describe('The folder to run in; must lie inside a folder that the agent may use.'),
  timeoutMs: z.int().min(100).max(3_600_000).optional(),
});

const fileWriteCall = z.strictObject({
  tool: z.literal('file.write'),
  path: template.describe('The file to write; must lie inside a folder that the agent may use.'),
  content: template,
  mode: z.enum(['create', 'replace']).default('create').describe('create refuses to touch a file that is there.'),
});

const httpCall = z.strictObject({
  tool: z.literal('http.request'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: template,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/u), template).optional(),
  body: template.optional(),
  timeoutMs: z.int().min(100).max(600_000).optional(),
});

/** A call of a tool, before its templates are filled in. */
const toolCallSchema = z.discriminatedUnion('tool', [shellCall, fileWriteCall, httpCall]);
export type ToolCall = z.infer<typeof toolCallSchema>;
export type ToolName = ToolCall['tool'];

const effect = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('read-only') }),
    z.strictObject({
      kind: z.literal('idempotent-by-key'),
      dedupeWindowMs: z.int().min(1).describe('How long the target recognises the same key.'),
    }),
    z.strictObject({
      kind: z.literal('verifiable'),
      probe: toolCallSchema
        .optional()
        .describe('A read-only look. Exit code 0 or a 2xx answer: it happened; exit code 1 or 404: it did not.'),
    }),
    z.strictObject({ kind: z.literal('compensable'), undo: toolCallSchema }),
    z.strictObject({ kind: z.literal('blind'), destructive: z.boolean().default(false) }),
  ])
  .describe('What may be done when nobody knows whether it happened. Left out, a tool is judged by its strictest use.');
/** How a person set the effect kind of one state. */
export type EffectDeclaration = z.infer<typeof effect>;

const edge = stateIdSchema.optional();
const state = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('tool'),
    title: title.optional(),
    call: toolCallSchema,
    effect: effect.optional(),
    onSuccess: stateIdSchema,
    onFailure: edge,
    onUnclear: edge.describe('Where to go when a person stops an unclear step; without it the run stops.'),
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
    onSuccess: stateIdSchema,
    onFailure: edge,
  }),
  z.strictObject({
    type: z.literal('choice'),
    title: title.optional(),
    branches: z
      .array(
        z.strictObject({
          value: template,
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
    type: z.literal('wait'),
    title: title.optional(),
    forMs: z
      .int()
      .min(1)
      .max(366 * 86_400_000),
    onSuccess: stateIdSchema,
  }),
  z.strictObject({ type: z.literal('done'), title: title.optional() }),
  z.strictObject({ type: z.literal('fail'), title: title.optional(), reason: template.optional() }),
]);
/** One state of a strategy. */
export type StrategyState = z.infer<typeof state>;
export type ToolState = Extract<StrategyState, { type: 'tool' }>;

/** What an agent may touch at most; a person sees and grants it. */
const scope = z.strictObject({
  folders: z
    .array(template)
    .max(64)
    .default([])
    .describe('Folders in which files may be written and programs may run.'),
  programs: z.array(z.string().min(1)).max(64).default([]).describe('Programs that may be started, by name.'),
  hosts: z
    .array(z.string().min(1))
    .max(64)
    .default([])
    .describe('Hosts that may be called, such as api.example.com:443.'),
});
export type StrategyScope = z.infer<typeof scope>;

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
  scope: scope.prefault({}),
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
