import type { Relay } from '../../src/main/relays/relay.ts';
import { openHubRelay } from '../../src/main/relays/hub/hub-relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { startTestHub } from './hub-benches.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';
import type { RelayBench } from './relay-samples.ts';
import { must } from './sqlite-benches.ts';

/** Opens the relay of a running hub as a device sees it; `port` for one that goes through a proxy. */
export function openRelayOf(running: RunningHub, keys: DeviceKeys, port: number = running.hub().port): Relay {
  const { certificatePem } = running.certificate;
  return must(openHubRelay({ addresses: ['127.0.0.1'], port, certificatePem, name: 'Test hub', ...keys }));
}

/** A hub with its door, and a device for every name that a test thinks of. */
export async function makeHubRelayBench(): Promise<RelayBench & { readonly running: RunningHub }> {
  const running = await startTestHub();
  const keys = new Map<DeviceId, Promise<DeviceKeys>>();
  const relays: Relay[] = [];
  return {
    running,
    tellsChanges: true,
    async open(deviceId) {
      const own = keys.get(deviceId) ?? running.letIn(deviceId);
      keys.set(deviceId, own);
      const relay = openRelayOf(running, await own);
      relays.push(relay);
      return relay;
    },
    restart: () => running.restart(),
    pass: async (ms) => running.pass(ms),
    async close() {
      await Promise.all(relays.map((relay) => relay.close()));
      await running.close();
    },
  };
}
