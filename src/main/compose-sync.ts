import { ok } from '../shared/lib/result.ts';
import type { Sharing } from './coordinators/choice/sharing.ts';
import type { HubHere } from './coordinators/choice/hub-here.ts';
import type { CoordinatorMemory } from './coordinators/choice/kept-choice.ts';
import { keepSecrets } from './coordinators/choice/open-chosen.ts';
import type { Host } from './host/host.ts';
import type { HostPorts } from './host/ports.ts';
import type { Signal } from './host/signal.ts';
import { AwaitedAnswers } from './host/sync/awaited-answers.ts';
import type { CondensingTerms } from './host/sync/condensing.ts';
import { JournalSharing } from './host/sync/journal-sharing.ts';
import { chosenTerms } from './host/sync/retention.ts';
import { pruneTails } from './host/sync/prune-tails.ts';
import type { JournalSharingOptions } from './host/sync/sharing-options.ts';
import { awaitedEnds } from './host/triggers/awaited-ends.ts';
import { openRelay } from './relays/open-relay.ts';
import type { SecretStore } from './secrets/secret-store.ts';

/** What a relay may need besides the host. */
export interface JournalParts {
  /** Keys and passwords of this device; no tool can name them. */
  readonly keys: SecretStore;
  readonly hubHere: HubHere;
  readonly memory: CoordinatorMemory;
  readonly isRegisterShared: JournalSharingOptions['isRegisterShared'];
}

/** How a host shares. */
export interface SyncOptions {
  readonly version: string;
  /** After what time, and how often, runs are condensed; as a person chose; only tests say otherwise. */
  readonly condensing?: CondensingTerms;
}

/** A host, and the relays that its device can reach. */
interface SharingParts {
  readonly ports: HostPorts;
  readonly host: Host;
  readonly keys: SecretStore;
  readonly open: JournalSharingOptions['open'];
  readonly keepSecrets: JournalSharingOptions['keepSecrets'];
  readonly isRegisterShared: JournalSharingOptions['isRegisterShared'];
}

interface SyncParts extends Pick<SharingParts, 'ports' | 'host'> {
  readonly journals: JournalParts;
}

/** Exchanges journals through the relays that there are. @throws Error where the choice does not read back. */
export async function composeSync({ ports, host, journals }: SyncParts, options: SyncOptions): Promise<JournalSharing> {
  const { clock, device } = ports;
  const { keys, hubHere, memory, isRegisterShared } = journals;
  const wallMs = (): number => clock.read().wallMs;
  const open: SharingParts['open'] = (place) =>
    openRelay(place, { deviceId: device.deviceId, keys, memory, hubHere, wallMs });
  const keepThem: SharingParts['keepSecrets'] = (choice, secrets) =>
    choice.kind === 'postgres' ? keepSecrets(choice, secrets, keys) : Promise.resolve(ok(null));
  return await shareJournals({ ports, host, keys, open, keepSecrets: keepThem, isRegisterShared }, options);
}

/**
 * Goes on exchanging journals where a person has chosen to. What comes in wakes the host: a run may go on, or may not any more.
 * @throws Error where the choice does not read back.
 */
export async function shareJournals(
  { ports, host, keys, open, keepSecrets: keepThem, isRegisterShared }: SharingParts,
  { version, condensing = chosenTerms(ports.store) }: SyncOptions,
): Promise<JournalSharing> {
  const { store, device, timers, clock } = ports;
  const sync = new JournalSharing({
    store,
    device,
    version,
    keys,
    timers,
    wallMs: () => clock.read().wallMs,
    identity: () => ports.coordinator.identity,
    isRegisterShared,
    open,
    keepSecrets: keepThem,
    pushed: (seq, heads) => pruneTails(host.state, seq, heads),
    condensing: {
      terms: condensing,
      awaited: () => awaitedEnds(ports),
      registerView: (agentId) => ports.coordinator.current(agentId),
    },
    log: (line) => ports.log(line),
  });
  host.state.isCatchingUp = () => {
    const status = sync.status();
    // A record that others know to be an older copy, or a second one of the same, acts no more than one that lacks entries.
    return status !== null && (status.isCatchingUp || status.problem?.code === 'relay-fork');
  };
  sync.changed.on(() => host.wake());
  const resumed = await sync.resume();
  if (!resumed.ok) ports.log({ event: 'sync-not-resumed', code: resumed.error.code, message: resumed.error.message });
  return sync;
}

/** Begins to look after what a person waits for, from what is known of other devices. */
export function composeAwaited(of: {
  readonly ports: HostPorts;
  readonly sync: JournalSharing;
  readonly sharing: Sharing | null;
  /** Told of everything that other devices do. */
  readonly news: Signal;
}): AwaitedAnswers {
  const { ports, sync, sharing, news } = of;
  const { store, device, clock } = ports;
  const awaited = new AwaitedAnswers({
    store,
    deviceId: device.deviceId,
    wallMs: () => clock.read().wallMs,
    status: () => sync.status(),
    isRemoved: (deviceId) => sharing?.devices.isRemoved(deviceId) ?? false,
  });
  awaited.start(news);
  return awaited;
}
