import type { EffectOutcome, FailureClass } from '../../../shared/core/effect/effect-outcome.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import type { ToolRun } from '../tool.ts';
import type { CollectedAnswer } from './collect-answer.ts';
import type { StreamEnd } from './model-provider.ts';
import type { ExchangeState } from './send-once.ts';

/** All that is known about one turn once it is over. */
export interface TurnFacts {
  /** How the model is called in sentences: its name at the endpoint. */
  readonly name: string;
  readonly end: StreamEnd;
  readonly exchange: ExchangeState;
  readonly collected: CollectedAnswer;
}

/** The longest message of an endpoint that is kept, in characters. */
const MESSAGE_LIMIT = 2_000;
/** What passes by itself: a server or a network that is away for now. A bad certificate or address stays bad. */
const PASSING = new Set([
  'closed',
  'eai_again',
  'econnrefused',
  'econnreset',
  'ehostunreach',
  'enetunreach',
  'enotfound',
  'etimedout',
  'timeout',
]);
/** What endpoints call their failures where they say them within an answer; both protocols share most words. */
const SAID: Readonly<Record<string, FailureClass>> = {
  overloaded_error: 'transient',
  rate_limit_error: 'transient',
  rate_limit_exceeded: 'transient',
  api_error: 'transient',
  server_error: 'transient',
  timeout_error: 'transient',
  invalid_request_error: 'permanent',
  not_found_error: 'permanent',
  request_too_large: 'permanent',
  authentication_error: 'authority',
  permission_error: 'authority',
};

/**
 * What a turn came to. Only an answer that the endpoint itself ended is a success; what broke off is unclear, since the
 * model was asked and nobody knows what it said. A failure or an unclear end keeps what had arrived out of the output.
 * @throws the error of the SDK where nothing had left and no reason is known: that is a bug.
 */
export function describeTurn(facts: TurnFacts): ToolRun {
  const outcome = outcomeOf(facts);
  if (outcome.kind === 'success') {
    const { answer } = facts.collected;
    return { outcome, output: { ...answer }, summary: `${facts.name} ${inWords(facts.collected)}.` };
  }
  const wasSent = outcome.kind === 'unclear' || outcome.wasSent;
  return { outcome, output: failedOutput(facts, wasSent), summary: failureInWords(facts, outcome) };
}

function outcomeOf({ end, exchange, collected }: TurnFacts): EffectOutcome {
  const { status, cause } = exchange;
  if (!exchange.hasLeft) {
    if (cause === null) throw end.kind === 'broken' ? end.error : new Error('A model was never asked.');
    return { kind: 'failure', class: unsentClass(cause), code: cause, wasSent: false };
  }
  if (status !== null && (status < 200 || status > 299)) {
    return { kind: 'failure', class: statusClass(status), code: `http-${status}`, wasSent: true };
  }
  if (cause === 'answer-too-long') return { kind: 'failure', class: 'runtime', code: cause, wasSent: true };
  // Even an error or an end that an SDK reports is not to be trusted once the connection broke.
  if (cause !== null) return { kind: 'unclear', code: cause };
  switch (end.kind) {
    case 'said-error': {
      const said = Object.hasOwn(SAID, end.type ?? '') ? SAID[end.type ?? ''] : undefined;
      if (said === undefined) return { kind: 'unclear', code: 'stream-error' };
      return { kind: 'failure', class: said, code: `said-${(end.type ?? '').replaceAll('_', '-')}`, wasSent: true };
    }
    case 'malformed':
      return { kind: 'unclear', code: 'stream-malformed' };
    case 'broken':
      return { kind: 'unclear', code: 'stream-broken' };
    case 'ended':
      if (!collected.isFinished) return { kind: 'unclear', code: 'stream-ended-early' };
      return collected.isSound ? { kind: 'success' } : { kind: 'unclear', code: 'stream-malformed' };
    default:
      return assertNever(end);
  }
}

function unsentClass(code: string): FailureClass {
  if (code === 'aborted') return 'runtime';
  return PASSING.has(code) ? 'transient' : 'permanent';
}

function statusClass(status: number): FailureClass {
  if (status === 401 || status === 403) return 'authority';
  return status >= 500 || status === 408 || status === 429 ? 'transient' : 'permanent';
}

/** No part of an answer that did not come whole, what it may have cost, and what the endpoint said about it. */
function failedOutput({ end, collected }: TurnFacts, wasSent: boolean): ToolRun['output'] {
  const { usage, model } = collected.answer;
  return {
    text: '',
    calls: [],
    finish: 'other',
    usage: wasSent ? { ...usage, isEstimated: true } : { inputTokens: 0, outputTokens: 0, isEstimated: false },
    model,
    error: end.kind === 'said-error' ? end.message.slice(0, MESSAGE_LIMIT).toWellFormed() : null,
  };
}

function inWords({ answer }: CollectedAnswer): string {
  switch (answer.finish) {
    case 'end':
      return `answered with ${counted(answer.text.length, 'character')}`;
    case 'tool-calls':
      return `asked for ${counted(answer.calls.length, 'call')}`;
    case 'length':
      return 'answered, and its answer was cut off at the longest that it may be';
    case 'refused':
      return 'refused to answer';
    case 'other':
      return 'stopped without giving a usual reason';
    default:
      return assertNever(answer.finish);
  }
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function failureInWords({ name, exchange }: TurnFacts, outcome: Exclude<EffectOutcome, { kind: 'success' }>): string {
  if (outcome.kind === 'unclear') return `${name} was asked, and no whole answer came back (${outcome.code}).`;
  if (outcome.code === 'aborted') return `Asking ${name} was called off. Nothing was sent.`;
  if (!outcome.wasSent) return `${name} could not be reached (${outcome.code}). Nothing was sent.`;
  if (outcome.code === 'answer-too-long') return `${name} was asked, and its answer is larger than can be kept.`;
  const { status } = exchange;
  if (status === null || (status >= 200 && status < 300)) return `${name} was asked and failed (${outcome.code}).`;
  if (outcome.class === 'authority') return `${name} was asked and did not accept the key (status ${status}).`;
  return `${name} was asked and answered with status ${status}.`;
}
