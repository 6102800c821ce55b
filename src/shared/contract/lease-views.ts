/** Who may act: a device, nobody, or somebody that cannot be told from here. */
export type LeaseHolder =
  | { readonly kind: 'device'; readonly deviceId: string; readonly name: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unknown' };

export interface LeaseView {
  readonly agentId: string;
  readonly agentName: string;
  readonly holder: LeaseHolder;
  readonly isHere: boolean;
  readonly state:
    | 'held'
    | 'hold-off'
    | 'doubtful'
    | 'expired'
    | 'free'
    | 'went-back'
    | 'unreachable'
    | 'waits-for-person'
    | 'moved';
  readonly sentence: string;
  readonly epoch: number;
  readonly remainingMs: number;
  readonly ttlMs: number;
  readonly renewedAtMs: number | null;
  readonly openEntries: number;
  readonly settledEntries: number;
  /** Whether another device may take over by itself once it has run out. */
  readonly takeover: 'automatic' | 'by-person';
  /** This device can take it over now; bound to `epoch`, which is what the person was shown. */
  readonly canTakeOver: boolean;
  /** What taking over waits for, or whom it may cut off, in plain words; empty where it cannot be done. */
  readonly takeOverSentence: string;
  /** What is left of the wait after a takeover, ms; 0 unless `state` is `hold-off`. */
  readonly holdOffMs: number;
  /** The register went back, and a person can raise it above everything that was seen. */
  readonly canBump: boolean;
}

/** What of an agent waits for a person. */
export interface LeaseWait {
  readonly kind: 'unclear' | 'approve';
  readonly sentence: string;
}

/** The right to act for an agent, beside what waits for a person there; `null` for nothing. */
export interface AgentLease extends LeaseView {
  readonly waits: LeaseWait | null;
}

/** How many agents somebody may act for. */
export interface LeaseOwner {
  readonly holder: LeaseHolder;
  readonly count: number;
}

export interface LeasesView {
  readonly sequence: number;
  /** Those that were asked for. */
  readonly leases: readonly AgentLease[];
  /** Of all agents, whatever was asked for: this device first, nobody last. */
  readonly owners: readonly LeaseOwner[];
  readonly total: number;
}
