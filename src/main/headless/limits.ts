/** What the server takes before it lets go. Tests shorten the times. */
export interface ServerLimits {
  /** A connection that has not sent its headers by then is closed, ms. */
  readonly headersMs: number;
  /** A request that has not arrived in full by then is answered 408, ms. */
  readonly requestMs: number;
  /** A connection between two requests is closed after this, ms. */
  readonly keepAliveMs: number;
  /** How often the three above are looked at, ms. */
  readonly checkEveryMs: number;
  /** The largest body of a plain request; sign-in needs 43 bytes. */
  readonly bodyBytes: number;
  /** How many connections may be without a request; the oldest makes room for the next. */
  readonly idleConnections: number;
  /** How many connections may be open at all, so that the record never lacks a file handle. */
  readonly connections: number;
  /** How many pages may be connected at once. */
  readonly sockets: number;
  /** A page that does not answer a ping within this is gone, ms. */
  readonly pingEveryMs: number;
  /** The largest message of a page, bytes. A strategy may be 1 MiB of text, and each character up to 6 bytes of JSON. */
  readonly messageBytes: number;
  /** A page with more than this unread is cut off, bytes; it connects again and reads everything. */
  readonly unreadBytes: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 10_000,
  checkEveryMs: 1_000,
  bodyBytes: 1_024,
  idleConnections: 64,
  connections: 512,
  sockets: 32,
  pingEveryMs: 30_000,
  messageBytes: 7 * 1_048_576,
  unreadBytes: 16 * 1_048_576,
};
