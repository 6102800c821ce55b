import { Coordination, chosenFrom } from './coordinators/choice/coordination.ts';
import { DeviceList } from './coordinators/choice/device-list.ts';
import { DevicePairing } from './coordinators/choice/device-pairing.ts';
import type { HubHere } from './coordinators/choice/hub-here.ts';
import { coordinatorMemory, readChoice } from './coordinators/choice/kept-choice.ts';
import type { OpeningParts } from './coordinators/choice/open-chosen.ts';
import { hubSwitch } from './coordinators/choice/sharing.ts';
import type { Sharing } from './coordinators/choice/sharing.ts';
import { CurrentCoordinator } from './coordinators/current-coordinator.ts';
import { createEmbeddedCoordinator } from './coordinators/sqlite/embedded-coordinator.ts';
import type { Host } from './host/host.ts';
import { Mover } from './host/move/mover.ts';
import type { HostTimers } from './host/timers.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { readAll } from './store/connection.ts';
import type { DeviceRecord } from './store/rows.ts';
import type { Store } from './store/store.ts';

/** What sharing the right to act is put together from. */
interface SharingOptions {
  readonly store: Store;
  readonly timers: HostTimers;
  readonly keys: SecretStore;
  readonly device: DeviceRecord;
  readonly hubHere: HubHere;
  readonly version: string;
}

/** The register in use and everything behind it, before there is a host. */
export interface ComposedRegister {
  readonly current: CurrentCoordinator;
  /** Once there is a host: goes on with a move that was interrupted, and opens the hub's door where it is to be open. */
  share(host: Host, of: { readonly wallMs: () => number; readonly changed: () => void }): Sharing;
}

/**
 * Opens the register that the profile has chosen, or leaves it to be opened when it can be reached. @throws Error where what
 * was chosen does not read back.
 */
export async function composeRegister(of: SharingOptions): Promise<ComposedRegister> {
  const { store, timers, keys, device, hubHere, version } = of;
  const memory = coordinatorMemory(store);
  const embedded = () =>
    createEmbeddedCoordinator({
      register: () => store.connection()?.register ?? null,
      write: (job) => store.write(job),
    });
  const parts: OpeningParts = { deviceId: device.deviceId, keys, memory, hubHere, embedded };
  const current = new CurrentCoordinator(chosenFrom(store, parts), () => timers.nowMs());
  // The embedded one has to be there before the first effect; another one may be out of reach for as long as it likes.
  const opening = current.opened();
  if (readChoice(store).choice.kind === 'embedded') await opening;
  return {
    current,
    share(host, { wallMs, changed }) {
      const mover = new Mover({ state: host.state, current, changed: () => (changed(), host.wake()) });
      const coordination = new Coordination({ store, parts, current, mover });
      const { deviceId } = device;
      const deviceName = (): string => device.name;
      const hub = () => hubHere.hub;
      const pairing = new DevicePairing({ hub, deviceId, deviceName, keys, memory, wallMs, changed });
      const devices = new DeviceList({
        thisDevice: device,
        version,
        hubHere,
        current,
        memory,
        wallMs,
        choice: () => readChoice(store).choice,
        agentsOf: (holder) => agentsOf(store, host, holder),
        changed,
      });
      const port = memory.hub.read()?.port;
      // A door that cannot be opened says why on the screen.
      if (port !== undefined) void hubHere.start(port).then(changed);
      coordination.resume();
      return { coordination, devices, pairing, hubHere, memory, ...hubSwitch(hubHere, memory) };
    },
  };
}

function agentsOf(store: Store, host: Host, deviceId: string): readonly string[] {
  const db = store.connection()?.db;
  if (db === undefined) return [];
  const agents = readAll<{ agent_id: Parameters<Host['state']['leases']['status']>[0]; name: string }>(
    db,
    'SELECT agent_id, name FROM agents ORDER BY name',
  );
  return agents
    .filter(({ agent_id: agentId }) => {
      const { held, view } = host.state.leases.status(agentId);
      const holder = held === null ? (view?.lease?.holder ?? null) : host.state.ports.device.deviceId;
      return holder === deviceId;
    })
    .map((agent) => agent.name);
}
