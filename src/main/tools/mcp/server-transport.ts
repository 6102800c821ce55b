import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { SignInNeed } from './sign-in/sign-in-address.ts';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';

/** The most that one message of a server may hold, bytes; what is shown of it is cut shorter. */
export const MESSAGE_LIMIT_BYTES = 2 * OUTPUT_LIMIT_BYTES;

/** A transport of the SDK that can say more about its end. */
export interface ServerTransport extends Transport {
  /** Why it ended, as a code for an outcome; `null` while it has not, or where nobody knows more than that. */
  readonly endCode: string | null;
  /** What the server last wrote to its error output, untrusted; empty where there is none. */
  readonly lastWords: string;
  /** What the last answer 401 meant, or would mean. */
  readonly signInNeed: SignInNeed;
}
