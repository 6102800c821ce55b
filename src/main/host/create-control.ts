import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId, Digest, RunId } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { encodeIdentity } from '../../shared/lib/identity.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { change, readOne, sha256 } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { activeGrant, findAgent, findApproval, findAttempt, findRun } from '../store/rows.ts';
import { setBarrier, stopRun } from '../store/transactions/control-run.ts';
import { decideApproval } from '../store/transactions/decide-approval.ts';
import { parseStrategy } from '../strategy/load-strategy.ts';
import type { HostControl } from './control.ts';
import type { Host } from './host.ts';
import { fireTrigger } from './pipeline/trigger.ts';
import type { HostPorts } from './ports.ts';
import { probeAttempt, reopen, resolveRecovery } from './recovery.ts';

const NO_RUN = problem('not-found', 'There is no such run.');
const NOT_OPEN = problem(
  'store-unsure',
  'The record is being opened again after a disk error.',
  'Nothing was sent. Wait a moment.',
);

/** What every door calls; each change is one transaction, then the loop looks again. */
export function createControl(ports: HostPorts, host: Host): HostControl {
  return { ...reading(ports, host), ...runs(ports, host), ...people(ports, host), ...agents(ports, host) };
}

type Reading = Pick<
  HostControl,
  | 'device'
  | 'hostId'
  | 'connection'
  | 'storeState'
  | 'coordinatorState'
  | 'leaseStatus'
  | 'strategyOf'
  | 'nowMs'
  | 'setDeviceName'
  | 'readSetting'
  | 'writeSetting'
>;

function reading(ports: HostPorts, host: Host): Reading {
  const { store, coordinator, device, hostId, clock } = ports;
  const { leases } = host.state;
  const writeSetting = (key: string, value: string): Promise<Result<null, Problem>> =>
    store.write(({ db }) => {
      change(
        db,
        'INSERT INTO profile (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        `setting:${key}`,
        value,
      );
      return null;
    });
  return {
    device,
    hostId,
    connection: () => store.connection(),
    storeState: () => store.state(),
    coordinatorState: () => ({ name: coordinator.name, state: leases.registerState(), answeredMs: leases.answeredMs }),
    leaseStatus: (agentId) => leases.status(agentId),
    strategyOf: ports.strategyOf,
    nowMs: () => clock.read().wallMs,
    setDeviceName: (name) => writeSetting('device-name', name),
    readSetting(key) {
      const connection = store.connection();
      const row =
        connection === null
          ? null
          : readOne<{ value: string }>(connection.db, 'SELECT value FROM profile WHERE key = ?', `setting:${key}`);
      return row?.value ?? null;
    },
    writeSetting,
  };
}

type Runs = Pick<HostControl, 'startRun' | 'stopRun' | 'pauseRun' | 'resumeRun'>;

function runs(ports: HostPorts, host: Host): Runs {
  const inFlight = (runId: RunId): boolean =>
    [...host.state.inFlight.values()].some((flight) => flight.attempt.effect.runId === runId);
  const barrier = async (
    runId: RunId,
    isUp: boolean,
    by: string,
  ): Promise<Result<{ wasInFlight: boolean }, Problem>> => {
    const strategy = strategyOfRun(ports, runId);
    if (strategy === null) return err(NO_RUN);
    const written = await ports.store.write((connection) =>
      setBarrier(connection, runId, { isUp, by, strategy, nowMs: ports.clock.read().wallMs }),
    );
    host.wake();
    if (!written.ok) return written;
    return written.value.ok ? ok({ wasInFlight: inFlight(runId) }) : written.value;
  };
  return {
    async startRun(request) {
      const started = await fireTrigger(ports, request);
      host.wake();
      return started.ok ? ok({ runId: started.value.runId }) : started;
    },
    async stopRun(runId, by) {
      const wasInFlight = inFlight(runId);
      const written = await ports.store.write((connection) => stopRun(connection, runId, by));
      host.wake();
      if (!written.ok) return written;
      return written.value.ok ? ok({ wasInFlight }) : written.value;
    },
    pauseRun: (runId, by) => barrier(runId, true, by),
    async resumeRun(runId, by) {
      const resumed = await barrier(runId, false, by);
      return resumed.ok ? ok(null) : resumed;
    },
  };
}

function strategyOfRun(ports: HostPorts, runId: string): Strategy | null {
  const connection = ports.store.connection();
  const run = connection === null ? null : findRun(connection.db, runId);
  return run === null ? null : ports.strategyOf(run.revision_digest);
}

