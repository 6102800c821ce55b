import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { TOOL_TIMEOUT_MS } from '../../../shared/contract/tool-calls.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import type { EffectDeclaration, ToolCall } from '../../../shared/contract/tool-calls.ts';
import type { FailureClass } from '../../../shared/core/effect/effect-outcome.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { declaredEffect } from '../declared-effect.ts';
import { plainTitle } from '../plain-title.ts';
import type { PreparedCall, ToolAdapter, ToolContext, ToolRun } from '../tool.ts';
import { allowedUrl } from './host-allowed.ts';
import { requestHeaders } from './request-headers.ts';
import { checkSecretHeaders, resolveSecretHeaders } from './secret-headers.ts';
import { sendRequest } from './send-request.ts';
import type { HttpReply } from './send-request.ts';

type HttpCall = Extract<ToolCall, { tool: 'http.request' }>;

/** The most redirects that a GET follows. */
const REDIRECT_LIMIT = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends one HTTP request. GET and HEAD only read unless a person says otherwise; anything else is blind. */
export function createHttpTool(): ToolAdapter<HttpCall> {
  const prepare = async (
    call: HttpCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>> => {
    const url = allowedUrl(call.url, scope.hosts);
    if (!url.ok) return err(refused(url.error));
    const headers = requestHeaders(call.headers ?? {}, call.body ?? null);
    if (!headers.ok) return err(refused(headers.error));
    const secret = checkSecretHeaders(call.secretHeaders ?? {}, { url: url.value, given: call.headers ?? {} });
    if (!secret.ok) return err(refused(secret.error));
    const secretHeaders = call.secretHeaders === undefined ? {} : { secretHeaders: secret.value };
    if (call.body !== undefined && !call.body.isWellFormed()) {
      return err(refused('The body holds half a character and cannot be sent.'));
    }
    const isReading = call.method === 'GET' || call.method === 'HEAD';
    // A POST may be a search, if a person says so. These three change something by their definition.
    const isChanging = call.method === 'PUT' || call.method === 'PATCH' || call.method === 'DELETE';
    return await Promise.resolve(
      ok({
        tool: 'http.request' as const,
        call: { ...call, url: url.value.href, headers: headers.value, ...secretHeaders },
        title: plainTitle(`${call.method} ${isReading ? 'from' : 'to'} ${url.value.host}`),
        target: `${call.method} ${url.value.href}`,
        recipient: { recipient: 'actor' as const, bindingId: url.value.origin, runtimeId: 'http.request' },
        commandKind: 'actor' as const,
        ...declaredEffect(declaration, {
          undeclared: isReading ? 'read-only' : 'blind',
          hint: isChanging && declaration?.kind === 'read-only' ? 'blind' : null,
          isDestructive: call.method === 'DELETE',
        }),
        inputText: canonicalJson({
          tool: 'http.request',
          method: call.method,
          url: url.value.href,
          headers: headers.value,
          ...secretHeaders,
          body: call.body,
        }),
        scope,
      }),
    );
  };

  const perform = async (prepared: PreparedCall, context: ToolContext): Promise<ToolRun> => {
    if (prepared.call.tool !== 'http.request') throw new Error('Not an http.request call.');
    return await follow(prepared, prepared.call, context);
  };

  const verify = async () =>
    Promise.resolve({ answer: 'silent' as const, summary: 'The server was not asked: no probe was declared.' });

  return { tool: 'http.request', prepare, perform, verify };
}

async function follow(prepared: PreparedCall, call: HttpCall, context: ToolContext): Promise<ToolRun> {
  const deadlineMs = performance.now() + (call.timeoutMs ?? TOOL_TIMEOUT_MS);
  const isFollowing = call.method === 'GET' && prepared.effectKind === 'read-only';
  let address = call.url;
  const secret = await resolveSecretHeaders(call.secretHeaders ?? {}, context.secrets);
  if (!secret.ok) return secret.error;
  // The headers of the call were checked when it was prepared and are complete.
  let headers = { ...call.headers, ...secret.value, ...ownHeaders(prepared, context) };
  for (let hop = 0; ; hop += 1) {
    const url = allowedUrl(address, prepared.scope.hosts);
    if (!url.ok) return refusedHop(url.error, hop);
    const reply = await sendRequest({
      method: call.method,
      url: url.value,
      headers,
      body: call.body ?? null,
      timeoutMs: Math.max(1, deadlineMs - performance.now()),
      signal: context.signal,
    });
    const next = isFollowing && hop < REDIRECT_LIMIT ? redirectOf(reply, url.value) : null;
    if (next === null) return describeReply(url.value.host, reply);
    if (next.origin !== url.value.origin) headers = withoutCredentials(headers, secret.value);
    address = next.href;
  }
}

/** The effect's id and the epoch, where there is an effect to recognise. */
function ownHeaders(prepared: PreparedCall, context: ToolContext): Record<string, string> {
  const epoch = { 'fencepost-epoch': String(context.epoch) };
  return prepared.effectKind === 'read-only' ? epoch : { ...epoch, 'idempotency-key': context.effectId };
}

function redirectOf(reply: HttpReply, from: URL): URL | null {
  if (reply.kind !== 'answered' || !REDIRECTS.has(reply.status)) return null;
  const location = reply.headers['location'];
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from) : null;
}

