import { z } from 'zod';
import { activityRequestSchemas } from './activity-requests.ts';
import type * as activity from './activity-views.ts';
import { asleepRequestSchemas } from './asleep-views.ts';
import type { AsleepView } from './asleep-views.ts';
import { coordinatorRequestSchemas } from './coordinator-requests.ts';
import { desktopRequestSchemas } from './desktop-views.ts';
import type { DesktopView } from './desktop-views.ts';
import { recoveryRequestSchemas } from './recovery-requests.ts';
import { runStatusSchema, savedViewRequestSchemas } from './saved-views.ts';
import type { SavedViewsView } from './saved-views.ts';
import { recordRequestSchemas } from './record-views.ts';
import { refusalRequestSchemas } from './refusal-requests.ts';
import type { RefusalsView } from './refusal-views.ts';
import type { DiagnosticsView, RecordView } from './record-views.ts';
import type { ToolsView } from './tool-views.ts';
import { syncRequestSchemas } from './sync-requests.ts';
import type { RecoveryWordsView, SyncView } from './sync-views.ts';
import type { CoordinatorCheck, CoordinatorView, DevicesView } from './coordinator-views.ts';
import type { Problem } from './errors.ts';
import type { Result } from '../lib/result.ts';
import { agentIdSchema, deviceIdSchema, digestSchema, runIdSchema, stateIdSchema } from './identifiers.ts';
import type * as decisions from './decision-views.ts';
import { RUNS_CHOSEN_MAX } from './run-views.ts';
import type { BranchesView, PermittedView } from './run-views.ts';
import type { ScheduleDraftView, SchedulesView } from './schedule-views.ts';
import type { LeasesView } from './lease-views.ts';
import type { SearchView } from './search-views.ts';
import type { SecretsView } from './secret-views.ts';
import { signInRequestSchemas } from './sign-in-views.ts';
import type { SignInBegunView, SignInsView } from './sign-in-views.ts';
import { newScheduleSchema } from './triggers.ts';
import type * as views from './views.ts';

const reason = z.string().max(1_000).default('');
const nothing = z.strictObject({});
/** What cannot be a name of a secret is told by the store, in plain words. */
const secretName = z.string().min(1).max(200);
const runRef = z.strictObject({ runId: runIdSchema });
const agentRef = z.strictObject({ agentId: agentIdSchema });
const missedRef = z.strictObject({
  agentId: agentIdSchema,
  kind: z.enum(['schedule', 'file', 'webhook', 'run']),
  triggerId: z.string().min(1).max(32),
  /** As it was shown: a path and a digest can be long. */
  slot: z.string().min(1).max(8_192),
});
const maybeAgent = z.strictObject({ agentId: agentIdSchema.optional() });
/** The longest that a permission or a standing permission is given for, ms. */
const YEAR_MS = 366 * 86_400_000;
const grantDevices = z.enum(['any', 'this']).default('any');
const lasts = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('always') }),
    z.strictObject({ kind: z.literal('for'), ms: z.int().min(60_000).max(YEAR_MS) }),
    z.strictObject({ kind: z.literal('until'), atMs: z.int().min(0) }),
  ])
  .default({ kind: 'always' });

