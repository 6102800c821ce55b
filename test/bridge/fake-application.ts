import { requestSchemas } from '../../src/shared/contract/api.ts';
import type { ChangeNotice, Route } from '../../src/shared/contract/api.ts';
import { problem } from '../../src/shared/contract/errors.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import type { Application, Caller, Handlers } from '../../src/main/bridge/application.ts';
import type { EventLog, LogLine } from '../../src/main/bridge/event-log.ts';

/** What a door's test asserts on. */
export interface FakeApplication extends Application {
  readonly calls: { readonly route: Route; readonly request: unknown; readonly caller: Caller }[];
  notify(notice: ChangeNotice): void;
}

type AnyHandler = (request: unknown, caller: Caller) => Promise<unknown>;

/**
 * A FAKE: there is no host, no store and no effect behind it. Every route answers that it is a fake, so that no test of
 * a door can pass for a test of the product.
 */
export function createFakeApplication(overrides: Partial<Record<Route, AnyHandler>> = {}): FakeApplication {
  const calls: FakeApplication['calls'] = [];
  const listeners = new Set<(notice: ChangeNotice) => void>();
  const routes = Object.keys(requestSchemas) as Route[];
  const handlers = Object.fromEntries(
    routes.map((route): [Route, AnyHandler] => [
      route,
      async (request, caller) => {
        calls.push({ route, request, caller });
        const override = overrides[route];
        if (override !== undefined) return override(request, caller);
        return route === 'text.get'
          ? ok({ text: 'This is a fake.' })
          : err(problem('not-found', 'This is a fake application.'));
      },
    ]),
  );
  return {
    calls,
    // The fake answers are of no route's type; only doors see them.
    handlers: handlers as unknown as Handlers,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify: (notice) => listeners.forEach((listener) => listener(notice)),
    suspend: () => undefined,
    resume: () => undefined,
    drain: async () => ({ leftUnclear: [] }),
    takeExport: () => null,
    close: async () => undefined,
    notices: {
      read: async () => err(problem('not-found', 'This is a fake application.')),
      remember: async () => ok(null),
    },
    summary: () => ({ running: 0, needsYou: 0, inFlight: [] }),
  };
}

/** Keeps the lines for assertions. */
export function createMemoryLog(): EventLog & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { lines, write: (line) => void lines.push(line) };
}
