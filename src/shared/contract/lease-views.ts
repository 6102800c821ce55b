export interface LeaseView {
  readonly agentId: string;
  readonly agentName: string;
  readonly holderName: string | null;
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

export interface LeasesView {
  readonly sequence: number;
  readonly leases: readonly AgentLease[];
}
