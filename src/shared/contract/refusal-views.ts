export interface RefusalGroup {
  readonly key: string;
  readonly headline: string;
  readonly meaning: string;
  readonly whatToDo: string;
  readonly needsPerson: boolean;
  readonly word: string;
  readonly reason: string;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The device that held back; `null` where no entry says it any more. */
  readonly deviceName: string | null;
  readonly agentId: string;
  readonly agentName: string;
  /** It waits for a permission, which can be looked at and given where it is shown. */
  readonly isPermissionAsked: boolean;
  readonly runId: string | null;
  readonly runNumber: number | null;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}

/** The refusals that a request lets through. */
export interface RefusalsView {
  readonly sequence: number;
  /** The newest ones. */
  readonly groups: readonly RefusalGroup[];
  /** There are older groups than those. */
  readonly isCut: boolean;
  /** How often that was, and why, over all that fit: the most frequent first. */
  readonly heldBack: number;
  readonly reasons: readonly { readonly word: string; readonly reason: string; readonly count: number }[];
  /** How often any device ever held back. */
  readonly total: number;
  /** The agents and devices that any refusal can be filtered by. */
  readonly agents: readonly { readonly agentId: string; readonly name: string }[];
  readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
}