/** What was meant for one server is not told to another: only the harmless headers go along. */
function withoutCredentials(
  headers: Readonly<Record<string, string>>,
  secret: Readonly<Record<string, string>>,
): Record<string, string> {
  const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => harmless.has(name) && !Object.hasOwn(secret, name)),
  );
}

function refused(message: string): Problem {
  return problem('input-invalid', message, 'Change the strategy, or grant the agent a wider scope.');
}

function refusedHop(reason: string, hop: number): ToolRun {
  const where = hop === 0 ? 'Nothing was sent.' : 'The redirect was not followed.';
  return {
    outcome: { kind: 'failure', class: 'permanent', code: 'outside-scope', wasSent: hop > 0 },
    output: { status: null, headers: {}, body: '' },
    summary: `${reason} ${where}`,
  };
}

/** What passes by itself: a server or a network that is away for now. A bad certificate or address stays bad. */
const PASSING = new Set(['econnrefused', 'econnreset', 'enotfound', 'eai_again', 'ehostunreach', 'enetunreach']);

function unsentClass(code: string): FailureClass {
  if (code === 'aborted') return 'runtime';
  return PASSING.has(code) || code === 'etimedout' || code === 'timeout' || code === 'closed'
    ? 'transient'
    : 'permanent';
}

function describeReply(host: string, reply: HttpReply): ToolRun {
  switch (reply.kind) {
    case 'answered': {
      const output = { status: reply.status, headers: reply.headers, body: reply.body };
      const summary = `${host} answered ${reply.status}.`;
      if (reply.status >= 200 && reply.status < 300) return { outcome: { kind: 'success' }, output, summary };
      const isPassing = reply.status >= 500 || reply.status === 429 || reply.status === 408;
      return {
        outcome: {
          kind: 'failure',
          class: isPassing ? 'transient' : 'permanent',
          code: `http-${reply.status}`,
          wasSent: true,
        },
        output,
        summary,
      };
    }
    case 'never-sent':
      return {
        outcome: { kind: 'failure', class: unsentClass(reply.code), code: reply.code, wasSent: false },
        output: { status: null, headers: {}, body: '' },
        summary: `${host} could not be reached (${reply.code}). Nothing was sent.`,
      };
    case 'no-answer':
      return {
        outcome: { kind: 'unclear', code: reply.code },
        output: { status: null, headers: {}, body: '' },
        summary: `The request left for ${host}, and no whole answer came back (${reply.code}).`,
      };
    default:
      return assertNever(reply);
  }
}
