import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { RunId } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { readOne } from '../store/connection.ts';
import { readProfile, writeProfile } from '../store/profile-values.ts';
import { findRun } from '../store/rows.ts';
import { setBarrier } from '../store/transactions/control-run.ts';
import { agents } from './control-agents.ts';
import { people } from './control-people.ts';
import type { HostControl } from './control.ts';
import type { Host } from './host.ts';
import { leaseActions } from './lease-actions.ts';
import { fireTrigger } from './pipeline/trigger.ts';
import { runMissed, skipMissed } from './triggers/answer-missed.ts';
import { NO_SECRETS } from '../secrets/no-secrets.ts';
import type { HostPorts } from './ports.ts';
import { Sleeps } from './sleeps.ts';
import { pressStopRun } from './press-stop.ts';

const NO_RUN = problem('not-found', 'There is no such run.');

/**
 * What every door calls; each change is one transaction, then the loop looks again. Whoever puts a host together opens
 * the door for webhooks and brings the secrets, or the host has none.
 */
export function createControl(
  ports: HostPorts,
  host: Host,
  given: Partial<Pick<HostControl, 'webhookDoor' | 'secrets' | 'signIns' | 'sharing' | 'sync' | 'awaited'>> = {},
): HostControl {
  return {
    ...reading(ports, host),
    ...runs(ports, host),
    ...people(ports, host),
    ...agents(ports, host),
    ...missed(ports, host),
    ...leaseActions(host.state, () => host.wake()),
    webhookDoor: () => ({ origin: null, trouble: '' }),
    secrets: NO_SECRETS,
    signIns: null,
    sleeps: new Sleeps(),
    sharing: null,
    sync: null,
    awaited: null,
    peerName: (deviceId) => given.sharing?.devices.nameOf(deviceId) ?? journalName(ports, deviceId),
    ...given,
  };
}

/** What a device called itself when it began to share its journal. */
function journalName({ store }: HostPorts, deviceId: string): string | null {
  const db = store.connection()?.db;
  const sql = 'SELECT name FROM sync_devices WHERE device_id = ?';
  return db === undefined ? null : (readOne<{ name: string }>(db, sql, deviceId)?.name ?? null);
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
  | 'liveOf'
  | 'setDeviceName'
  | 'readSetting'
  | 'writeSetting'
>;

function reading(ports: HostPorts, host: Host): Reading {
  const { store, coordinator, device, hostId, clock } = ports;
  const { leases } = host.state;
  const writeSetting = (key: string, value: string): Promise<Result<null, Problem>> =>
    store.write(({ db }) => {
      writeProfile(db, `setting:${key}`, value);
      return null;
    });
  return {
    device,
    hostId,
    connection: () => store.connection(),
    storeState: () => store.state(),
    coordinatorState: () => ({
      name: coordinator.name,
      identity: coordinator.identity,
      state: leases.registerState(),
      answeredMs: leases.answeredMs,
    }),
    leaseStatus: (agentId) => leases.status(agentId),
    strategyOf: ports.strategyOf,
    nowMs: () => clock.read().wallMs,
    liveOf: (runId) =>
      [...host.state.inFlight.values()]
        .filter((flight) => flight.attempt.effect.runId === runId && flight.live.text !== '')
        .map(({ attempt, title, live }) => ({ attemptToken: attempt.attemptToken, title, text: live.text })),
    setDeviceName: (name) => writeSetting('device-name', name),
    readSetting(key) {
      const connection = store.connection();
      return connection === null ? null : readProfile(connection.db, `setting:${key}`);
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
    async startRun({ agentId, requestId, input, by }) {
      const source = { by: 'person', requestId } as const;
      const started = await fireTrigger(ports, { agentId, source, input, by });
      host.wake();
      return started.ok ? ok({ runId: started.value.runId }) : started;
    },
    async stopRun(runId, by) {
      const stopped = await pressStopRun(ports, host, { runId, by });
      return stopped.ok ? ok({ wasInFlight: stopped.value.inFlight > 0 }) : stopped;
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

function missed(ports: HostPorts, host: Host): Pick<HostControl, 'runMissed' | 'skipMissed'> {
  return {
    async runMissed(of, by) {
      const started = await runMissed(ports, of, by);
      host.wake();
      return started;
    },
    skipMissed: (of, by) => skipMissed(ports, of, by),
  };
}