/** The requests of the one API, by route. Electron IPC, the browser and later doors all use these schemas. */
export const requestSchemas = {
  'overview.get': nothing,
  'runs.list': z.strictObject({
    search: z.string().max(200).default(''),
    statuses: z.array(runStatusSchema).max(11).default([]),
    agentId: agentIdSchema.optional(),
    /** Those that this device acts for now, or else took on last. */
    deviceId: deviceIdSchema.optional(),
    /** When they began, wall ms: from here on, and before there. */
    sinceMs: z.int().min(0).optional(),
    beforeMs: z.int().min(0).optional(),
    /** These runs only, as far as the rest fits them. */
    runIds: z.array(runIdSchema).max(RUNS_CHOSEN_MAX).optional(),
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(RUNS_CHOSEN_MAX).default(200),
  }),
  'runs.get': runRef,
  /** The items of one visit of a workset, or the ways of a fork. */
  'runs.branches': z.strictObject({ runId: runIdSchema, stateId: stateIdSchema, stateVisit: z.int().min(1) }),
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
  /** Without a kind the first hits of each; the hits of one kind go on `before` the last one. */
  'search.list': z.strictObject({
    query: z.string().max(200),
    kind: z.enum(['run', 'target', 'summary']).optional(),
    before: z.int().min(0).optional(),
    limit: z.int().min(1).max(100).default(20),
  }),
  'needs.list': nothing,
  ...recoveryRequestSchemas,
  'approval.get': z.strictObject({ approvalId: z.string().min(1).max(160) }),
  'approval.decide': z.strictObject({
    approvalId: z.string().min(1).max(160),
    inputDigest: digestSchema,
    isAllowed: z.boolean(),
    reason,
  }),
  'standing.give': z.strictObject({
    approvalId: z.string().min(1).max(160),
    inputDigest: digestSchema,
    scope: z.enum(['same-target', 'same-input']),
    forMs: z.int().min(60_000).max(YEAR_MS),
    reason,
  }),
  'standing.revoke': z.strictObject({ standingId: z.string().min(1).max(160) }),
  ...refusalRequestSchemas,
  /** Those that this device may act for now. */
  'leases.list': z.strictObject({ deviceId: deviceIdSchema.optional() }),
  'schedules.list': nothing,
  'schedules.draft': z.strictObject({ agentId: agentIdSchema, ...newScheduleSchema.shape }),
  'schedules.runMissed': missedRef,
  'schedules.skip': missedRef,
  'agents.list': nothing,
  'agents.get': agentRef,
  /** The version that was permitted last, to compare with. */
  'agents.permitted': agentRef,
  'agents.save': z.strictObject({ fileName: z.string().min(1).max(255), source: z.string().max(1_048_576) }),
  /** The permission that would be given for such devices and so long. */
  'agents.preview': z.strictObject({ agentId: agentIdSchema, devices: grantDevices, lasts }),
  'agents.authorise': z.strictObject({
    agentId: agentIdSchema,
    previewDigest: digestSchema,
    devices: grantDevices,
    expiresAtMs: z.int().min(0).nullable().default(null),
  }),
  'agents.revoke': agentRef,
  /** Of one agent; of everything without one. */
  'control.get': maybeAgent,
  'control.stop': maybeAgent,
  'control.pause': maybeAgent,
  'control.resume': maybeAgent,
  'text.get': z.strictObject({ digest: digestSchema }),
  'secrets.list': nothing,
  'secrets.set': z.strictObject({ name: secretName, value: z.string().max(65_536) }),
  'secrets.remove': z.strictObject({ name: secretName }),
  /** Where values go on a device without a keychain. */
  'secrets.choose': z.strictObject({ kind: z.enum(['session', 'plain-file']) }),
  'tools.list': nothing,
  ...signInRequestSchemas,
  'settings.get': nothing,
  'settings.set': z.strictObject({
    deviceName: z.string().trim().min(1).max(60).optional(),
    theme: z.enum(['system', 'light', 'dark']).optional(),
    contrast: z.enum(['system', 'high']).optional(),
    isOnboarded: z.boolean().optional(),
  }),
  ...desktopRequestSchemas,
  ...savedViewRequestSchemas,
  ...coordinatorRequestSchemas,
  ...syncRequestSchemas,
  ...activityRequestSchemas,
  ...asleepRequestSchemas,
  ...recordRequestSchemas,
} as const;

/** What was done, in a sentence. */
interface Told {
  readonly sentence: string;
}

