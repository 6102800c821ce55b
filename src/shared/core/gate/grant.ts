/** Where a permission holds: on any device of its owner, or on the named ones only. */
export type GrantDevices = '*' | readonly string[];

/** A permission as it was given. */
export interface Grant {
  readonly revisionDigest: string;
  readonly devices: GrantDevices;
  /** Wall ms; `null` is without an end. */
  readonly expiresAtMs: number | null;
  readonly isRevoked: boolean;
  /** Somebody noticed and wrote down that it had ended: no clock revives it. */
  readonly isEndNoted: boolean;
}

/** Who asks, for which revision, and when. */
export interface GrantQuestion {
  readonly deviceId: string;
  readonly revisionDigest: string;
  /** The newest time that anybody knows of, wall ms: a calendar that was set back is not believed. */
  readonly nowMs: number;
}

/** Whether a permission covers what is asked; only `in-force` does. */
export type GrantStanding =
  | { readonly kind: 'in-force' }
  | { readonly kind: 'none' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'other-revision' }
  | { readonly kind: 'other-device' }
  | { readonly kind: 'expired'; readonly expiresAtMs: number };

/** Looked at anew at every gate, so that an end and a revocation hold at the next one. Fixed order, first match wins. */
export function grantStanding(grant: Grant | null, asked: GrantQuestion): GrantStanding {
  if (grant === null) return { kind: 'none' };
  if (grant.isRevoked) return { kind: 'revoked' };
  if (grant.revisionDigest !== asked.revisionDigest) return { kind: 'other-revision' };
  if (grant.devices !== '*' && !grant.devices.includes(asked.deviceId)) return { kind: 'other-device' };
  const { expiresAtMs } = grant;
  // Not `>=`: a time that is not a number is before nothing.
  const hasTimeLeft = expiresAtMs === null || asked.nowMs < expiresAtMs;
  if (hasTimeLeft && !grant.isEndNoted) return { kind: 'in-force' };
  return { kind: 'expired', expiresAtMs: expiresAtMs ?? asked.nowMs };
}
