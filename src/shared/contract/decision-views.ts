import type { EffectKind } from '../core/effect/effect-kind.ts';
import type { StandingScope } from '../core/gate/standing.ts';
import type { RecoveryOption } from '../core/recovery/recovery-options.ts';
import type { RunRow, TextView } from './views.ts';

/** What the window shows where a person decides: the queue, an unclear effect, a question. Times are wall milliseconds. */

export interface NeedsYouItem {
  readonly kind: 'unclear' | 'approve';
  /** The attempt token or the approval id. */
  readonly id: string;
  readonly title: string;
  readonly sentence: string;
  readonly runId: string;
  readonly runNumber: number;
  /** What the run is called, as its agent says. */
  readonly runTitle: string;
  readonly agentName: string;
  readonly deviceName: string;
  readonly sinceMs: number;
  /**
   * Items that may be answered together have the same one: questions of the same step of the same version of one agent, under
   * the same permission; unclear steps of the same adapter, cause and device. `null`: only by itself.
   */
  readonly alike: string | null;
}

export interface SettledItem {
  readonly kind: 'unclear' | 'approve';
  readonly id: string;
  readonly title: string;
  readonly sentence: string;
  readonly atMs: number;
  readonly canReopen: boolean;
}

export interface NeedsYouView {
  readonly sequence: number;
  readonly unclear: readonly NeedsYouItem[];
  /** Unclear as well, but a person waits for the device that is named. Counted nowhere; `sinceMs` is when the waiting began. */
  readonly waiting: readonly NeedsYouItem[];
  readonly approvals: readonly NeedsYouItem[];
  readonly settled: readonly SettledItem[];
  readonly finishedSinceYesterday: number;
}

/** Waiting for a device that may hold an answer. It decides nothing: every answer can be given meanwhile. */
export interface WaitView {
  /** `over`: a person waited, and the question is there again. */
  readonly state: 'offered' | 'waiting' | 'over';
  readonly deviceName: string;
  /** Since when a person waits; `null` before. */
  readonly sinceMs: number | null;
  /** The device's last contact with the relay, by the relay's clock; `null` where nobody says. */
  readonly lastSeenAtMs: number | null;
  /** Why it is over; empty in the other states. */
  readonly sentence: string;
}

/** What came of deciding about several unclear steps at once: each has its own result. */
export interface BatchResultView {
  /** All of it, counted. */
  readonly sentence: string;
  readonly steps: readonly {
    readonly attemptToken: string;
    readonly kind: 'decided' | 'already-decided' | 'failed';
    readonly sentence: string;
  }[];
}

/** The signature screen: everything known about one unclear effect (ux section 4). */
export interface RecoveryView {
  readonly sequence: number;
  readonly attemptToken: string;
  readonly inputDigest: string;
  readonly epoch: number;
  readonly run: RunRow;
  readonly title: string;
  readonly target: string;
  readonly tool: string;
  readonly effectKind: EffectKind;
  readonly isDestructive: boolean;
  readonly input: TextView;
  readonly inDoubtSinceMs: number;
  /** Why nobody knows, as a sentence; empty if it was not written down. */
  readonly cause: string;
  /** How far it got, known part first. */
  readonly reached: readonly {
    readonly label: string;
    readonly detail: string;
    readonly isKnown: boolean;
  }[];
  readonly known: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly sentence: string;
    readonly source: string;
  }[];
  readonly unknown: readonly string[];
  readonly check: {
    readonly isOffered: boolean;
    readonly label: string;
    readonly lastAtMs: number | null;
    readonly lastAnswer: string | null;
  };
  /** The device that made the attempt, as far as waiting for it is worth anything, or was; `null`: there is nobody to wait for. */
  readonly wait: WaitView | null;
  readonly dedupeUntilMs: number | null;
  readonly lateEvidence: string | null;
  readonly nextStep: string | null;
  /** Another device that has the right to act, and so would send; `null`: this one. */
  readonly sendsFrom: string | null;
  readonly options: readonly RecoveryOption[];
  /** Who decided what, when it is decided already. */
  readonly decided: {
    readonly choice: string;
    readonly by: string;
    /** Where it was answered; `null` where no person was asked. */
    readonly deviceName: string | null;
    readonly isHere: boolean;
    readonly atMs: number;
    readonly canReopen: boolean;
  } | null;
  readonly numbers: readonly { readonly name: string; readonly value: string }[];
}

export interface ApprovalView {
  readonly sequence: number;
  readonly approvalId: string;
  readonly run: RunRow;
  readonly question: string;
  readonly title: string;
  readonly target: string;
  readonly tool: string;
  readonly effectKind: EffectKind;
  readonly why: string;
  readonly deviceName: string;
  readonly input: TextView;
  readonly inputDigest: string;
  /** Present for a program: shown as separate boxes. */
  readonly argv: readonly string[] | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly state: 'open' | 'allowed' | 'not-allowed' | 'expired' | 'withdrawn' | 'stale';
  /** Why a yes did not count any more; empty in every other state. */
  readonly staleWhy: string;
  readonly decided: {
    readonly by: string;
    readonly atMs: number;
    readonly reason: string;
    readonly deviceName: string;
  } | null;
  /** What *Allow like this* offers. */
  readonly scopes: readonly StandingScopeView[];
}

/** One width of a standing permission, and what it would cover. */
export interface StandingScopeView {
  readonly scope: StandingScope;
  readonly label: string;
  readonly covers: string;
}

/** A standing permission that is in force. */
export interface StandingView {
  readonly standingId: string;
  readonly sentence: string;
  readonly scope: string;
  readonly givenAtMs: number;
  readonly by: string;
  readonly expiresAtMs: number;
}

/** A pause: requested while something is still on its way, then paused. */
export interface HoldView {
  readonly state: 'pause-requested' | 'paused';
  readonly by: string;
  readonly sinceMs: number;
}

/** What a stop and a pause of an agent, or of everything, would and would not do, as it stands now. */
export interface ControlView {
  readonly sequence: number;
  /** `null`: everything. */
  readonly name: string | null;
  readonly openRuns: number;
  /** Titles of what is on its way. */
  readonly inFlight: readonly string[];
  readonly hold: HoldView | null;
  readonly stop: readonly string[];
  readonly pause: readonly string[];
}

/** A permission as it would be given, with the digest that names all of it. */
export interface GrantPreviewView {
  readonly previewDigest: string;
  readonly expiresAtMs: number | null;
  readonly sentence: string;
}
