import type { LeaseView } from './lease-views.ts';
import type { EffectKind } from '../core/effect/effect-kind.ts';
import type { RunStatus } from '../core/run/run-state.ts';
import type { HoldView, StandingView } from './decision-views.ts';
import type { RecordedEvent } from './events.ts';
import type {
  BranchingView,
  GraphEdge,
  LiveView,
  ModelStepView,
  OuterRun,
  StateStanding,
  TryView,
} from './run-views.ts';
import type { StrategyProblem } from './strategy.ts';
import type { SyncChip } from './sync-views.ts';

/** What the window shows: plain data, computed by the host, never a rule of its own. Times are wall milliseconds. */

interface DeviceView {
  readonly deviceId: string;
  readonly name: string;
  readonly isThisDevice: boolean;
}

/** Shell of the window: rail counts and status bar. */
export interface OverviewView {
  readonly sequence: number;
  readonly version: string;
  readonly device: DeviceView;
  /** Where the same host runs: 'window' in Electron, 'browser' when served headless. */
  readonly surface: 'window' | 'browser';
  readonly platform: 'linux' | 'macos' | 'windows';
  readonly needsYou: number;
  readonly agents: number;
  readonly mayActFor: number;
  readonly running: number;
  readonly refusals: number;
  readonly isPaused: boolean;
  /** The pause of everything. */
  readonly hold: HoldView | null;
  readonly coordinator: {
    readonly name: string;
    readonly state: 'ready' | 'unreachable' | 'went-back';
    readonly answeredMs: number | null;
  };
  readonly store: { readonly state: 'ready' | 'unsure' | 'full' | 'read-only'; readonly message: string };
  /** How the shared journals stand; `null` while nothing is shared. */
  readonly sync: SyncChip | null;
  readonly isFirstStart: boolean;
}

export interface RunRow {
  readonly runId: string;
  readonly number: number;
  readonly status: RunStatus;
  readonly title: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly deviceName: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly stepsDone: number;
  readonly stepsTotal: number;
  readonly lastEvent: string;
}

export interface RunsView {
  readonly sequence: number;
  readonly total: number;
  readonly shown: number;
  readonly counts: Readonly<Partial<Record<RunStatus, number>>>;
  readonly rows: readonly RunRow[];
  /** The devices that any run can be filtered by. */
  readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
}

/** A line of the timeline; `word` is one of the ten, `recovery` or `run`. */
export interface TimelineRow {
  readonly seq: number;
  readonly word: string;
  readonly atMs: number;
  readonly sentence: string;
  readonly measure: string;
  readonly mark: 'dot' | 'key' | 'done' | 'refused' | 'unclear' | 'failed' | 'running' | 'gap';
  readonly effectKey: string | null;
}

export interface StepRow {
  readonly stateId: string;
  readonly stateVisit: number;
  readonly title: string;
  readonly type: string;
  readonly status: 'waiting' | 'running' | 'done' | 'failed' | 'unclear' | 'needs-approval' | 'refused' | 'stopped';
  readonly attempts: number;
  readonly effectKind: EffectKind | null;
  readonly input: TextView | null;
  readonly output: TextView | null;
  readonly summary: string;
  /** The attempts at a step of one effect, oldest first. */
  readonly tries: readonly TryView[];
  /** Only of a step that asks a model. */
  readonly model: ModelStepView | null;
}

/** Untrusted text: never rendered as markup, hidden characters escaped by the window. */
export interface TextView {
  readonly text: string;
  readonly bytes: number;
  readonly digest: string;
  /** True when only the beginning is in `text`. */
  readonly isCut: boolean;
}

/** One effect as a lane over time. */
export interface LaneView {
  readonly effectKey: string;
  readonly title: string;
  readonly outcome: string;
  readonly status: StepRow['status'];
  readonly marks: readonly { readonly atMs: number; readonly kind: 'sent' | 'refused' | 'unclear' }[];
}

/** One answer that the gate, the claim or the fence gave, with the facts it saw. */
export interface WhyView {
  readonly seq: number;
  readonly atMs: number;
  readonly effectKey: string;
  readonly headline: string;
  readonly isGoodNews: boolean;
  readonly questions: readonly {
    readonly question: string;
    readonly answer: string;
    readonly verdict: 'yes' | 'no' | 'decided';
  }[];
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}

