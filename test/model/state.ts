import type { AnnouncePermit, RegisterRecord, RegisterVerb, TailEntry } from '../../src/shared/core/lease/register.ts';

// Everything is relative to now, in ticks, and stops growing where no rule can tell the difference any more: two moments
// from which the same future follows are one state.

/** How long ago a reading of the clocks was taken. */
export interface Age {
  readonly ticks: number;
  /** Of these, how many the monotonic clock stood still for. */
  readonly slept: number;
}

/** A lease in the memory of one start of a host. */
export interface Held {
  readonly epoch: number;
  readonly nonce: string;
  readonly sent: Age;
  readonly holdOff: Age | null;
  readonly isDoubtful: boolean;
}

/** The device's question to the register about its lease: one at a time, as in the host's loop. */
export interface Asking {
  readonly verb: 'acquire' | 'renew' | 'release';
  readonly nonce: string;
  /** Since the send. */
  readonly age: Age;
  /** The lease as it was when the question went out. */
  readonly held: Held | null;
  readonly answer: LeaseAnswer | null;
}

/** What came back, as far as the host looks at it. */
export interface LeaseAnswer {
  readonly kind: string;
  readonly isReplay: boolean;
  readonly epoch: number;
  readonly holdOff: boolean;
  /** The tail that came with a grant. */
  readonly tail: readonly TailEntry[];
}

/** The answer to an announce, with what the view beside it said. */
export interface AnnounceAnswer {
  readonly reply: 'announced' | 'still-open' | 'already-committed' | 'settled-otherwise' | 'lost' | 'other';
  /** The entry that a refusal named. */
  readonly named: TailEntry | null;
  readonly holder: number | null;
  readonly epoch: number;
  readonly blocking: TailEntry | null;
  readonly frontier: Readonly<Record<string, number>>;
}

/** One dispatch on its way through a process. */
export interface Flight {
  readonly effect: number;
  readonly token: string;
  readonly number: number;
  readonly permit: AnnouncePermit | null;
  readonly epoch: number;
  /** Ticks until its claim's deadline. */
  readonly left: number;
  /** Since the fence began. */
  readonly fence: Age;
  readonly stage: 'claimed' | 'announcing' | 'answered' | 'marked' | 'running';
  readonly isClaimed: boolean;
  readonly answer: AnnounceAnswer | null;
  readonly isSuspendSeen: boolean;
  /** The lease under it was lost: its abort signal is raised, and every tool looks at that before its call leaves. */
  readonly isCalledBack: boolean;
}

/** A row of the store. */
export interface Attempt {
  readonly effect: number;
  readonly token: string;
  readonly number: number;
  readonly owner: { readonly device: number; readonly host: number; readonly epoch: number } | null;
  readonly left: number;
  readonly progress: 'never-started' | 'in-flight' | 'settled';
  readonly isInDoubt: boolean;
  readonly decision: 'none' | 'repeat' | 'it-happened' | 'send-again' | 'stop-here';
  readonly outcome: 'none' | 'success' | 'unsent';
}

/** A person's *it happened*, which asks the tail first. */
interface Deciding {
  readonly token: string;
  readonly answer: 'none' | 'settled' | 'settled-otherwise' | 'unreachable';
}

/** One device: what its store keeps, then what a crash takes away. */
export interface Device {
  readonly attempts: readonly Attempt[];
  /** Bit per effect. */
  readonly oracle: number;
  readonly mark: { readonly incarnation: number; readonly epoch: number };
  readonly step: number;
  readonly phase: 'ready' | 'acting' | 'needs-recovery' | 'ended';
  readonly isStopped: boolean;
  /** Bit per step whose edge has gone out. */
  readonly released: number;
  readonly made: number;
  /** The effects that its journal records as committed, in the order of the journal. */
  readonly commits: readonly number[];
  /** How much of its journal the relay has. */
  readonly pushed: number;
  /** How much of each device's journal is folded here. */
  readonly folded: readonly number[];
  readonly host: number;
  readonly incarnation: number;
  readonly held: Held | null;
  readonly wentBack: boolean;
  readonly nonce: { readonly name: string; readonly age: Age } | null;
  readonly asking: Asking | null;
  readonly flight: Flight | null;
  readonly deciding: Deciding | null;
  readonly isAsleep: boolean;
  readonly isTouched: boolean;
}

