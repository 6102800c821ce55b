import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration } from '../../../shared/contract/tool-calls.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import type { PreparedCall, ToolAdapter, ToolContext, ToolRun } from '../tool.ts';
import { collectAnswer } from './collect-answer.ts';
import { describeTurn } from './describe-turn.ts';
import { endpointOf } from './model-endpoint.ts';
import type { ResolvedEndpoint } from './model-endpoint.ts';
import type { ModelCall, StreamEnd } from './model-provider.ts';
import { reportProgress } from './report-progress.ts';
import { createExchange } from './send-once.ts';

/** The longest that one turn may take unless its state says otherwise, ms. Models think for minutes. */
const TURN_TIMEOUT_MS = 300_000;
/** What a key may consist of, as it goes into a header. */
const KEY = /^[\x21-\x7E]+$/u;

/** How long a question counts as the same one, ms. Asking changes nothing in the world, so for ever would be right as well. */
const SAME_QUESTION_MS = 365 * 86_400_000;

/**
 * Asks a model once. Asking changes nothing in the world, so after a crash it may be asked again, like anything that is
 * recognised by its key. It is announced in the register all the same: what follows depends on the answer, and a device
 * that does not have it must not get another one and act on that. It costs money each time, which is why budgets count
 * attempts and an answer that was recorded is never asked for again.
 */
export function createModelTool(): ToolAdapter<ModelCall> {
  const prepare = async (
    call: ModelCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const resolved = endpointOf(call.model, scope);
    if (!resolved.ok) {
      return err(problem('input-invalid', resolved.error, 'Change the strategy, or grant the agent a wider scope.'));
    }
    const { endpoint, baseUrl, requestUrl } = resolved.value;
    return await Promise.resolve(
      ok({
        tool: 'model.call' as const,
        call,
        title: plainTitle(`Ask ${endpoint.model}`),
        target: `${endpoint.model} at ${requestUrl.origin}`,
        recipient: {
          recipient: 'actor' as const,
          bindingId: `${requestUrl.origin} ${endpoint.model}`,
          runtimeId: 'model.call',
        },
        commandKind: 'actor' as const,
        ...declaredEffect(declaration ?? { kind: 'idempotent-by-key', dedupeWindowMs: SAME_QUESTION_MS }, {
          undeclared: 'blind',
          hint: null,
          isDestructive: false,
        }),
        inputText: canonicalJson({
          tool: 'model.call',
          endpoint: { provider: endpoint.provider, baseUrl, secret: endpoint.secret },
          model: endpoint.model,
          ...asked(call),
        }),
        scope,
      }),
    );
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    const { call } = prepared;
    if (call.tool !== 'model.call') throw new Error('Not a model.call.');
    const resolved = endpointOf(call.model, prepared.scope);
    if (!resolved.ok) return unsent({ class: 'permanent', code: 'outside-scope' }, resolved.error);
    const { secret } = resolved.value.endpoint;
    if (secret === undefined) return await ask({ call, resolved: resolved.value, key: null }, context);
    const read = await context.secrets.read(secret);
    if (!read.ok) return read.error;
    // Pasted keys bring line ends along.
    const key = read.value.trim();
    if (!KEY.test(key)) {
      const sentence = `The secret ${visibleText(secret)} holds characters that no key can have.`;
      return unsent({ class: 'authority', code: 'secret-unusable' }, sentence);
    }
    return await ask({ call, resolved: resolved.value, key }, context);
  };

  const verify = async () =>
    Promise.resolve({ answer: 'silent' as const, summary: 'A model does not remember whether it was asked.' });

  return { tool: 'model.call', prepare, perform, verify };
}

interface Turn {
  readonly call: ModelCall;
  readonly resolved: ResolvedEndpoint;
  readonly key: string | null;
}

async function ask({ call, resolved, key }: Turn, context: ToolContext): Promise<ToolRun> {
  const { endpoint, provider, baseUrl, requestUrl } = resolved;
  const exchange = createExchange({
    url: requestUrl,
    headers: key === null ? {} : provider.keyHeaders(key),
    timeoutMs: call.timeoutMs ?? TURN_TIMEOUT_MS,
    signal: context.signal,
  });
  const progress = reportProgress(context.onProgress, { hidden: key, redact: (text) => context.secrets.redact(text) });
  const collector = collectAnswer({
    model: endpoint.model,
    inputCharacters: canonicalJson(asked(call)).length,
    onText: (delta) => progress.add(delta),
    onTooLong: () => exchange.cut('answer-too-long'),
  });
  let end: StreamEnd;
  try {
    end = await provider.ask({ call, model: endpoint.model, baseUrl }, exchange, collector);
  } finally {
    exchange.close();
    progress.end();
  }
  return describeTurn({
    name: visibleText(endpoint.model),
    end,
    exchange: exchange.state,
    collected: collector.collected(),
  });
}

/** What the model is told. */
function asked({ system, messages, tools, maxOutputTokens }: ModelCall) {
  return { system, messages, tools, maxOutputTokens };
}

function unsent(why: { readonly class: 'permanent' | 'authority'; readonly code: string }, sentence: string): ToolRun {
  return {
    outcome: { kind: 'failure', ...why, wasSent: false },
    output: null,
    summary: `${sentence} Nothing was sent.`,
  };
}
