import type { DeviceRow, DevicesView } from '../../../shared/contract/coordinator-views.ts';
import type { CoordinatorChoice } from '../../../shared/contract/coordinator-requests.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { CurrentCoordinator } from '../current-coordinator.ts';
import type { HubCoordinator, HubDeviceView } from '../hub/hub-coordinator.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import type { HubHere } from './hub-here.ts';
import type { CoordinatorMemory } from './kept-choice.ts';

/** A device that was there this recently is shown as there, ms. */
const ONLINE_MS = 60_000;
/** How long the list of a hub elsewhere is gone by before it is asked again, ms; unless the hub says that it changed. */
const LIST_FOR_MS = 5_000;

interface DeviceListOptions {
  readonly thisDevice: { readonly deviceId: DeviceId; readonly name: string };
  readonly version: string;
  readonly hubHere: HubHere;
  readonly current: CurrentCoordinator;
  readonly memory: CoordinatorMemory;
  readonly choice: () => CoordinatorChoice;
  /** Wall time, ms. */
  readonly wallMs: () => number;
  /** The agents that a device may act for, by name, as the register said last. */
  readonly agentsOf: (deviceId: string) => readonly string[];
  /** Called when a hub elsewhere says that its list changed. */
  readonly changed: () => void;
}

/** Everyone who ever was paired with one hub. */
export interface DeviceCircle {
  /** Which hub: another one has other devices, none of which is news. */
  readonly circleId: string;
  readonly devices: readonly HubDeviceView[];
}

const NOT_THE_HUB = problem(
  'not-offered',
  'Devices are removed and renamed where the hub runs.',
  'Open Fencepost on the device that runs the hub.',
);

/** The devices that share the right to act with this one, and what they are called. */
export class DeviceList {
  readonly #of: DeviceListOptions;
  #names: Readonly<Record<string, string>>;
  #known: readonly HubDeviceView[] = [];
  #askedMs = Number.NEGATIVE_INFINITY;
  #told: HubCoordinator | null = null;
  /** Which hub the last list is of; `null` before the first. */
  #listedOf: string | null = null;
  /** Whether the hub answered when it was asked last. */
  #isAnswered = true;
  #isAsking = false;

  constructor(of: DeviceListOptions) {
    this.#of = of;
    this.#names = of.memory.names.read() ?? {};
  }

