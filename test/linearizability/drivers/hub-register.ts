import { openHubCoordinator } from '../../../src/main/coordinators/hub/hub-coordinator.ts';
import type { LeaseCoordinator } from '../../../src/main/coordinators/lease-coordinator.ts';
import type { CoordinatorIdentity } from '../../../src/shared/core/lease/lease.ts';
import type { OpenOptions } from '../register-client.ts';

/** Where the hub is, and the keys of every device that a run can have. */
export interface HubUnderTest {
  /** This machine where none is named. */
  readonly address?: string;
  readonly port: number;
  readonly certificatePem: string;
  readonly identity: CoordinatorIdentity;
  readonly devices: Readonly<Record<string, { readonly token: string; readonly privateKey: string }>>;
}

/** The hub over the network. A device speaks only for itself, so each of a client's callers has a line of its own. */
export async function openCoordinator({ place }: OpenOptions): Promise<LeaseCoordinator> {
  const { address = '127.0.0.1', port, certificatePem, identity, devices } = JSON.parse(place) as HubUnderTest;
  const clients = new Map<string, Promise<LeaseCoordinator>>();
  const open = async (deviceId: string): Promise<LeaseCoordinator> => {
    const keys = devices[deviceId];
    if (keys === undefined) throw new Error(`${deviceId} was not let in.`);
    const of = { addresses: [address], port, certificatePem, deviceId, name: 'Test hub', known: identity, ...keys };
    const opened = await openHubCoordinator(of);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  const clientOf = (deviceId: string): Promise<LeaseCoordinator> => {
    const client = clients.get(deviceId) ?? open(deviceId);
    clients.set(deviceId, client);
    return client;
  };
  const onlooker = await clientOf('onlooker');
  return {
    identity,
    name: 'The hub',
    inside: null,
    ask: async (agentId, verb) => (await clientOf(verb.deviceId)).ask(agentId, verb),
    current: (agentId) => onlooker.current(agentId),
    async close() {
      await Promise.all([...clients.values()].map(async (client) => (await client).close()));
    },
  };
}
