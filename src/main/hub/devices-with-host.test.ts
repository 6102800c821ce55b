import { describe, expect, it } from 'vitest';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { openSqliteDevices } from '../coordinators/sqlite/sqlite-devices.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { devicesWithHost } from './devices-with-host.ts';
import { mayPair } from './hub-devices.ts';

const folder = useTemporaryFolders();
const host = { deviceId: 'attic' as DeviceId, name: 'Attic' };
const laptop = {
  deviceId: 'laptop' as DeviceId,
  name: 'Laptop',
  publicKey: 'key',
  tokenHash: 'hash',
  pairedAtMs: 7,
};

describe('the device that runs the hub', () => {
  it('has no name for the others, or hides one of them', async () => {
    const devices = devicesWithHost(must(openSqliteDevices(folder())), host);
    must(await devices.pair(laptop));
    expect(must(await devices.list()).map(({ name }) => name)).toEqual(['Attic', 'Laptop']);
    must(await devices.rename(laptop.deviceId, 'Desk'));
    expect(must(await devices.find(laptop.deviceId))?.name).toBe('Desk');
    must(await devices.revoke(laptop.deviceId, 9));
    expect(must(await devices.find(laptop.deviceId))?.tokenHash).toBeNull();
    await devices.close();
  });

  it('can be passed for by a copy of its data folder, or signed in as', async () => {
    const devices = devicesWithHost(must(openSqliteDevices(folder())), host);
    const known = must(await devices.find(host.deviceId));
    expect(known?.tokenHash).toBeNull();
    expect(mayPair(known, { ...laptop, deviceId: host.deviceId })).toBe(false);
    await devices.close();
  });
});
