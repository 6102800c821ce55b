import { join } from 'node:path';
import type { Problem } from '../../../shared/contract/errors.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { createEventLog } from '../../bridge/event-log.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { ensureHubCertificate } from '../../hub/certificate.ts';
import { devicesWithHost } from '../../hub/devices-with-host.ts';
import type { HubDevices } from '../../hub/hub-devices.ts';
import { openHubBackend } from '../../hub/open-hub.ts';
import type { HubBackend } from '../../hub/open-hub.ts';
import { openHostRelay } from '../../hub/relay/host-relay.ts';
import { startHub } from '../../hub/start-hub.ts';
import type { Hub } from '../../hub/start-hub.ts';
import type { Relay } from '../../relays/relay.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';

interface HubHereOptions {
  readonly profileFolder: string;
  readonly version: string;
  /** This device; its hub is called like it. */
  readonly device: { readonly deviceId: DeviceId; readonly name: string };
}

interface Opened {
  readonly register: LeaseCoordinator;
  readonly devices: HubDevices;
  readonly relay: Required<HubBackend>['relay'];
}

/**
 * The hub of this device: its register, its list of devices, the journals it carries and its door. The register works without the door, so that a
 * port that is taken stops other devices and not this one.
 */
export class HubHere {
  readonly #of: HubHereOptions;
  #opened: Opened | null = null;
  #opening: Promise<Result<Opened, Problem>> | null = null;
  #hub: Hub | null = null;
  #trouble = '';

  constructor(of: HubHereOptions) {
    this.#of = of;
  }

  /** The door, for whoever stands before it; `null` while it is shut. */
  get hub(): Hub | null {
    return this.#hub;
  }

  /** Why the door is shut although it should be open; empty if nothing is wrong. */
  get trouble(): string {
    return this.#trouble;
  }

  /** The register as this device itself uses it. Closing it leaves the hub as it is. */
  async register(): Promise<Result<LeaseCoordinator, Problem>> {
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const { register } = opened.value;
    return ok({
      identity: register.identity,
      name: 'The hub on this device',
      inside: null,
      ask: (agentId, verb) => register.ask(agentId, verb),
      current: (agentId) => register.current(agentId),
      ...(register.onChange === undefined ? {} : { onChange: register.onChange.bind(register) }),
      close: () => Promise.resolve(),
    });
  }

  /** The journals as this device itself exchanges them. Closing it leaves the hub as it is. */
  async relay(): Promise<Result<Relay, Problem>> {
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const { relay, devices } = opened.value;
    if (!relay.ok) return relay;
    const { deviceId } = this.#of.device;
    return ok(openHostRelay({ storage: relay.value, devices }, { deviceId, name: 'The hub on this device' }));
  }

  /** Opens the door. A refusal is remembered as the trouble. */
  async start(port: number): Promise<Result<null, Problem>> {
    if (this.#hub !== null) return ok(null);
    const started = await this.#start(port);
    this.#trouble = started.ok ? '' : started.error.message;
    return started;
  }

  async #start(port: number): Promise<Result<null, Problem>> {
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const certificate = ensureHubCertificate(this.#folder());
    if (!certificate.ok) return certificate;
    const log = createEventLog(join(this.#of.profileFolder, 'hub.log'));
    const { device } = this.#of;
    const { register: backend, relay } = opened.value;
    const devices = devicesWithHost(opened.value.devices, device);
    const hub = await startHub({
      backend,
      devices,
      relay,
      certificate: certificate.value,
      host: '0.0.0.0',
      port,
      name: device.name,
      log,
    });
    if (!hub.ok) return hub;
    this.#hub = hub.value;
    return ok(null);
  }

  /** Shuts the door. Devices that wait outside send nothing until it opens again. */
  async stop(): Promise<void> {
    const hub = this.#hub;
    this.#hub = null;
    this.#trouble = '';
    await hub?.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#opening;
    const opened = this.#opened;
    this.#opened = null;
    if (opened?.relay.ok === true) await opened.relay.value.close();
    await opened?.devices.close();
    await opened?.register.close();
  }

  #folder(): string {
    return join(this.#of.profileFolder, 'hub');
  }

  #open(): Promise<Result<Opened, Problem>> {
    if (this.#opened !== null) return Promise.resolve(ok(this.#opened));
    this.#opening ??= this.#openParts().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #openParts(): Promise<Result<Opened, Problem>> {
    const opened = await openHubBackend({ folder: this.#folder(), version: this.#of.version });
    if (!opened.ok) return opened;
    const { coordinator: register, devices, relay } = opened.value;
    this.#opened = { register, devices, relay };
    return ok(this.#opened);
  }
}
