/** What the hub takes before it lets go. Tests shorten the times. */
export interface HubLimits {
  /** A connection that is not encrypted by then is closed, ms. */
  readonly handshakeMs: number;
  /** A connection that has not sent its headers by then is closed, ms. */
  readonly headersMs: number;
  /** A request whose body has not arrived in full by then is turned away, ms. */
  readonly requestMs: number;
  /** The same for what a device hands over of its journals: it is large, and lines at home are slow, ms. */
  readonly relayRequestMs: number;
  /** A connection between two requests is closed after this, ms: later than the client lets go of its own. */
  readonly keepAliveMs: number;
  /** How often the times above are looked at, ms. */
  readonly checkEveryMs: number;
  /** The largest body of somebody who has not proved who they are, bytes. */
  readonly strangerBodyBytes: number;
  /** The largest body of a device, bytes. An agent that moves brings its whole tail: 384 entries of at most 1.2 KiB. */
  readonly bodyBytes: number;
  /** Connections of strangers, in all and from one address; the oldest makes room for the newest. */
  readonly strangers: number;
  readonly strangersPerAddress: number;
  /** Connections at all, so that the register never lacks a file handle. */
  readonly connections: number;
  /** Connections that one device may have at once; the oldest makes room. */
  readonly connectionsPerDevice: number;
  readonly sessionsPerDevice: number;
  /** A session that nobody used for this long is over, ms. */
  readonly sessionIdleMs: number;
  /** How long a device may take to answer a challenge, ms. */
  readonly challengeMs: number;
  readonly invitationMs: number;
  readonly invitations: number;
  readonly wrongSecrets: number;
  /** A line for changes that does not answer a ping within this is gone, ms. */
  readonly pingEveryMs: number;
  /** A line with more than this unread is cut off, bytes; the client connects again and looks at everything. */
  readonly unreadBytes: number;
}

export const HUB_LIMITS: HubLimits = {
  handshakeMs: 5_000,
  headersMs: 5_000,
  requestMs: 10_000,
  relayRequestMs: 120_000,
  keepAliveMs: 60_000,
  checkEveryMs: 1_000,
  strangerBodyBytes: 8_192,
  bodyBytes: 512 * 1_024,
  strangers: 128,
  strangersPerAddress: 16,
  connections: 2_048,
  connectionsPerDevice: 16,
  sessionsPerDevice: 8,
  sessionIdleMs: 3_600_000,
  challengeMs: 30_000,
  invitationMs: 120_000,
  invitations: 4,
  wrongSecrets: 5,
  pingEveryMs: 15_000,
  unreadBytes: 1_048_576,
};

/** The most questions of one request. */
export const BATCH_LIMIT = 64;
/** The longest time to live of a lease that a hub keeps, ms: whoever asks for more by mistake must not lock an agent up. */
export const TTL_LIMIT_MS = 3_600_000;
/** Requests of one device: at once after a pause, and per second after that. */
export const DEVICE_RATE = { burst: 4_000, perSecond: 2_000 };
/** Questions of one device about journals: at once after a pause, and per second after that. */
export const RELAY_RATE = { burst: 2_000, perSecond: 200 };
/** How many large pieces of journals one device can be handing over at once: each is held in memory. */
export const RELAY_LARGE_AT_ONCE = 4;
/** Tries of strangers from one address: signing in and pairing. */
export const STRANGER_RATE = { burst: 40, perSecond: 4 };
