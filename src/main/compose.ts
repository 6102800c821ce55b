import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
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
import type { DesktopShell } from './bridge/desktop-shell.ts';
import { createEventLog } from './bridge/event-log.ts';
import { createHandlers } from './bridge/handlers.ts';
import { noticeSource } from './bridge/notices.ts';
import { HubHere } from './coordinators/choice/hub-here.ts';
import { coordinatorMemory, isRegisterShared } from './coordinators/choice/kept-choice.ts';
import type { LeaseCoordinator } from './coordinators/lease-coordinator.ts';
import { openFileCoordinator } from './coordinators/sqlite/file-coordinator.ts';
import { composeCheck, composeExports } from './compose-exports.ts';
import { installSamples } from './compose-samples.ts';
import { composeDeviceKeys, composeSecrets } from './compose-secrets.ts';
import type { SecretSources } from './compose-secrets.ts';
import { composeSignIns } from './compose-sign-ins.ts';
import { beginIdentity } from './compose-identity.ts';
import { composeSleep } from './compose-sleep.ts';
import { tellChanges } from './compose-notices.ts';
import { composeRegister } from './compose-sharing.ts';
import type { ComposedRegister } from './compose-sharing.ts';
import { composeAwaited, composeSync } from './compose-sync.ts';
import type { JournalParts, SyncOptions } from './compose-sync.ts';
import { composeTriggers } from './compose-triggers.ts';
import { createHostClock } from './host/clock.ts';
import type { HostClock } from './host/clock.ts';
import type { HostControl } from './host/control.ts';
import { NO_CRASH_POINTS } from './host/crash-points.ts';
import type { CrashPointListener } from './host/crash-points.ts';
import { createControl } from './host/create-control.ts';
import { Host } from './host/host.ts';
import type { AwaitedAnswers } from './host/sync/awaited-answers.ts';
import type { JournalSharing } from './host/sync/journal-sharing.ts';
import { Signal } from './host/signal.ts';
import type { HostPorts } from './host/ports.ts';
import { readMachineId } from './host/machine-id.ts';
import { platformName } from './host/platform-name.ts';
import { createHostTimers } from './host/timers.ts';
import type { HostTimers } from './host/timers.ts';
import type { Triggers } from './host/triggers/triggers.ts';
import type { LedgerExports } from './ledger/ledger-exports.ts';
import type { RecordCheck } from './ledger/record-check.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { lockProfile } from './store/lock.ts';
import type { ProfileLock } from './store/lock.ts';
import { readProfile } from './store/profile-values.ts';
import { findSource } from './store/rows.ts';
import type { DeviceRecord } from './store/rows.ts';
import { Store } from './store/store.ts';
import { parseStrategy } from './strategy/load-strategy.ts';
import { createTools } from './tools/create-tools.ts';
import type { SignIns } from './tools/mcp/sign-in/sign-ins.ts';

/** How a host is put together. */
export interface ApplicationOptions extends SyncOptions {
  readonly profileFolder: string;
  readonly surface: 'window' | 'browser';
  readonly electronVersion: string | null;
  /** A register on a file of its own, for several hosts on one machine; the embedded one without it. */
  readonly registerFile?: string;
  /** Strategies that a new profile starts with; none without it. */
  readonly samplesFolder?: string;
  /** Passed crash points; only tests listen. */
  readonly passed?: CrashPointListener;
  readonly clock?: HostClock;
  /** What the machine is called; it is asked without it. `null`: it does not say. */
  readonly machineId?: string | null;
  /** Asks the person where a file goes; only a desktop can. `null`: they want none. */
  readonly chooseFile?: (fileName: string) => Promise<string | null>;
  readonly desktop?: DesktopShell;
  /** Where secrets can come from besides the profile's own file. */
  readonly secretSources?: SecretSources;
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
  const timers = createHostTimers();
  const { machineId = readMachineId() } = options;
  const store = Store.open(profileFolder, { clock, timers, newId: v7, machineId });
  if (!store.ok) {
    await lock.value.release();
    return store;
  }
  const device = deviceOf(store.value);
  const register = await openRegister(options, { store: store.value, clock, timers, device });
  if (!register.ok) {
    store.value.close();
    await lock.value.release();
    return register;
  }
  const { coordinator, composed } = register.value;
  const sources = options.secretSources ?? {};
  const kept = await composeSecrets(profileFolder, store.value, sources);
  const { signIns, secrets } = await composeSignIns(profileFolder, kept, sources);
  const ports = createPorts(options, { store: store.value, coordinator, clock, timers, device }, { secrets, signIns });
  const host = new Host(ports);
  const sharingChanged = new Signal();
  const share = { wallMs: () => clock.read().wallMs, changed: () => sharingChanged.tell() };
  const sharing = composed?.share(host, share) ?? null;
  const sync = await composeSync({ ports, host, journals: register.value.journals }, options);
  for (const { changed } of [sync, signIns]) changed.on(() => sharingChanged.tell());
  const { triggers, door } = composeTriggers({
    ports,
    host,
    secrets,
    profileFolder,
    protectedFolders: protectedFolders(options),
  });
  const webhookDoor = () => ({ origin: door.origin(), trouble: door.trouble() });
  const awaited = composeAwaited({ ports, sync, sharing, news: sharingChanged });
  const control = createControl(ports, host, { webhookDoor, secrets, signIns, sharing, sync, awaited });
  await installSamples(options.samplesFolder, control);
  host.start();
  triggers.start();
  return ok(
    assemble(options, {
      ports,
      host,
      control,
      triggers,
      sharingChanged,
      hubHere: register.value.journals.hubHere,
      exports: composeExports(ports, register.value.journals.keys, options),
      check: composeCheck(ports, profileFolder),
      sync,
      awaited,
      lock: lock.value,
    }),
  );
}

