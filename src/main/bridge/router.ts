import { requestSchemas } from '../../shared/contract/api.ts';
import type { Answer, ParsedRequestOf, Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { err } from '../../shared/lib/result.ts';
import type { Application, Caller } from './application.ts';
import type { EventLog } from './event-log.ts';
import { explainRequest } from './explain-request.ts';
import { measureRequest, REQUEST_MAX_DEPTH, REQUEST_MAX_SIZE } from './measure-request.ts';
import { createRateLimit } from './rate-limit.ts';

/** How many calls of one caller may be under way; more are turned away at once instead of waiting in a queue. */
export const CALLS_UNDER_WAY_MAX = 64;

/** The one way into the host, behind every door. */
export interface Router {
  /** Answers with a value whatever it is given; never rejects. */
  dispatch(route: unknown, request: unknown, caller: Caller): Promise<Answer<Route>>;
}

/** What a router needs besides the host. */
export interface RouterOptions {
  readonly log: EventLog;
  /** A clock that never goes back, ms. */
  readonly nowMs?: () => number;
}

/** Builds the router: route, size, rate and schema are checked in this order, then the handler is called. */
export function createRouter(application: Pick<Application, 'handlers'>, options: RouterOptions): Router {
  const { log, nowMs = () => performance.now() } = options;
  const rate = createRateLimit();
  const underWay = new Map<string, number>();

  const call = async (route: Route, request: unknown, caller: Caller): Promise<Answer<Route>> => {
    const before = underWay.get(caller.name) ?? 0;
    if (before >= CALLS_UNDER_WAY_MAX) return err(tooMany());
    underWay.set(caller.name, before + 1);
    try {
      return await callHandler(application, route, { request, caller });
    } catch (cause) {
      log.write({ event: 'handler-threw', route, surface: caller.surface, cause: describeCause(cause) });
      return err(internal());
    } finally {
      const left = (underWay.get(caller.name) ?? 1) - 1;
      if (left > 0) underWay.set(caller.name, left);
      else underWay.delete(caller.name);
    }
  };

  return {
    async dispatch(route, request, caller) {
      if (!rate.take(caller.name, nowMs())) return err(tooMany());
      if (!isRoute(route))
        return err(
          problem('input-invalid', 'There is no such request.', 'Reload this page: it may be older than the host.'),
        );
      const fault = measureRequest(request);
      if (fault !== null) return err(faultProblem(fault));
      return call(route, request, caller);
    },
  };
}

function isRoute(route: unknown): route is Route {
  // `in` would also find what every object inherits, such as `constructor`.
  return typeof route === 'string' && Object.hasOwn(requestSchemas, route);
}

async function callHandler<R extends Route>(
  application: Pick<Application, 'handlers'>,
  route: R,
  of: { readonly request: unknown; readonly caller: Caller },
): Promise<Answer<R>> {
  const parsed = requestSchemas[route].safeParse(of.request);
  if (!parsed.success) return err(explainRequest(parsed.error));
  // Indexing a record of schemas by a type parameter loses which one it was.
  const request = parsed.data as ParsedRequestOf<R>;
  return application.handlers[route](request, of.caller);
}

function faultProblem(fault: 'too-large' | 'too-deep' | 'not-plain-data'): Problem {
  switch (fault) {
    case 'too-large':
      return problem(
        'input-invalid',
        `The request is too large: the most is ${REQUEST_MAX_SIZE} characters.`,
        'Send less at a time.',
      );
    case 'too-deep':
      return problem('input-invalid', `The request is nested more than ${REQUEST_MAX_DEPTH} levels deep.`);
    case 'not-plain-data':
      return problem('input-invalid', 'The request holds something that is not plain data.');
    default:
      return assertNever(fault);
  }
}

function tooMany(): Problem {
  return problem(
    'store-busy',
    'This page asks for more than the host answers at a time, so nothing was done.',
    'Wait a second, then ask again.',
  );
}

function internal(): Problem {
  return problem(
    'internal',
    'Something in Fencepost went wrong while it answered. We can’t tell whether this was done.',
    'Look at the list before asking a second time. The log in the data folder says more.',
  );
}

/** A bug's name, message and stack: what a handler throws is ours, never a payload. */
function describeCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? `${cause.name}: ${cause.message}`) : typeof cause;
}
