import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { basename } from 'node:path';
import type { AgentId, Digest } from '../../src/shared/contract/identifiers.ts';
import { startApplication } from '../../src/main/compose.ts';
import type { RunningHost } from '../../src/main/compose.ts';
import type { HostControl } from '../../src/main/host/control.ts';
import { steadyClock } from '../../src/main/host/testing/steady-clock.ts';
import type { Route } from '../../src/shared/contract/api.ts';

/**
 * A real host in a process of its own, driven over IPC by a test or the demo, and killed for real. It dies by its own
 * SIGKILL at the crash point it was told, so that nothing after that point can run.
 */
export interface ChildOptions {
  readonly profileFolder: string;
  readonly registerFile?: string;
  readonly crashAt?: string;
  /** Which time (from 1) that the point is passed it dies; the first without it. */
  readonly crashOnNth?: number;
  /** Stops itself (SIGSTOP) at this point, as a machine that freezes; the parent wakes it. */
  readonly freezeAt?: string;
  /** No time passes while it does not get to run: for hosts whose register no other process uses at the same time. */
  readonly isSteady?: boolean;
}

export type ChildRequest =
  | { readonly id: number; readonly call: 'save'; readonly file: string; readonly authorise: boolean }
  | { readonly id: number; readonly call: 'route'; readonly route: Route; readonly request: unknown }
  | {
      readonly id: number;
      readonly call: 'control';
      readonly name: keyof HostControl;
      readonly parameters: readonly unknown[];
    }
  | { readonly id: number; readonly call: 'rows'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly id: number; readonly call: 'suspend' }
  | { readonly id: number; readonly call: 'drain' };

const options = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;
let hasFrozen = false;
let passes = 0;

const started = await startApplication({
  profileFolder: options.profileFolder,
  surface: 'browser',
  version: '0.0.0-test',
  electronVersion: null,
  ...(options.registerFile === undefined ? {} : { registerFile: options.registerFile }),
  ...(options.isSteady === true ? { clock: steadyClock } : {}),
  passed(point) {
    if (point === options.crashAt) passes += 1;
    if (point === options.crashAt && passes === (options.crashOnNth ?? 1)) process.kill(process.pid, 'SIGKILL');
    if (point !== options.freezeAt || hasFrozen) return;
    hasFrozen = true;
    process.kill(process.pid, 'SIGSTOP');
  },
});
if (!started.ok) {
  process.send?.({ kind: 'failed', problem: started.error });
  process.exit(1);
}
const host: RunningHost = started.value;

process.on('message', (message) => {
  const request = message as ChildRequest;
  void answer(request).then(
    (value) => process.send?.({ id: request.id, value }),
    (cause: unknown) => process.send?.({ id: request.id, failure: String(cause) }),
  );
});
process.on('disconnect', () => process.exit(0));

async function answer(request: ChildRequest): Promise<unknown> {
  switch (request.call) {
    case 'save':
      return save(request.file, request.authorise);
    case 'route': {
      const handler = host.handlers[request.route] as (input: unknown, caller: unknown) => Promise<unknown>;
      return handler(request.request, { surface: 'browser', name: 'Test' });
    }
    case 'control': {
      const method = host.control[request.name] as (...parameters: readonly unknown[]) => unknown;
      return method(...request.parameters);
    }
    case 'rows':
      return (
        host.control
          .connection()
          ?.db.prepare(request.sql)
          .all(...request.parameters) ?? []
      );
    case 'suspend':
      host.suspend();
      return null;
    case 'drain': {
      const drained = await host.drain(5_000);
      await host.close();
      return drained;
    }
    default:
      throw new Error('There is no such call.');
  }
}

async function save(file: string, isAuthorised: boolean): Promise<unknown> {
  const saved = await host.control.saveAgent(basename(file), readFileSync(file, 'utf8'));
  if (!saved.ok || 'problems' in saved.value) return saved;
  const agentId: AgentId = saved.value.agentId;
  if (!isAuthorised) return agentId;
  const preview = host.control.previewGrant(agentId);
  if (!preview.ok) return preview;
  const previewDigest: Digest = preview.value.previewDigest;
  return host.control.authorise(agentId, previewDigest, 'Test');
}

// Most of these processes are killed, and would never leave what Node made of the sources to the next one.
flushCompileCache();
process.send?.({ kind: 'ready', deviceId: host.control.device.deviceId });