/** What each route answers. Answers are plain data: they are made by the host, not checked again. */
export interface Responses {
  'overview.get': views.OverviewView;
  'runs.list': views.RunsView;
  'runs.get': views.RunDetailView;
  'runs.branches': BranchesView;
  'runs.start': { readonly runId: string };
  'runs.stop': { readonly sentence: string };
  'runs.pause': { readonly sentence: string };
  'runs.resume': { readonly sentence: string };
  'runs.export': { readonly fileName: string; readonly text: string };
  'savedViews.list': SavedViewsView;
  'savedViews.save': Told;
  'savedViews.remove': Told;
  'search.list': SearchView;
  'needs.list': decisions.NeedsYouView;
  'recovery.get': decisions.RecoveryView;
  'recovery.check': { readonly answer: 'happened' | 'did-not-happen' | 'silent'; readonly sentence: string };
  'recovery.resolve': { readonly sentence: string };
  'recovery.reopen': { readonly sentence: string };
  'recovery.resolveAlike': decisions.BatchResultView;
  'recovery.wait': Told;
  'recovery.stopWaiting': Told;
  'approval.get': decisions.ApprovalView;
  'approval.decide': { readonly sentence: string };
  'standing.give': { readonly sentence: string };
  'standing.revoke': { readonly sentence: string };
  'refusals.list': RefusalsView;
  'leases.list': LeasesView;
  'schedules.list': SchedulesView;
  'schedules.draft': ScheduleDraftView;
  'schedules.runMissed': { readonly runId: string };
  'schedules.skip': { readonly sentence: string };
  'agents.list': { readonly sequence: number; readonly agents: readonly views.AgentRow[] };
  'agents.get': views.AgentDetailView;
  'agents.permitted': PermittedView;
  'agents.save': views.SaveAgentView;
  'agents.preview': decisions.GrantPreviewView;
  'agents.authorise': { readonly grantDigest: string };
  'agents.revoke': { readonly sentence: string };
  'control.get': decisions.ControlView;
  'control.stop': { readonly sentence: string };
  'control.pause': { readonly sentence: string };
  'control.resume': { readonly sentence: string };
  'text.get': { readonly text: string };
  'secrets.list': SecretsView;
  'secrets.set': { readonly sentence: string };
  'secrets.remove': { readonly sentence: string };
  'secrets.choose': { readonly sentence: string };
  'tools.list': ToolsView;
  'signIns.list': SignInsView;
  'signIns.begin': SignInBegunView;
  'signIns.cancel': Told;
  'signIns.end': Told;
  'record.get': RecordView;
  'record.keep': Told;
  'record.check': Told;
  'diagnostics.get': DiagnosticsView;
  'diagnostics.openFolder': Told;
  'settings.get': views.SettingsView;
  'settings.set': views.SettingsView;
  'desktop.get': DesktopView;
  'desktop.set': DesktopView;
  'coordinator.get': CoordinatorView;
  'coordinator.test': { readonly checks: readonly CoordinatorCheck[]; readonly isUsable: boolean };
  'coordinator.move': Told;
  'coordinator.cancelMove': Told;
  'coordinator.confirmRestore': Told;
  'leases.takeOver': Told;
  'leases.setTakeover': Told;
  'leases.bump': Told;
  'hub.start': Told;
  'hub.stop': Told;
  'devices.list': DevicesView;
  'devices.invite': Told;
  'devices.cancelInvite': Told;
  'devices.answer': Told;
  'devices.rename': Told;
  'devices.revoke': Told;
  'devices.join': Told;
  'devices.cancelJoin': Told;
  'sync.get': SyncView;
  /** The words are to be written down before anything else is done. */
  'sync.create': { readonly words: readonly string[] };
  'sync.join': Told;
  'sync.words': RecoveryWordsView;
  'sync.forgetWords': Told;
  'sync.leave': Told;
  'sync.now': Told;
  'sync.letGo': Told;
  'sync.tryAgain': Told;
  'sync.newIdentity': Told;
  'asleep.get': AsleepView;
  'asleep.dismiss': Told;
  'activity.list': activity.ActivityView;
  'activity.news': activity.ActivityNewsView;
  'activity.get': activity.ActivityEntryView;
  'export.begin': activity.ExportBegunView;
  'export.get': activity.ExportView;
  'export.cancel': Told;
}

export type Route = keyof typeof requestSchemas;
/** What a caller passes: defaults may be left out. */
export type RequestOf<R extends Route> = z.input<(typeof requestSchemas)[R]>;
/** What a handler receives: defaults filled in. */
export type ParsedRequestOf<R extends Route> = z.output<(typeof requestSchemas)[R]>;
export type ResponseOf<R extends Route> = Responses[R];
/** Calls never reject: an expected failure is a value. */
export type Answer<R extends Route> = Result<ResponseOf<R>, Problem>;

/**
 * Told to every window after each commit. A gap in `sequence` means: read everything again. One whose two numbers are the
 * same comes without a commit: calls of the runs told something while they run (`RunDetailView.live`), or, without any run,
 * other devices did something, or a pairing, a move or a sign-in got further.
 */
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