type People = Pick<HostControl, 'checkRecovery' | 'resolveRecovery' | 'reopenRecovery' | 'decideApproval'>;

function people(ports: HostPorts, host: Host): People {
  return {
    async checkRecovery(attemptToken, by) {
      const connection = ports.store.connection();
      const attempt = connection === null ? null : findAttempt(connection.db, attemptToken);
      if (attempt === null) return err(problem('not-found', 'There is no such step any more.'));
      return probeAttempt(host.state, attempt, by);
    },
    async resolveRecovery(request) {
      const resolved = await resolveRecovery(host.state, request);
      host.wake();
      return resolved;
    },
    async reopenRecovery(attemptToken, by) {
      const reopened = await reopen(host.state, attemptToken, by);
      host.wake();
      return reopened;
    },
    async decideApproval(request) {
      const connection = ports.store.connection();
      const approval = connection === null ? null : findApproval(connection.db, request.approvalId);
      const strategy = approval === null ? null : strategyOfRun(ports, approval.run_id);
      if (strategy === null) return err(problem('not-found', 'There is no such question any more.'));
      const written = await ports.store.write((within) =>
        decideApproval(within, { ...request, strategy, nowMs: ports.clock.read().wallMs }),
      );
      host.wake();
      return written.ok ? written.value : written;
    },
  };
}

type Agents = Pick<HostControl, 'saveAgent' | 'previewGrant' | 'authorise' | 'revoke'>;

function agents(ports: HostPorts, host: Host): Agents {
  const { store } = ports;
  return {
    async saveAgent(fileName, source) {
      const parsed = parseStrategy(fileName, source);
      if (!parsed.ok) return ok({ problems: parsed.error });
      const { strategy, digest } = parsed.value;
      const { id: agentId, name, description } = strategy;
      const written = await store.write(({ db, journal }) => {
        if (findAgent(db, agentId)?.revision_digest === digest) return;
        journal.append('agent.saved', { agentId, revisionDigest: digest, name, description, source });
      });
      host.wake();
      return written.ok ? ok({ agentId }) : written;
    },
    previewGrant(agentId) {
      const connection = store.connection();
      return connection === null ? err(NOT_OPEN) : preview(connection, agentId);
    },
    async authorise(agentId, previewDigest, by) {
      const written = await store.write((connection) => giveGrant(connection, { agentId, previewDigest, by }));
      host.wake();
      return written.ok ? written.value : written;
    },
    async revoke(agentId, by) {
      const written = await store.write(({ db, journal }) => {
        const grant = activeGrant(db, agentId);
        if (grant !== null) journal.append('grant.revoked', { agentId, grantDigest: grant.grant_digest, by });
        return null;
      });
      host.wake();
      return written;
    },
  };
}

/** The permission that would be given now: of this revision, as the next in this agent's row of permissions. */
function preview(
  { db }: Connection,
  agentId: AgentId,
): Result<{ previewDigest: Digest; revisionDigest: Digest; grantNumber: number }, Problem> {
  const agent = findAgent(db, agentId);
  if (agent === null) return err(problem('not-found', 'There is no such agent.'));
  const last = readOne<{ number: number | null }>(
    db,
    'SELECT max(grant_number) AS number FROM grants WHERE agent_id = ?',
    agentId,
  );
  const grantNumber = (last?.number ?? 0) + 1;
  const revisionDigest = agent.revision_digest;
  return ok({
    previewDigest: sha256(encodeIdentity(['grant', agentId, revisionDigest, String(grantNumber)])),
    revisionDigest,
    grantNumber,
  });
}

/** Recomputed in the write transaction: a permission can only be given for what the person looked at. */
function giveGrant(
  connection: Connection,
  request: { agentId: AgentId; previewDigest: Digest; by: string },
): Result<{ grantDigest: Digest }, Problem> {
  const { agentId, previewDigest, by } = request;
  const current = preview(connection, agentId);
  if (!current.ok) return current;
  if (current.value.previewDigest !== previewDigest) {
    return err(
      problem(
        'grant-stale',
        'The agent changed since you looked at it.',
        'Look at what it asks for now, then authorise it.',
      ),
    );
  }
  const { revisionDigest, grantNumber } = current.value;
  connection.journal.append('grant.given', { agentId, revisionDigest, grantDigest: previewDigest, grantNumber, by });
  return ok({ grantDigest: previewDigest });
}
