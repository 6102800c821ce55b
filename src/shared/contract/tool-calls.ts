import { z } from 'zod';

/** The longest a tool may take unless its state says otherwise, ms. */
export const TOOL_TIMEOUT_MS = 30_000;

/** Text with `{{ input.name }}`, `{{ steps.state.output.field }}` and other expressions in it. */
export const template = z.string().max(65_536);

/** A secret in the keychain, by its name. Its value is looked up when the call leaves, and stands in no event. */
export const secretNameSchema = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/u);
const secretPart = z.strictObject({
  secret: secretNameSchema,
  prefix: z.string().max(64).default('').describe('What stands before the secret, such as "Bearer ".'),
});
/** A header or variable whose value is a secret. */
export type SecretPart = z.infer<typeof secretPart>;
const headerName = z.string().regex(/^[A-Za-z0-9-]+$/u);
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/u);
export const secretHeaders = z.record(headerName, secretPart);
export const secretVariables = z.record(variableName, secretNameSchema);
const variables = z.record(variableName, template);

const argv = z
  .array(template)
  .min(1)
  .max(256)
  .describe('The program and its arguments, one by one. Never a shell line.');
const runningPlace = {
  cwd: template.optional().describe('The folder to run in; must lie inside a folder that the agent may use.'),
  env: variables.optional().describe('Variables for the program, besides the few that every program gets.'),
  secretEnv: secretVariables.optional().describe('Variables whose values are secrets, by the name of the secret.'),
  timeoutMs: z.int().min(100).max(3_600_000).optional(),
};

const shellCall = z.strictObject({ tool: z.literal('shell'), argv, ...runningPlace });

const scriptCall = z.strictObject({
  tool: z.literal('script'),
  interpreter: z.string().min(1).max(64).describe('The program that runs the text, such as node, python3 or sh.'),
  source: z.string().max(262_144).describe('The text of the script, as it is: nothing is filled into it.'),
  args: z.array(template).max(255).default([]),
  ...runningPlace,
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
  headers: z.record(headerName, template).optional(),
  secretHeaders: secretHeaders.optional(),
  body: template.optional(),
  timeoutMs: z.int().min(100).max(600_000).optional(),
});

/** Values of a tool's arguments: JSON, with places to fill in inside its texts. */
const argument = z.json();

const mcpCall = z.strictObject({
  tool: z.literal('mcp.call'),
  server: z.string().min(1).max(64).describe('One of the tool servers in the scope.'),
  name: z.string().min(1).max(128).describe("The tool's own name on that server."),
  arguments: z.record(z.string().max(128), argument).default({}),
  timeoutMs: z.int().min(100).max(3_600_000).optional(),
});

const mailCall = z.strictObject({
  tool: z.literal('mail.send'),
  mailbox: z.string().min(1).max(64).describe('One of the mailboxes in the scope.'),
  to: z.array(template).min(1).max(64),
  cc: z.array(template).max(64).optional(),
  bcc: z.array(template).max(64).optional(),
  subject: template,
  text: template,
  timeoutMs: z.int().min(100).max(600_000).optional(),
});

/** What a model may be told and may answer, in the few shapes that every endpoint knows. */
const modelMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), text: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    text: z.string(),
    calls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
  }),
  z.strictObject({ role: z.literal('tool'), id: z.string(), text: z.string(), isError: z.boolean() }),
]);
export type ModelMessage = z.infer<typeof modelMessage>;
const modelTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.json()),
});
/** A tool as a model is told about it; `parameters` is a JSON Schema. */
export type ModelTool = z.infer<typeof modelTool>;
/** One turn of a model. It is made by a `model` state, never written in a file. */
const modelCall = z.strictObject({
  tool: z.literal('model.call'),
  model: z.string(),
  system: z.string(),
  messages: z.array(modelMessage),
  tools: z.array(modelTool),
  maxOutputTokens: z.int().min(1),
  timeoutMs: z.int().min(100).max(3_600_000).optional(),
});

/** A call that a strategy file can name, before its templates are filled in. */
export const toolCallSchema = z.discriminatedUnion('tool', [shellCall, fileWriteCall, httpCall, mcpCall, mailCall]);
export const scriptCallSchema = scriptCall;
/** Any call that a tool can prepare and perform. */
export type ToolCall = z.infer<typeof toolCallSchema> | z.infer<typeof scriptCall> | z.infer<typeof modelCall>;
export type ToolName = ToolCall['tool'];

export const effectSchema = z
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
export type EffectDeclaration = z.infer<typeof effectSchema>;