/** The register, with its own clock, and a copy that somebody made of it. */
export interface Register {
  readonly record: RegisterRecord;
  readonly left: number;
  readonly incarnation: number;
  readonly backup: RegisterRecord | null;
}

/** Something on the wire. It may arrive at any later time, or never. */
export interface Message {
  readonly from: number;
  readonly incarnation: number;
  readonly verb: RegisterVerb;
  readonly key: string;
}

/** What really happened, which no device can see, and how often each fault may still occur. */
export interface World {
  /** Per effect: the right under which each send happened, '' for none. */
  readonly sends: readonly (readonly string[])[];
  /** Per effect: the attempts about which somebody decided to do it again. */
  readonly approvals: readonly (readonly string[])[];
  readonly committed: number;
  readonly topEpoch: number;
  readonly budget: Readonly<Record<Fault, number>>;
}

/** Everything that is bounded by a number rather than by a rule. */
export type Fault =
  | 'loss'
  | 'duplicate'
  | 'crash'
  | 'sleep'
  | 'early-end'
  | 'backup'
  | 'restore'
  | 'release'
  | 'decision'
  | 'stop'
  | 'unclear'
  | 'stranger'
  | 'row-loss'
  | 'sync'
  | 'twice';

export const FAULTS: readonly Fault[] = [
  'loss',
  'duplicate',
  'crash',
  'sleep',
  'early-end',
  'backup',
  'restore',
  'release',
  'decision',
  'stop',
  'unclear',
  'stranger',
  'row-loss',
  'sync',
  'twice',
];

/** One moment. */
export interface State {
  readonly devices: readonly Device[];
  readonly register: Register;
  readonly net: readonly Message[];
  readonly world: World;
}

/** A bounded world. */
export interface Scenario {
  readonly name: string;
  readonly devices: number;
  readonly effects: number;
  readonly epochs: number;
  readonly attempts: number;
  readonly tickMs: number;
  readonly ttlMs: number;
  readonly isEmbedded: boolean;
  /**
   * `slow`: questions and answers take any time and any order. `direct`: a question is decided and answered in one step, or it
   * is lost before or after the decision; a register in a file on the same machine is like that.
   */
  readonly network: 'slow' | 'direct';
  readonly effectKind: 'blind' | 'idempotent-by-key';
  /** A lost register comes back as an older copy, with a new incarnation as the product makes it or without. */
  readonly restoreKeepsName: boolean;
  readonly budget: Partial<Record<Fault, number>>;
  /** Part of the host that is left out on purpose, so that the layer behind it is on its own. */
  readonly without: readonly 'phase'[];
  /** Where a search that cannot see the end stops: the nearest this many states have then been seen. */
  readonly limit: number;
}

export const NO_AGE: Age = { ticks: 0, slept: 0 };
const EMPTY_RECORD: RegisterRecord = {
  epoch: 0,
  holder: null,
  nonce: null,
  ttlMs: 0,
  isUnclean: false,
  tail: [],
  frontier: {},
};

const NEW_DEVICE: Device = {
  attempts: [],
  oracle: 0,
  mark: { incarnation: 1, epoch: 0 },
  step: 0,
  phase: 'ready',
  isStopped: false,
  released: 0,
  made: 0,
  commits: [],
  pushed: 0,
  folded: [0, 0, 0],
  host: 1,
  incarnation: 1,
  held: null,
  wentBack: false,
  nonce: null,
  asking: null,
  flight: null,
  deciding: null,
  isAsleep: false,
  isTouched: false,
};

/** Every device knows the run; nobody has asked for anything yet. */
export function firstState(scenario: Scenario): State {
  const none = Array.from({ length: scenario.effects }, () => []);
  const budget = Object.fromEntries(FAULTS.map((fault) => [fault, scenario.budget[fault] ?? 0]));
  return {
    devices: Array.from({ length: scenario.devices }, () => NEW_DEVICE),
    register: { record: EMPTY_RECORD, left: 0, incarnation: 1, backup: null },
    net: [],
    world: {
      sends: none,
      approvals: none,
      committed: 0,
      topEpoch: 0,
      budget: budget as Record<Fault, number>,
    },
  };
}
