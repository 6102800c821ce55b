import { z } from 'zod';
import { causeText, systemCodeOf } from '../../../shared/lib/system-causes.ts';

/** A failure on the way to a hub whose message is a plain sentence. */
export class HubFailure extends Error {}

/** No connection came about: nothing was sent. */
export class NotConnectedError extends HubFailure {
  override readonly name: string = 'NotConnectedError';
}

/** Another certificate answered: nothing was sent. */
export class WrongCertificateError extends NotConnectedError {}

const UNREADABLE = 'The hub gave an answer that cannot be read. It may have another version of Fencepost.';

/** Whatever was thrown on the way to a hub, as a sentence without a code. */
export function hubFailureSentence(cause: unknown): string {
  if (cause instanceof HubFailure) return cause.message;
  if (cause instanceof SyntaxError || cause instanceof z.ZodError) return UNREADABLE;
  return connectionSentence(systemCodeOf(cause));
}

/** The same as the end of a sentence, without its full stop. */
export function hubFailureEnding(cause: unknown): string {
  const sentence = hubFailureSentence(cause);
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/u, '')}`;
}

/** What a code of the system says about a connection to a hub. */
export function connectionSentence(code: string): string {
  // A program that knows nothing of encryption, or another kind of it.
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'What answers there is no hub.';
  const words = causeText(code);
  return words === null ? 'The connection failed.' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
