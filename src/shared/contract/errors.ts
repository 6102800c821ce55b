/** Every expected failure that can reach a person, by stable code. */
export type ErrorCode =
  | 'input-invalid'
  | 'identifier-invalid'
  | 'strategy-invalid'
  | 'not-found'
  | 'already-decided'
  | 'changed'
  | 'not-offered'
  | 'grant-stale'
  | 'grant-missing'
  | 'idempotency-conflict'
  | 'run-ended'
  | 'not-holder'
  | 'register-unreachable'
  | 'register-went-back'
  | 'register-not-installed'
  | 'already-paired'
  | 'pairing-refused'
  | 'device-removed'
  | 'relay-unreachable'
  | 'relay-fork'
  | 'relay-gap'
  | 'relay-foreign'
  | 'relay-truncated'
  | 'relay-full'
  | 'sync-key-missing'
  | 'store-unsure'
  | 'store-full'
  | 'store-read-only'
  | 'store-busy'
  | 'store-corrupt'
  | 'store-newer'
  | 'store-foreign'
  | 'profile-in-use'
  | 'folder-read-only'
  | 'runtime-too-old'
  | 'unauthorised'
  | 'internal';

/** An expected failure: a code to branch on, a plain sentence, and the way out. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  /** What the person can do; empty if nothing is needed. */
  readonly wayOut: string;
  readonly details?: Readonly<Record<string, string | number | null>>;
}

/** Builds a problem. */
export function problem(code: ErrorCode, message: string, wayOut = '', details?: Problem['details']): Problem {
  return details === undefined ? { code, message, wayOut } : { code, message, wayOut, details };
}
