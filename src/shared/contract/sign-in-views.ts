import { z } from 'zod';
import type { Problem } from './errors.ts';

/** The exact address of a tool server, as it was shown. */
const serverRef = z.strictObject({ address: z.string().min(1).max(4_096) });

/** Signing in at tool servers and out again. */
export const signInRequestSchemas = {
  'signIns.list': z.strictObject({}),
  'signIns.begin': serverRef,
  'signIns.cancel': serverRef,
  'signIns.end': serverRef,
} as const;

/** A tool server that an agent names, or that this device is signed in at. Nothing secret is in it. */
export interface SignInRow {
  readonly address: string;
  readonly host: string;
  /** Whose current version names it, whether or not it is permitted. */
  readonly agents: readonly { readonly agentId: string; readonly name: string }[];
  /** `lapsed`: there was a sign-in, and it could not be renewed. `unasked`: the server has not asked for one so far. */
  readonly standing: 'signed-in' | 'lapsed' | 'asks' | 'unasked';
  /** Wall ms; `null` where nobody is signed in. */
  readonly signedInAtMs: number | null;
  /** Which try was the last one here; 0 before the first. */
  readonly attempt: number;
  /** It has a page that has not been answered. */
  readonly isWaiting: boolean;
  /** Why the last try came to nothing. */
  readonly problem: Problem | null;
}

export interface SignInsView {
  readonly sequence: number;
  readonly servers: readonly SignInRow[];
}

/** A page to sign in at. */
export interface SignInBegunView {
  readonly attempt: number;
  /** Where it is. */
  readonly host: string;
  /** For a person to follow; `null` where the system's browser was told to open it. */
  readonly page: string | null;
}
