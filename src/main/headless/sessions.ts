import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits: nobody guesses one, so wrong tries need not be counted. */
const SECRET_BYTES = 32;
/** How many browsers may be signed in; the one that signed in first is signed out for the next. */
export const SESSIONS_MAX = 8;
/** How long a session lasts without a request, ms. */
export const SESSION_IDLE_MS = 24 * 3_600_000;

/** Who may talk to the host. Kept in memory only: a restart signs everybody out. */
export interface Sessions {
  /** Makes a token for one sign-in. An earlier one that nobody used is dead from then on. */
  newToken(): string;
  /** Uses up the token; answers the secret for the cookie, or `null` when the token is wrong or was used. */
  signIn(token: string): string | null;
  /** Answers a short public name for the session that the secret belongs to, or `null`. */
  find(secret: string | undefined): string | null;
}

interface Session {
  readonly name: string;
  usedAtMs: number;
}

/** Keeps digests, not secrets: comparing those takes the same time wherever two differ. */
export function createSessions(nowMs: () => number = () => performance.now()): Sessions {
  let token: Buffer | null = null;
  let count = 0;
  const sessions = new Map<string, Session>();
  return {
    newToken() {
      const secret = newSecret();
      token = digest(secret);
      return secret;
    },
    signIn(candidate) {
      if (token === null || !timingSafeEqual(token, digest(candidate))) return null;
      token = null;
      const secret = newSecret();
      count += 1;
      sessions.set(digest(secret).toString('hex'), { name: `browser-${count}`, usedAtMs: nowMs() });
      for (const oldest of sessions.keys()) {
        if (sessions.size <= SESSIONS_MAX) break;
        sessions.delete(oldest);
      }
      return secret;
    },
    find(secret) {
      if (secret === undefined) return null;
      const key = digest(secret).toString('hex');
      const session = sessions.get(key);
      if (session === undefined) return null;
      if (nowMs() - session.usedAtMs > SESSION_IDLE_MS) {
        sessions.delete(key);
        return null;
      }
      session.usedAtMs = nowMs();
      return session.name;
    },
  };
}

/** Whether two secrets are the same, in a time that does not tell where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** A fresh secret that fits in an address and a header. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
