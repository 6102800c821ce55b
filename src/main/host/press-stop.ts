import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId, RunId } from '../../shared/contract/identifiers.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { withBranches } from '../store/branches.ts';
import { readAll } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { findRun } from '../store/rows.ts';
import { stopRun } from '../store/transactions/control-run.ts';
import { revokeGrant } from '../store/transactions/give-grant.ts';
import { stopAgents } from '../store/transactions/stop-agent.ts';
import type { StoppedAgents } from '../store/transactions/stop-agent.ts';
import type { Host } from './host.ts';
import type { HostPorts } from './ports.ts';
import { sleep } from './timers.ts';

/** How often the record of a stop is tried again while the store does not take it, ms. */
const RECORD_RETRY_MS = 500;

/** How many effects were on their way when it was pressed. */
export interface Pressed {
  readonly inFlight: number;
}

/** Stops a run: at once in this process, then in the record. What is in flight is tracked to its outcome. */
export async function pressStopRun(
  ports: HostPorts,
  host: Host,
  of: { runId: RunId; by: string },
): Promise<Result<Pressed, Problem>> {
  const { stops } = host.state;
  const db = ports.store.connection()?.db;
  const run = db === undefined ? null : findRun(db, of.runId);
  const runIds = db === undefined || run === null ? [of.runId] : withBranches(db, run).map((each) => each.run_id);
  // While the record is being opened again nobody knows the run's branches: then nothing at all leaves.
  const end = db === undefined ? stops.begin(null) : (): void => undefined;
  stops.add(runIds);
  const inFlight = countInFlight(host, (effect) => runIds.includes(effect.runId));
  const recorded = await record(ports, host, { job: (connection) => stopRun(connection, of.runId, of.by), end });
  if (!recorded.ok) return recorded;
  return recorded.value.ok ? ok({ inFlight }) : recorded.value;
}

/** Stops an agent, or everything (`null`), and takes the permission back. */
export async function pressStopAgents(
  ports: HostPorts,
  host: Host,
  of: { agentId: AgentId | null; by: string },
): Promise<Result<Pressed & StoppedAgents, Problem>> {
  const { agentId, by } = of;
  const { stops } = host.state;
  const endPending = stops.begin(agentId);
  stops.add(openRuns(ports, agentId));
  const inFlight = countInFlight(host, (effect) => agentId === null || effect.agentId === agentId);
  const job = (connection: Connection): StoppedAgents => stopAgents(connection, agentId, by);
  const recorded = await record(ports, host, {
    job,
    end: (stopped) => {
      stops.add(stopped.runIds);
      endPending();
    },
  });
  return recorded.ok ? ok({ inFlight, ...recorded.value }) : recorded;
}

/** Takes a permission back: nothing leaves on it from this moment, whether or not that is written down yet. */
export async function pressRevoke(
  ports: HostPorts,
  host: Host,
  of: { agentId: AgentId; by: string },
): Promise<Result<null, Problem>> {
  const end = host.state.stops.beginRevoking(of.agentId);
  const job = (connection: Connection): null => {
    revokeGrant(connection, of.agentId, of.by);
    return null;
  };
  return record(ports, host, { job, end });
}

function openRuns(ports: HostPorts, agentId: AgentId | null): RunId[] {
  const db = ports.store.connection()?.db;
  if (db === undefined) return [];
  const sql = 'SELECT run_id FROM runs WHERE ending IS NULL AND (agent_id = ? OR ? IS NULL)';
  return readAll<{ run_id: RunId }>(db, sql, agentId, agentId).map((each) => each.run_id);
}

function countInFlight(host: Host, isMeant: (effect: { agentId: AgentId; runId: RunId }) => boolean): number {
  return [...host.state.inFlight.values()].filter((flight) => isMeant(flight.attempt.effect)).length;
}

/** Writes a stop down. If that fails the person is told, the stop stays in force, and it is tried until it is written. */
async function record<Value>(
  ports: HostPorts,
  host: Host,
  stop: { job: (connection: Connection) => Value; end: (value: Value) => void },
): Promise<Result<Value, Problem>> {
  const first = await ports.store.write(stop.job);
  if (first.ok) {
    stop.end(first.value);
    host.wake();
    return first;
  }
  ports.log({ event: 'stop-not-recorded', code: first.error.code, message: first.error.message });
  void recordLater(ports, host, stop).catch((cause: unknown) =>
    ports.log({ event: 'stop-not-recorded', message: String(cause) }),
  );
  return err(
    problem(
      first.error.code,
      `It is in force now: nothing further is sent from here. But it could not be written down yet. ${first.error.message}`,
      'Fencepost tries again by itself. Leave it running until the record is back: a restart before that would forget it.',
    ),
  );
}

async function recordLater<Value>(
  ports: HostPorts,
  host: Host,
  stop: { job: (connection: Connection) => Value; end: (value: Value) => void },
): Promise<void> {
  while (!host.state.stops.isClosed) {
    await sleep(ports.timers, RECORD_RETRY_MS);
    await ports.store.reopened();
    if (ports.store.connection() === null) continue;
    const again = await ports.store.write(stop.job);
    if (!again.ok) continue;
    stop.end(again.value);
    host.wake();
    return;
  }
}