  /** What another device is called; `null` if nobody said. */
  nameOf(deviceId: string): string | null {
    return Object.hasOwn(this.#names, deviceId) ? (this.#names[deviceId] ?? null) : null;
  }

  async view(): Promise<Pick<DevicesView, 'kind' | 'sentence' | 'devices'>> {
    const known = await this.#devices();
    const kind = this.#kind();
    const others = known.filter((device) => device.deviceId !== this.#of.thisDevice.deviceId);
    const standing = others.filter((device) => device.revokedAtMs === null);
    const devices = [this.#thisRow(kind), ...standing.map((device) => this.#row(device, kind))];
    return { kind, sentence: sentenceOf(kind, this.#of.current.name, standing.length), devices };
  }

  /**
   * The devices of the hub with those that were removed, as it said last; `null` where there is no hub, or before it has said
   * anything. It is asked on the way, and nobody waits for a hub elsewhere: `changed` is called once it says something else.
   */
  async circle(): Promise<DeviceCircle | null> {
    const circleId = this.#circleId();
    if (circleId === null) return null;
    if (this.#of.hubHere.hub !== null) await this.#devices();
    else void this.#askAside();
    return this.#listedOf === circleId ? { circleId, devices: this.#known } : null;
  }

  async rename(deviceId: DeviceId, name: string): Promise<Result<null, Problem>> {
    const { hub } = this.#of.hubHere;
    return hub === null ? err(NOT_THE_HUB) : hub.devices.rename(deviceId, name);
  }

  async revoke(deviceId: DeviceId): Promise<Result<null, Problem>> {
    const { hub } = this.#of.hubHere;
    if (hub === null) return err(NOT_THE_HUB);
    const revoked = await hub.devices.revoke(deviceId);
    // Known here at once: whoever waits for it waits no longer.
    await this.#devices();
    this.#of.changed();
    return revoked;
  }

  /** Whether a device was taken out, as far as the list is known here. */
  isRemoved(deviceId: string): boolean {
    return this.#known.some((device) => device.deviceId === deviceId && device.revokedAtMs !== null);
  }

  #circleId(): string | null {
    const { hubHere, current, memory } = this.#of;
    if (hubHere.hub !== null) return 'here';
    return isHub(current.inner) ? (memory.paired.read()?.coordinator.coordinatorId ?? null) : null;
  }

  async #askAside(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const before = membersOf(this.#listedOf, this.#known);
    await this.#devices();
    this.#isAsking = false;
    if (membersOf(this.#listedOf, this.#known) !== before) this.#of.changed();
  }

  #kind(): DevicesView['kind'] {
    const { kind } = this.#of.choice();
    if (this.#of.hubHere.hub !== null) return 'hub-here';
    if (kind === 'hub' || this.#of.memory.paired.read() !== null) return 'hub';
    return kind === 'postgres' || kind === 'etcd' ? 'server' : 'none';
  }

  /** The last list stays where the hub cannot be asked: that a device is there is no news that anything depends on. */
  async #devices(): Promise<readonly HubDeviceView[]> {
    const nowMs = performance.now();
    const { hub } = this.#of.hubHere;
    const circleId = this.#circleId();
    // The own list is at hand, and always as it is now.
    if (hub === null && nowMs - this.#askedMs < LIST_FOR_MS) return this.#known;
    const listed = hub === null ? await this.#ask(this.#of.current.inner) : await hub.devices.list();
    this.#isAnswered = listed?.ok === true;
    if (listed?.ok !== true) return this.#known;
    this.#askedMs = nowMs;
    this.#known = listed.value;
    this.#listedOf = circleId;
    await this.#remember(listed.value);
    return this.#known;
  }

  #ask(inner: LeaseCoordinator | null): Promise<Result<readonly HubDeviceView[], Problem>> | null {
    if (!isHub(inner)) return null;
    if (this.#told !== inner) {
      this.#told = inner;
      inner.onDevices(() => {
        this.#askedMs = Number.NEGATIVE_INFINITY;
        this.#of.changed();
      });
    }
    return inner.devices();
  }

  async #remember(devices: readonly HubDeviceView[]): Promise<void> {
    const names = Object.fromEntries(devices.map((device) => [device.deviceId, device.name]));
    const isNew = devices.some((device) => this.nameOf(device.deviceId) !== device.name);
    if (!isNew) return;
    this.#names = { ...this.#names, ...names };
    await this.#of.memory.names.write(this.#names);
  }

  #thisRow(kind: DevicesView['kind']): DeviceRow {
    const { thisDevice, version, agentsOf } = this.#of;
    return {
      ...thisDevice,
      isThis: true,
      isHub: kind === 'hub-here',
      isOnline: true,
      lastSeenAtMs: null,
      pairedAtMs: null,
      version,
      agentNames: agentsOf(thisDevice.deviceId),
      canRename: false,
      canRevoke: false,
      revokeSentence: '',
    };
  }

  #row(device: HubDeviceView, kind: DevicesView['kind']): DeviceRow {
    const { deviceId, name, pairedAtMs, lastSeenAtMs } = device;
    const agentNames = this.#of.agentsOf(deviceId);
    const isHubHere = kind === 'hub-here';
    // The device that runs the hub was never paired with it, and answers for itself.
    const runsHub = pairedAtMs === 0;
    return {
      deviceId,
      name,
      isThis: false,
      isHub: runsHub,
      isOnline: runsHub ? this.#isAnswered : lastSeenAtMs !== null && this.#of.wallMs() - lastSeenAtMs < ONLINE_MS,
      lastSeenAtMs,
      pairedAtMs: runsHub ? null : pairedAtMs,
      version: '',
      agentNames,
      canRename: isHubHere,
      canRevoke: isHubHere,
      revokeSentence: isHubHere ? revokeSentence(name, agentNames.length) : '',
    };
  }
}

/** Who belongs to which hub, and who no longer does. When they were seen last is no news. */
function membersOf(circleId: string | null, devices: readonly HubDeviceView[]): string {
  return JSON.stringify([circleId, devices.map(({ deviceId, revokedAtMs }) => [deviceId, revokedAtMs !== null])]);
}

function isHub(inner: LeaseCoordinator | null): inner is HubCoordinator {
  return inner !== null && 'devices' in inner;
}

function sentenceOf(kind: DevicesView['kind'], name: string, others: number): string {
  const count =
    others === 0
      ? 'No other device is paired yet.'
      : `${others} other ${others === 1 ? 'device is' : 'devices are'} paired.`;
  switch (kind) {
    case 'hub-here':
      return `This device runs the hub. ${count}`;
    case 'hub':
      return `This device is paired with a hub. ${count}`;
    case 'server':
      return `The right to act is kept by ${name}, which does not know what devices are called.`;
    default:
      return 'Only this device acts for its agents.';
  }
}

function revokeSentence(name: string, agents: number): string {
  const rights =
    agents === 0
      ? 'It has no right to act now.'
      : `It has the right to act for ${agents === 1 ? 'one agent' : `${agents} agents`}, which ${agents === 1 ? 'runs' : 'run'} out within a term or can be taken over.`;
  return `${name} is cut off at once and let in no more. ${rights} What it sent and nobody knows the end of stays with it: look at its unclear steps first, if you can.`;
}
