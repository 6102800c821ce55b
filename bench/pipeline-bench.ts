import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { createEmbeddedCoordinator } from '../src/main/coordinators/sqlite/embedded-coordinator.ts';
import { createHostClock } from '../src/main/host/clock.ts';
import { createHostTimers } from '../src/main/host/timers.ts';
import { NO_CRASH_POINTS } from '../src/main/host/crash-points.ts';
import { createControl } from '../src/main/host/create-control.ts';
import { nextAct } from '../src/main/host/act.ts';
import { Host } from '../src/main/host/host.ts';
import { dispatch } from '../src/main/host/pipeline/pipeline.ts';
import type { HostPorts } from '../src/main/host/ports.ts';
import { enterFirst } from '../src/main/store/transactions/enter-state.ts';
import { findRun } from '../src/main/store/rows.ts';
import { Store } from '../src/main/store/store.ts';
import { parseStrategy } from '../src/main/strategy/load-strategy.ts';
import type { PreparedCall, Tools } from '../src/main/tools/tool.ts';
import type { Problem } from '../src/shared/contract/errors.ts';
import type { AgentId, DeviceId, RunId } from '../src/shared/contract/identifiers.ts';
import { canonicalJson } from '../src/shared/lib/canonical-json.ts';
import { ok } from '../src/shared/lib/result.ts';
import type { Result } from '../src/shared/lib/result.ts';

const HOUR_MS = 3_600_000;

/** One step that leads to itself, for as many effects in one run as are wanted. */
const STRATEGY = `fencepost: 1
id: bench
name: Bench
scope: { hosts: ['127.0.0.1:9'] }
leaseTtlMs: 600000
input: { seconds: { title: Seconds, default: '1' } }
start: act
states:
  act:
    type: tool
    call: { tool: http.request, method: POST, url: 'http://127.0.0.1:9/act', body: 'for {{ input.seconds }}' }
    effect: { kind: blind }
    onSuccess: act
    onFailure: finish
  finish: { type: done }
`;

/** Prepares as the tool for requests does, and does nothing: the effect itself costs nothing here. */
const NO_OP_TOOLS: Tools = {
  async prepare(call, _declaration, scope) {
    const prepared: PreparedCall = {
      tool: call.tool,
      call,
      scope,
      title: 'Do nothing',
      target: 'nowhere',
      commandKind: 'script',
      recipient: { recipient: 'script', runtimeId: 'http', entry: 'nowhere' },
      effectKind: 'blind',
      dedupeWindowMs: null,
      isDestructive: false,
      undo: null,
      probe: null,
      inputText: canonicalJson(call),
    };
    return ok(prepared);
  },
  perform: async () => ({ outcome: { kind: 'success' }, output: { status: 200, body: 'ok' }, summary: 'Done' }),
  verify: async () => ({ answer: 'silent', summary: 'Nothing to see' }),
  describeTools: async () => ok([]),
  close: async () => undefined,
};

function must<Value>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Fencepost's own pipeline on a real store with the embedded register; only the tool is a no-op. */
export interface PipelineBench {
  newRun(): Promise<RunId>;
  /** The next effect of a run: intent to successor, all durable. */
  effect(runId: RunId): Promise<void>;
  close(): void;
}

/** Opens the store in a folder, gives the agent its permission, and takes the right to act. */
export async function createPipelineBench(folder: string): Promise<PipelineBench> {
  const clock = createHostClock();
  const timers = createHostTimers();
  const store = must(Store.open(folder, { clock, timers, newId: v7 }));
  const parsed = parseStrategy('strategy.yaml', STRATEGY);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const { strategy } = parsed.value;
  const coordinator = createEmbeddedCoordinator({
    register: () => store.connection()?.register ?? null,
    write: (job) => store.write(job),
  });
  const row = store.connection()?.db.prepare(`SELECT value FROM profile WHERE key = 'device-id'`).get() as {
    value: string;
  };
  const ports: HostPorts = {
    store,
    coordinator,
    tools: NO_OP_TOOLS,
    clock,
    timers,
    device: { deviceId: row.value as DeviceId, name: 'bench' },
    hostId: randomUUID(),
    newId: () => v7(),
    strategyOf: () => strategy,
    passed: NO_CRASH_POINTS,
    log: () => undefined,
  };
  // Never started: the loop around the pipeline is not part of what an effect costs.
  const host = new Host(ports);
  const control = createControl(ports, host);
  await host.stop();
  const agentId = 'bench' as AgentId;
  must(await control.saveAgent('strategy.yaml', STRATEGY));
  must(await control.authorise(agentId, must(control.previewGrant(agentId)).previewDigest, 'Bench'));
  await host.state.leases.ensure(agentId, HOUR_MS);
  return {
    async newRun() {
      const { runId } = must(await control.startRun({ agentId, requestId: v7(), input: {}, by: 'Bench' }));
      must(await store.write((within) => enterFirst(within, runId, { strategy, nowMs: clock.read().wallMs })));
      return runId;
    },
    async effect(runId) {
      const connection = store.connection();
      const run = connection === null ? null : findRun(connection.db, runId);
      if (run === null) throw new Error('There is no such run.');
      const next = connection === null ? '' : nextAct(connection, run, strategy);
      if (typeof next === 'string' || next.kind === 'over') throw new Error('The run has no effect to cause.');
      const result = await dispatch(host.state, { run, strategy, act: next.act });
      if (result !== 'go-on') throw new Error(`An effect came to ${result}.`);
    },
    close: () => store.close(),
  };
}
