import { expect, test } from 'vitest';
import { problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { HubDeviceView } from '../hub/hub-coordinator.ts';
import { DeviceList } from './device-list.ts';

type Options = ConstructorParameters<typeof DeviceList>[0];

const DESKTOP = { deviceId: 'device-desktop' as DeviceId, name: 'Desktop' };
const LAPTOP: HubDeviceView = {
  deviceId: 'device-laptop',
  name: 'Laptop',
  pairedAtMs: 1,
  lastSeenAtMs: null,
  revokedAtMs: null,
};

/** A list over a hub that is stood in for: what it would answer is `listed`, and how often it was asked is counted. */
function listOver(kind: 'here' | 'elsewhere', changed: () => void = () => undefined) {
  const hub = { listed: [] as HubDeviceView[], asked: 0, isSilent: false, tell: (): void => undefined };
  const list = () => {
    hub.asked += 1;
    return Promise.resolve(hub.isSilent ? err(problem('register-unreachable', 'No answer.')) : ok(hub.listed));
  };
  const elsewhere = {
    devices: list,
    onDevices(listener: () => void) {
      hub.tell = listener;
    },
  };
  const memory = {
    names: { read: () => null, write: () => Promise.resolve() },
    paired: { read: () => ({ coordinator: { coordinatorId: 'attic' } }) },
  };
  const of = {
    thisDevice: DESKTOP,
    version: '1.0.0',
    hubHere: { hub: kind === 'here' ? { devices: { list } } : null },
    current: { name: 'the hub', inner: kind === 'here' ? null : elsewhere },
    memory,
    choice: () => ({ kind: 'hub' }),
    wallMs: () => 1,
    agentsOf: () => [],
    changed,
  };
  return { hub, devices: new DeviceList(of as unknown as Options) };
}

const namesIn = async (devices: DeviceList) => (await devices.view()).devices.map((device) => device.name);

test('a device that was paired a moment ago is missing from the list of the hub on this device', async () => {
  const { hub, devices } = listOver('here');
  expect(await namesIn(devices)).toEqual(['Desktop']);
  hub.listed = [LAPTOP];
  expect(await namesIn(devices)).toEqual(['Desktop', 'Laptop']);
});

test('a hub elsewhere is asked with every look, or its news is not heard', async () => {
  let changes = 0;
  const { hub, devices } = listOver('elsewhere', () => (changes += 1));
  expect(await namesIn(devices)).toEqual(['Desktop']);
  hub.listed = [LAPTOP];
  expect(await namesIn(devices)).toEqual(['Desktop']);
  expect(hub.asked).toBe(1);
  hub.tell();
  expect(changes).toBe(1);
  expect(await namesIn(devices)).toEqual(['Desktop', 'Laptop']);
  expect(hub.asked).toBe(2);
});

test('whoever asks for news of devices waits for a hub elsewhere, or is not told that they changed', async () => {
  let changes = 0;
  const { hub, devices } = listOver('elsewhere', () => (changes += 1));
  hub.listed = [LAPTOP];
  expect(await devices.circle()).toBeNull();
  await expect.poll(() => changes).toBe(1);
  expect(await devices.circle()).toEqual({ circleId: 'attic', devices: [LAPTOP] });
  hub.listed = [{ ...LAPTOP, lastSeenAtMs: 7 }];
  hub.tell();
  await devices.circle();
  await expect.poll(async () => (await devices.circle())?.devices[0]?.lastSeenAtMs).toBe(7);
  // The hub said that something changed; that the device was seen again is no news on top of it.
  expect(changes).toBe(2);
});

test('a device that was removed is missing from the news of the hub on this device', async () => {
  const { hub, devices } = listOver('here');
  hub.listed = [{ ...LAPTOP, revokedAtMs: 5 }];
  expect(await devices.circle()).toEqual({ circleId: 'here', devices: hub.listed });
  expect(await namesIn(devices)).toEqual(['Desktop']);
});

test('a hub that does not answer is shown as connected, because it once was', async () => {
  const { hub, devices } = listOver('elsewhere');
  hub.listed = [{ ...LAPTOP, pairedAtMs: 0 }];
  const laptop = async () => (await devices.view()).devices.find((device) => device.name === 'Laptop');
  expect(await laptop()).toMatchObject({ isHub: true, isOnline: true });
  hub.isSilent = true;
  hub.tell();
  expect(await laptop()).toMatchObject({ isHub: true, isOnline: false });
  hub.isSilent = false;
  expect(await laptop()).toMatchObject({ isOnline: true });
});
