import type { CoordinatorChoice } from './coordinator-requests.ts';

/** One thing that was looked at when a coordinator was tried, with what was found in a sentence. */
export interface CoordinatorCheck {
  /** Stable: `reachable`, `tls`, `version`… */
  readonly id: string;
  /** `warning`: it can be used, and a person should know. `skipped`: something before it failed. */
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly sentence: string;
  /** What the person can do; empty if nothing is needed. */
  readonly wayOut: string;
}

/** Where one agent stands in a move. */
export interface MovingAgent {
  readonly agentId: string;
  readonly agentName: string;
  readonly state: 'waits' | 'drains' | 'moved' | 'held-elsewhere' | 'failed';
  readonly sentence: string;
}

/** A move that is under way, or the last one. */
export interface MoveView {
  readonly toName: string;
  readonly state: 'running' | 'done' | 'cancelled' | 'failed';
  readonly sentence: string;
  readonly agents: readonly MovingAgent[];
}

/** Where the right to act is kept now. */
export interface CoordinatorView {
  readonly sequence: number;
  readonly choice: CoordinatorChoice;
  readonly name: string;
  readonly state: 'ready' | 'unreachable' | 'went-back';
  /** What is so, in a sentence; with `state` other than `ready` why, and what is held back. */
  readonly sentence: string;
  /** How long it took to answer last, ms; `null` before its first answer. */
  readonly answeredMs: number | null;
  readonly coordinatorId: string;
  readonly incarnation: string;
  /** Something that works and should not stay so, such as an old server; empty if nothing. */
  readonly warning: string;
  /** A restored server waits for a person to say that it is the right one. */
  readonly canConfirmRestore: boolean;
  readonly move: MoveView | null;
  /** The hub on this device. */
  readonly hub: {
    readonly isRunning: boolean;
    readonly port: number;
    /** `host:port` of each address that other devices can use. */
    readonly addresses: readonly string[];
    readonly fingerprint: string;
    /** Why it does not run although it should; empty if nothing is wrong. */
    readonly trouble: string;
  };
  /** The hub that this device is paired with; `null` while it is not. */
  readonly pairedHub: {
    readonly name: string;
    readonly addresses: readonly string[];
    readonly fingerprint: string;
  } | null;
}

/** One device that shares the right to act. */
export interface DeviceRow {
  readonly deviceId: string;
  readonly name: string;
  readonly isThis: boolean;
  /** It runs the hub. */
  readonly isHub: boolean;
  readonly isOnline: boolean;
  /** Wall ms; `null` if never, or if nobody knows. */
  readonly lastSeenAtMs: number | null;
  readonly pairedAtMs: number | null;
  readonly version: string;
  /** Agents that it may act for now. */
  readonly agentNames: readonly string[];
  readonly canRename: boolean;
  readonly canRevoke: boolean;
  /** What happens to its rights to act and to its unclear steps when it is removed. */
  readonly revokeSentence: string;
}

/** An invitation on the device that runs the hub. */
export interface InvitationView {
  readonly invitationId: string;
  readonly link: string;
  /** The link as the squares of a QR code: one string of `0` and `1` for each row. */
  readonly qr: readonly string[];
  readonly expiresAtMs: number;
  /** `asks`: a device came with the link, and both screens show the words. */
  readonly state: 'open' | 'asks' | 'allowed' | 'refused' | 'expired';
  readonly deviceName: string;
  readonly words: readonly string[];
  readonly sentence: string;
}

/** Pairing from the side of the new device. */
export interface JoiningView {
  readonly hubName: string;
  /** `connects`, then `compares` with the words on both screens, then how it ended. */
  readonly state: 'connects' | 'compares' | 'paired' | 'refused' | 'failed';
  readonly words: readonly string[];
  readonly sentence: string;
  readonly wayOut: string;
}

/** The devices that share the right to act with this one. */
export interface DevicesView {
  readonly sequence: number;
  /** `none`: only this device. `hub-here`: this one runs the hub. `hub`: paired with one. `server`: PostgreSQL or etcd, which know no devices. */
  readonly kind: 'none' | 'hub-here' | 'hub' | 'server';
  readonly sentence: string;
  readonly devices: readonly DeviceRow[];
  readonly invitation: InvitationView | null;
  readonly joining: JoiningView | null;
}