interface OpenRegister {
  readonly coordinator: LeaseCoordinator;
  /** `null` with a register file, which is shared without any of this. */
  readonly composed: ComposedRegister | null;
  readonly journals: JournalParts;
}

async function openRegister(
  options: ApplicationOptions,
  of: { store: Store; clock: HostClock; timers: HostTimers; device: DeviceRecord },
): Promise<Result<OpenRegister, Problem>> {
  const { registerFile, profileFolder, version, secretSources = {} } = options;
  try {
    const keys = await composeDeviceKeys(profileFolder, secretSources);
    const begun = await beginIdentity(of.store, keys, createEventLog(join(profileFolder, 'host.log')));
    if (!begun.ok) return begun;
    const hubHere = new HubHere({ profileFolder, version, device: of.device });
    const isShared = (): boolean => registerFile !== undefined || isRegisterShared(of.store);
    const journals = { keys, hubHere, memory: coordinatorMemory(of.store), isRegisterShared: isShared };
    if (registerFile !== undefined) {
      const opened = openFileCoordinator({ file: registerFile, clock: of.clock });
      return opened.ok ? ok({ coordinator: opened.value, composed: null, journals }) : opened;
    }
    const composed = await composeRegister({ ...of, keys, hubHere, version });
    return ok({ coordinator: composed.current, composed, journals });
  } catch (cause) {
    const message = `What this profile has chosen as its register cannot be read. ${cause instanceof Error ? cause.message : ''}`;
    return err(problem('store-corrupt', message, 'Nothing was sent. Put a backup of the profile back.'));
  }
}

/** This device, under the name that a person gave it or the machine has. */
function deviceOf(store: Store): DeviceRecord {
  const read = (key: string): string | null => {
    const db = store.connection()?.db;
    return db === undefined ? null : readProfile(db, key);
  };
  const deviceId = (read('device-id') ?? '') as DeviceId;
  return {
    deviceId,
    get name() {
      return read('setting:device-name') ?? hostname();
    },
  };
}

function createPorts(
  options: ApplicationOptions,
  of: { store: Store; coordinator: LeaseCoordinator; clock: HostClock; timers: HostTimers; device: DeviceRecord },
  { secrets, signIns }: { secrets: SecretStore; signIns: SignIns },
): HostPorts {
  const { store } = of;
  const log = createEventLog(join(options.profileFolder, 'host.log'));
  const scriptFolder = join(options.profileFolder, 'scripts');
  // A crash may have left the text of a script behind; never a secret.
  rmSync(scriptFolder, { recursive: true, force: true });
  return {
    ...of,
    tools: createTools({ protectedFolders: protectedFolders(options), secrets, signIns: signIns.kept, scriptFolder }),
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

function assemble(
  options: ApplicationOptions,
  of: {
    ports: HostPorts;
    host: Host;
    control: HostControl;
    triggers: Triggers;
    lock: ProfileLock;
    sharingChanged: Signal;
    hubHere: HubHere;
    exports: LedgerExports;
    check: RecordCheck;
    sync: JournalSharing;
    awaited: AwaitedAnswers;
  },
): RunningHost {
  const { ports, host, control, triggers, lock } = of;
  const { profileFolder, surface, version, electronVersion, desktop = null } = options;
  return {
    control,
    handlers: createHandlers(
      control,
      { profileFolder, surface, version, electronVersion, platform: platformName(), desktop },
      { exports: of.exports, check: of.check },
    ),
    takeExport: (exportId, callerName) => of.exports.take(exportId, callerName),
    onChange: (listener) => tellChanges({ ...of, keptChanged: of.awaited.changed }, listener),
    ...composeSleep(of),
    drain: (limitMs) => host.drain(limitMs),
    summary: () => host.counts(),
    notices: noticeSource(control),
    async close() {
      await of.exports.close();
      await of.check.close();
      await triggers.stop();
      await host.breakOff();
      await host.stop();
      await of.awaited.close();
      await of.sync.close();
      control.signIns?.close();
      await ports.tools.close();
      await ports.coordinator.close();
      await of.hubHere.close();
      ports.store.close();
      await lock.release();
    },
  };
}
