import type { EffectKind } from '../core/effect/effect-kind.ts';
import type { RunStatus } from '../core/run/run-state.ts';
import type { StepRow, TextView } from './views.ts';

/** What the window shows inside one run: its graph, its branches, its retries and its models. Times are wall milliseconds. */

/** How many runs are on one page at most, and how many can be chosen at a time to do something with. */
export const RUNS_CHOSEN_MAX = 500;

/** A way between two states, and after which kind of result it is taken. `branch` leads into a branch of the run. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Empty where there is only one way. */
  readonly label: string;
  readonly kind: 'success' | 'failure' | 'unclear' | 'branch';
}

/** Where a state of a run's own graph stands. */
export type StateStanding =
  | 'not-reached'
  | 'waiting'
  | 'running'
  | 'needs-approval'
  | 'needs-recovery'
  | 'done'
  | 'failed'
  | 'refused'
  | 'stopped';

/** A run that this one lies inside of. */
export interface OuterRun {
  readonly runId: string;
  readonly number: number;
  readonly title: string;
}

/** One visit of a workset or a fork, as a heading of its branches. */
export interface BranchingView {
  readonly stateId: string;
  readonly stateVisit: number;
  readonly kind: 'workset' | 'fork';
  readonly title: string;
  readonly total: number;
  readonly counts: Readonly<Partial<Record<RunStatus, number>>>;
}

/** An item of a workset or a way of a fork. */
export interface BranchRow {
  readonly runId: string;
  readonly number: number;
  /** The id of the item, or the name of the way; untrusted text. */
  readonly branch: string;
  readonly status: RunStatus;
  readonly summary: string;
  readonly stepTitle: string;
  readonly endedAtMs: number | null;
}

/** All branches of one visit, in their order: a visit has at most 256 of them. */
export interface BranchesView {
  readonly sequence: number;
  readonly rows: readonly BranchRow[];
}

/** One attempt at an effect. */
export interface TryView {
  readonly number: number;
  readonly atMs: number;
  readonly status: StepRow['status'];
  readonly summary: string;
  /** How long was waited before the next one, ms; `null` if no retry followed by itself. */
  readonly retryAfterMs: number | null;
}

/** What a model step has come to so far. */
export interface ModelStepView {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `null` where the strategy names no prices. */
  readonly cost: number | null;
  readonly turns: readonly ModelTurnView[];
  /** Turns that are not shown: only the newest ones are. */
  readonly turnsBefore: number;
}

/** One question to a model, with what it answered and what its calls came to. All texts are untrusted. */
export interface ModelTurnView {
  readonly turn: number;
  readonly status: StepRow['status'];
  readonly summary: string;
  readonly answer: TextView | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: number | null;
  readonly tries: readonly TryView[];
  readonly calls: readonly ModelCallView[];
}

/** A call that a model asked for. */
export interface ModelCallView {
  readonly callId: string;
  readonly name: string;
  readonly status: StepRow['status'];
  readonly summary: string;
  readonly effectKind: EffectKind | null;
  readonly arguments: TextView;
  readonly result: TextView | null;
  readonly tries: readonly TryView[];
}

/** What a call has told that is on its way: the newest of it, escaped. Nothing of it is recorded yet. */
export interface LiveView {
  readonly attemptToken: string;
  readonly title: string;
  /** Untrusted text. */
  readonly text: string;
}

/** The version of an agent that was permitted last; `null` if none ever was. */
export interface PermittedView {
  readonly sequence: number;
  readonly permitted: {
    readonly revisionDigest: string;
    readonly source: string;
    /** The permission is still given. */
    readonly isInForce: boolean;
  } | null;
}
