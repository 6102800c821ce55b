import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { ok } from '../../shared/lib/result.ts';
import type { HubDevices, PairedDevice } from './hub-devices.ts';

/**
 * The devices of a hub that one of the devices runs, with that one among them: the others learn what it is called, and a
 * copy of its own data folder on another machine is refused like any other copy. It never comes in through the door.
 */
export function devicesWithHost(
  devices: HubDevices,
  host: { readonly deviceId: DeviceId; readonly name: string },
): HubDevices {
  const itself = (): PairedDevice => ({
    deviceId: host.deviceId,
    name: host.name,
    // No key is like this one, and without a token nobody signs in as it.
    publicKey: 'the device that runs the hub',
    tokenHash: null,
    pairedAtMs: 0,
    lastSeenAtMs: null,
    revokedAtMs: null,
  });
  return {
    async list() {
      const listed = await devices.list();
      return listed.ok ? ok([itself(), ...listed.value.filter(({ deviceId }) => deviceId !== host.deviceId)]) : listed;
    },
    find: (deviceId) => (deviceId === host.deviceId ? Promise.resolve(ok(itself())) : devices.find(deviceId)),
    pair: (device) => devices.pair(device),
    rename: (deviceId, name) => devices.rename(deviceId, name),
    revoke: (deviceId, atMs) => devices.revoke(deviceId, atMs),
    seen: (deviceId, atMs) => devices.seen(deviceId, atMs),
    close: () => devices.close(),
  };
}
