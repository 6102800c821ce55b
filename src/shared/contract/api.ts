import { z } from 'zod';
import type { Problem } from './errors.ts';
import type { Result } from '../lib/result.ts';
import { agentIdSchema, attemptTokenSchema, digestSchema, runIdSchema } from './identifiers.ts';
import type * as decisions from './decision-views.ts';
import type * as views from './views.ts';

const reason = z.string().max(1_000).default('');
const nothing = z.strictObject({});
const runRef = z.strictObject({ runId: runIdSchema });
const agentRef = z.strictObject({ agentId: agentIdSchema });
const statuses = z.enum([
  'waiting',
  'running-here',
  'running-elsewhere',
  'needs-approval',
  'needs-recovery',
  'refused',
  'done',
  'failed-nothing-sent',
  'failed-was-sent',
  'stopped',
  'missed',
]);

/** The requests of the one API, by route. Electron IPC, the browser and later doors all use these schemas. */
export const requestSchemas = {
  'overview.get': nothing,
  'runs.list': z.strictObject({
    search: z.string().max(200).default(''),
    statuses: z.array(statuses).max(11).default([]),
    agentId: agentIdSchema.optional(),
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(500).default(200),
  }),
  'runs.get': runRef,
  'runs.start': z.strictObject({
    agentId: agentIdSchema,
    /** Made by the caller once per press: a second press with the same id is the same run. */
    requestId: z.string().min(8).max(80),
    input: z.record(z.string(), z.string().max(65_536)).default({}),
  }),
  'runs.stop': runRef,
  'runs.pause': runRef,
  'runs.resume': runRef,
  'runs.export': runRef,
  'needs.list': nothing,
  'recovery.get': z.strictObject({ attemptToken: attemptTokenSchema }),
  'recovery.check': z.strictObject({ attemptToken: attemptTokenSchema }),
  'recovery.resolve': z.strictObject({
    attemptToken: attemptTokenSchema,
    inputDigest: digestSchema,
    epoch: z.int().min(0),
    choice: z.enum(['it-happened', 'send-again', 'undo-then-send', 'stop-here']),
    reason,
  }),
  'recovery.reopen': z.strictObject({ attemptToken: attemptTokenSchema }),
  'approval.get': z.strictObject({ approvalId: z.string().min(1).max(160) }),
  'approval.decide': z.strictObject({
    approvalId: z.string().min(1).max(160),
    inputDigest: digestSchema,
    isAllowed: z.boolean(),
    reason,
  }),
  'refusals.list': nothing,
  'leases.list': nothing,
  'agents.list': nothing,
  'agents.get': agentRef,
  'agents.save': z.strictObject({ fileName: z.string().min(1).max(255), source: z.string().max(1_048_576) }),
  'agents.authorise': z.strictObject({ agentId: agentIdSchema, previewDigest: digestSchema }),
  'agents.revoke': agentRef,
  'text.get': z.strictObject({ digest: digestSchema }),
  'settings.get': nothing,
  'settings.set': z.strictObject({
    deviceName: z.string().trim().min(1).max(60).optional(),
    theme: z.enum(['system', 'light', 'dark']).optional(),
    isOnboarded: z.boolean().optional(),
  }),
} as const;

/** What each route answers. Answers are plain data: they are made by the host, not checked again. */
export interface Responses {
  'overview.get': views.OverviewView;
  'runs.list': views.RunsView;
  'runs.get': views.RunDetailView;
  'runs.start': { readonly runId: string };
  'runs.stop': { readonly sentence: string };
  'runs.pause': { readonly sentence: string };
  'runs.resume': { readonly sentence: string };
  'runs.export': { readonly fileName: string; readonly text: string };
  'needs.list': decisions.NeedsYouView;
  'recovery.get': decisions.RecoveryView;
  'recovery.check': { readonly answer: 'happened' | 'did-not-happen' | 'silent'; readonly sentence: string };
  'recovery.resolve': { readonly sentence: string };
  'recovery.reopen': { readonly sentence: string };
  'approval.get': decisions.ApprovalView;
  'approval.decide': { readonly sentence: string };
  'refusals.list': views.RefusalsView;
  'leases.list': views.LeasesView;
  'agents.list': { readonly sequence: number; readonly agents: readonly views.AgentRow[] };
  'agents.get': views.AgentDetailView;
  'agents.save': views.SaveAgentView;
  'agents.authorise': { readonly grantDigest: string };
  'agents.revoke': { readonly sentence: string };
  'text.get': { readonly text: string };
  'settings.get': views.SettingsView;
  'settings.set': views.SettingsView;
}

export type Route = keyof typeof requestSchemas;
/** What a caller passes: defaults may be left out. */
export type RequestOf<R extends Route> = z.input<(typeof requestSchemas)[R]>;
/** What a handler receives: defaults filled in. */
export type ParsedRequestOf<R extends Route> = z.output<(typeof requestSchemas)[R]>;
export type ResponseOf<R extends Route> = Responses[R];
/** Calls never reject: an expected failure is a value. */
export type Answer<R extends Route> = Result<ResponseOf<R>, Problem>;

/** Told to every window after each commit. A gap in `sequence` means: read everything again. */
export interface ChangeNotice {
  /** The journal's last sequence number that the projections contain. */
  readonly sequence: number;
  readonly previousSequence: number;
  readonly runIds: readonly string[];
  readonly agentIds: readonly string[];
}

/** What the preload (or the browser's socket client) gives the window: two functions, nothing else. */
export interface Bridge {
  call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>>;
  /** Returns the function that ends the subscription. */
  onChange(listener: (notice: ChangeNotice) => void): () => void;
}
