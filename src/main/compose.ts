import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { v7 } from 'uuid';
import { problem } from '../shared/contract/errors.ts';
import type { Problem } from '../shared/contract/errors.ts';
import type { DeviceId, Digest } from '../shared/contract/identifiers.ts';
import type { Strategy } from '../shared/contract/strategy.ts';
import { err, ok } from '../shared/lib/result.ts';
import type { Result } from '../shared/lib/result.ts';
import type { Application } from './bridge/application.ts';
import { createEventLog } from './bridge/event-log.ts';
import { createHandlers } from './bridge/handlers.ts';
import type { LeaseCoordinator } from './coordinators/lease-coordinator.ts';
import { createEmbeddedCoordinator } from './coordinators/sqlite/embedded-coordinator.ts';
import { openFileCoordinator } from './coordinators/sqlite/file-coordinator.ts';
import { createHostClock } from './host/clock.ts';
import type { HostClock } from './host/clock.ts';
import type { HostControl } from './host/control.ts';
import { NO_CRASH_POINTS } from './host/crash-points.ts';
import type { CrashPointListener } from './host/crash-points.ts';
import { createControl } from './host/create-control.ts';
import { Host } from './host/host.ts';
import type { HostPorts } from './host/ports.ts';
import { readOne } from './store/connection.ts';
import { lockProfile } from './store/lock.ts';
import type { ProfileLock } from './store/lock.ts';
import { findSource } from './store/rows.ts';
import { Store } from './store/store.ts';
import { parseStrategy } from './strategy/load-strategy.ts';
import { createTools } from './tools/create-tools.ts';

/** How a host is put together. */
export interface ApplicationOptions {
  readonly profileFolder: string;
  readonly surface: 'window' | 'browser';
  readonly version: string;
  readonly electronVersion: string | null;
  /** A register on a file of its own, for several hosts on one machine; the embedded one without it. */
  readonly registerFile?: string;
  /** Strategies that a new profile starts with; none without it. */
  readonly samplesFolder?: string;
  /** Passed crash points; only tests listen. */
  readonly passed?: CrashPointListener;
  readonly clock?: HostClock;
}

/** A running host: the doors' application, and the control under it for doors in the same process. */
export interface RunningHost extends Application {
  readonly control: HostControl;
}

/** Locks the profile, opens the record, and starts the one loop. Every failure is a sentence with a way out. */
export async function startApplication(options: ApplicationOptions): Promise<Result<RunningHost, Problem>> {
  const { profileFolder } = options;
  try {
    mkdirSync(profileFolder, { recursive: true, mode: 0o700 });
  } catch {
    return err(
      problem(
        'folder-read-only',
        `The data folder ${profileFolder} cannot be written.`,
        'Choose another folder with FENCEPOST_PROFILE, or change its permissions.',
      ),
    );
  }
  const lock = await lockProfile(profileFolder, { version: options.version });
  if (!lock.ok) return lock;
  const clock = options.clock ?? createHostClock();
  const store = Store.open(profileFolder, clock);
  if (!store.ok) {
    await lock.value.release();
    return store;
  }
  const coordinator = openCoordinator(options, store.value, clock);
  if (!coordinator.ok) {
    store.value.close();
    await lock.value.release();
    return coordinator;
  }
  const ports = createPorts(options, { store: store.value, coordinator: coordinator.value, clock });
  const host = new Host(ports);
  const control = createControl(ports, host);
  await installSamples(options, control);
  host.start();
  return ok(assemble(options, { ports, host, control, lock: lock.value }));
}

function openCoordinator(
  options: ApplicationOptions,
  store: Store,
  clock: HostClock,
): Result<LeaseCoordinator, Problem> {
  if (options.registerFile !== undefined) return openFileCoordinator({ file: options.registerFile, clock });
  return ok(
    createEmbeddedCoordinator({
      register: () => store.connection()?.register ?? null,
      write: (job) => store.write(job),
    }),
  );
}

function createPorts(
  options: ApplicationOptions,
  of: { store: Store; coordinator: LeaseCoordinator; clock: HostClock },
): HostPorts {
  const { store } = of;
  const read = (key: string): string | null => {
    const db = store.connection()?.db;
    return db === undefined
      ? null
      : (readOne<{ value: string }>(db, 'SELECT value FROM profile WHERE key = ?', key)?.value ?? null);
  };
  const deviceId = (read('device-id') ?? '') as DeviceId;
  const log = createEventLog(join(options.profileFolder, 'host.log'));
  return {
    ...of,
    tools: createTools({ protectedFolders: protectedFolders(options) }),
    device: {
      deviceId,
      get name() {
        return read('setting:device-name') ?? hostname();
      },
    },
    hostId: randomUUID(),
    newId: () => v7(),
    strategyOf: cachedStrategies(store),
    passed: options.passed ?? NO_CRASH_POINTS,
    log: (line) => log.write(line),
  };
}

/** No tool may touch what decides about tools: the profile, and the register where it is a file of its own. */
function protectedFolders(options: ApplicationOptions): readonly string[] {
  return options.registerFile === undefined
    ? [options.profileFolder]
    : [options.profileFolder, dirname(options.registerFile)];
}

/** Parsed revisions; a revision never changes, so it is parsed once. */
function cachedStrategies(store: Store): (revisionDigest: Digest) => Strategy | null {
  const known = new Map<Digest, Strategy>();
  return (revisionDigest) => {
    const cached = known.get(revisionDigest);
    if (cached !== undefined) return cached;
    const connection = store.connection();
    const source = connection === null ? null : findSource(connection.db, revisionDigest);
    const parsed = source === null ? null : parseStrategy('strategy.yaml', source);
    if (parsed === null || !parsed.ok) return null;
    known.set(revisionDigest, parsed.value.strategy);
    return parsed.value.strategy;
  };
}

/** Samples are saved once per profile, without a permission: nothing may run until a person says so. */
async function installSamples(options: ApplicationOptions, control: HostControl): Promise<void> {
  if (options.samplesFolder === undefined || control.readSetting('samples') !== null) return;
  for (const fileName of readdirSync(options.samplesFolder).toSorted()) {
    // A sample that starts programs comes once for each family of systems.
    if (!/\.(?:ya?ml|json)$/u.test(fileName) || fileName.includes('-windows.') !== (process.platform === 'win32'))
      continue;
    await control.saveAgent(fileName, readFileSync(join(options.samplesFolder, fileName), 'utf8'));
  }
  await control.writeSetting('samples', 'installed');
}

function platform(): 'linux' | 'macos' | 'windows' {
  if (process.platform === 'darwin') return 'macos';
  return process.platform === 'win32' ? 'windows' : 'linux';
}

function assemble(
  options: ApplicationOptions,
  of: { ports: HostPorts; host: Host; control: HostControl; lock: ProfileLock },
): RunningHost {
  const { ports, host, control, lock } = of;
  const { profileFolder, surface, version, electronVersion } = options;
  return {
    control,
    handlers: createHandlers(control, { profileFolder, surface, version, electronVersion, platform: platform() }),
    onChange: (listener) => ports.store.onCommit(listener),
    suspend: () => host.noteSuspend(),
    resume: () => host.noteSuspend(),
    drain: (limitMs) => host.drain(limitMs),
    summary: () => host.counts(),
    async close() {
      await host.stop();
      await ports.coordinator.close();
      ports.store.close();
      await lock.release();
    },
  };
}
