import { z } from 'zod';
import { effectSchema, secretHeaders, secretNameSchema, secretVariables, template } from './tool-calls.ts';

/** Names inside one strategy: of a tool server, a mailbox, a model. */
const localName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/u);
const effects = z
  .record(z.string().min(1).max(128), effectSchema)
  .default({})
  .describe('The effect kind of single tools. A tool that is not named here is judged by its strictest use.');

const server = z.union([
  z.strictObject({
    command: z
      .array(z.string().min(1).max(4_096))
      .min(1)
      .max(64)
      .describe('The exact command line that starts the server. It is part of what a person grants.'),
    cwd: z.string().max(4_096).optional(),
    env: z.record(z.string().min(1).max(64), z.string().max(65_536)).optional(),
    secretEnv: secretVariables.optional(),
    effects,
  }),
  z.strictObject({
    url: z.url().max(2_048).describe('The address of a server that speaks streamable HTTP.'),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/u), z.string().max(4_096)).optional(),
    secretHeaders: secretHeaders.optional(),
    effects,
  }),
]);
/** A tool server (MCP) that an agent may use. */
export type ToolServer = z.infer<typeof server>;

const mailHost = {
  host: z.string().min(1).max(255),
  port: z.int().min(1).max(65_535),
  security: z.enum(['tls', 'starttls', 'none']).default('tls').describe('none only for a server on this machine.'),
  user: z.string().max(255).optional(),
  secret: secretNameSchema.optional().describe('The name of the secret that holds the password.'),
};
const mailbox = z.strictObject({
  from: z.string().min(3).max(320),
  smtp: z.strictObject(mailHost),
  sent: z
    .strictObject({ ...mailHost, folder: z.string().min(1).max(255).default('Sent') })
    .optional()
    .describe('Where to look whether a message went out. Without it nobody can look.'),
});
/** A mailbox that an agent may send from. */
export type Mailbox = z.infer<typeof mailbox>;

const modelEndpoint = z.strictObject({
  provider: z.enum(['openai', 'anthropic']).describe('openai also means every endpoint that speaks its protocol.'),
  baseUrl: z.url().max(2_048).optional().describe("Another address than the provider's own, such as a local one."),
  model: z.string().min(1).max(128),
  secret: secretNameSchema.optional().describe('The name of the secret that holds the key.'),
  inputPricePerMillion: z.number().min(0).optional().describe('For the cost budget, in any one currency.'),
  outputPricePerMillion: z.number().min(0).optional(),
});
/** A model that an agent may ask. */
export type ModelEndpoint = z.infer<typeof modelEndpoint>;

/** What an agent may touch at most; a person sees and grants it. */
export const scopeSchema = z.strictObject({
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
  recipients: z
    .array(z.string().min(2).max(320))
    .max(256)
    .default([])
    .describe('Addresses that mail may go to, such as ana@example.com, or all of a domain: @example.com.'),
  servers: z.record(localName, server).default({}).describe('Tool servers (MCP).'),
  mailboxes: z.record(localName, mailbox).default({}),
  models: z.record(localName, modelEndpoint).default({}),
});
export type StrategyScope = z.infer<typeof scopeSchema>;
