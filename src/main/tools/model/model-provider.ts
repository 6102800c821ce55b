import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { AnswerCollector } from './collect-answer.ts';
import type { Exchange } from './send-once.ts';

export type ModelCall = Extract<ToolCall, { tool: 'model.call' }>;

/** One turn, ready to be asked. */
export interface ModelQuestion {
  readonly call: ModelCall;
  /** The name of the model at its endpoint. */
  readonly model: string;
  readonly baseUrl: string;
}

/** How the reading of an answer came to its end. What was read until then is in the collector. */
export type StreamEnd =
  | { readonly kind: 'ended' }
  /** Something that is no part of the protocol. */
  | { readonly kind: 'malformed' }
  /** The endpoint said that it failed: in place of an answer, or in the middle of one. Untrusted text. */
  | { readonly kind: 'said-error'; readonly type: string | null; readonly message: string }
  /** Anything else; the exchange mostly knows why. */
  | { readonly kind: 'broken'; readonly error: unknown };

/** A protocol that models are asked in. */
export interface ModelProvider {
  /** The provider's own address, where a strategy names no other. */
  readonly ownBaseUrl: string;
  /** What stands behind the base address of a request. */
  readonly path: string;
  /** The headers that carry the key. */
  keyHeaders(key: string): Readonly<Record<string, string>>;
  /**
   * Asks once and reads the answer into the collector until it ends. The SDK is loaded when it is first needed, sends
   * through the exchange alone and never learns the key, so it can neither repeat a request nor tell the key.
   */
  ask(question: ModelQuestion, exchange: Exchange, collector: AnswerCollector): Promise<StreamEnd>;
}

/** Stands where an SDK insists on a key; the exchange puts the real one, if there is one, in its place. */
export const NO_KEY = 'none';
/** The exchange has deadlines of its own; those of an SDK must never come first, ms. */
export const SDK_TIMEOUT_MS = 2 * 3_600_000;

/** Keeps an SDK from writing to the console, where texts of a conversation would end up in a log. */
export const SILENT_LOGGER = { error: noop, warn: noop, info: noop, debug: noop };

function noop(): void {
  // Nothing is logged.
}