/** How many come before the shown ones. 0: all are shown. */
export interface EarlierView {
  /** Entries of the record. */
  readonly timeline: number;
  readonly evidence: number;
  /** Visits of states. */
  readonly steps: number;
  /** Attempts. */
  readonly why: number;
}

export interface RunDetailView {
  readonly sequence: number;
  readonly row: RunRow;
  readonly stateSentence: string;
  /** What is kept of a run of which the single steps were condensed; `null` where all of them are there. */
  readonly condensed: string | null;
  readonly lease: LeaseView | null;
  readonly canStop: boolean;
  readonly canPause: boolean;
  readonly canResume: boolean;
  readonly attemptInDoubt: string | null;
  readonly approvalId: string | null;
  readonly timeline: readonly TimelineRow[];
  /** What is on its way and tells something meanwhile. */
  readonly live: readonly LiveView[];
  readonly lanes: readonly LaneView[];
  readonly steps: readonly StepRow[];
  readonly why: readonly WhyView[];
  readonly evidence: readonly RecordedEvent[];
  /** How much lies before what the tabs of a very long run show; the export holds all of it. */
  readonly earlier: EarlierView;
  /** The runs that this one is a branch inside of, outermost first. */
  readonly within: readonly OuterRun[];
  /** The name of the branch that this run is; `null` for a run of its own. */
  readonly branch: string | null;
  /** The states with where they stand; none if the strategy cannot be read. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The newest visits of worksets and forks, oldest first. */
  readonly branchings: readonly BranchingView[];
}

export interface AgentRow {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  readonly status: RunStatus | 'ready' | 'needs-permission';
  readonly lastRunAtMs: number | null;
  readonly isSample: boolean;
}

export interface GraphNode {
  readonly stateId: string;
  readonly type: string;
  readonly title: string;
  readonly note: string;
  readonly isStart: boolean;
  readonly mark: 'none' | 'running' | 'needs' | 'done';
  /** Only in the graph of one run: where the state stands, in one word and in plain words. */
  readonly standing?: StateStanding;
  readonly standingText?: string;
}

export interface AgentDetailView {
  readonly sequence: number;
  readonly agent: AgentRow;
  readonly revisionDigest: string;
  readonly source: string;
  readonly input: readonly {
    readonly key: string;
    readonly title: string;
    readonly description: string;
    readonly default: string;
  }[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** What a permission for this revision would cover, in plain words. */
  readonly asks: readonly { readonly icon: string; readonly sentence: string; readonly badge: string }[];
  /** The permission that would be given: name it when authorising. */
  readonly previewDigest: string;
  readonly grant: {
    readonly grantDigest: string;
    readonly givenAtMs: number;
    readonly by: string;
    readonly isForThisRevision: boolean;
    /** It covers this revision on this device now. */
    readonly isInForce: boolean;
    /** What is the matter with it; empty while it is in force. */
    readonly whyNot: string;
    /** Wall ms; `null` is without an end. */
    readonly expiresAtMs: number | null;
    /** Where it holds, in words. */
    readonly devices: string;
    readonly used: number;
  } | null;
  /** *Allow like this*, as far as it is in force. */
  readonly standing: readonly StandingView[];
  /** The pause of this agent; that of everything is in the overview. */
  readonly hold: HoldView | null;
  readonly runs: readonly RunRow[];
  readonly lease: LeaseView | null;
}

export interface SettingsView {
  readonly sequence: number;
  readonly deviceName: string;
  readonly deviceId: string;
  readonly theme: 'system' | 'light' | 'dark';
  readonly contrast: 'system' | 'high';
  readonly profileFolder: string;
  readonly schemaVersion: number;
  readonly coordinatorName: string;
  readonly version: string;
  readonly electronVersion: string | null;
  readonly nodeVersion: string;
  readonly sqliteVersion: string;
}

/** The answer to saving a strategy. */
export interface SaveAgentView {
  readonly agentId: string | null;
  readonly problems: readonly StrategyProblem[];
}
