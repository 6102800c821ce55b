import { ok } from '../../../shared/lib/result.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Coordination } from './coordination.ts';
import type { DeviceList } from './device-list.ts';
import type { DevicePairing } from './device-pairing.ts';
import type { HubHere } from './hub-here.ts';
import type { CoordinatorMemory } from './kept-choice.ts';

/** Everything about sharing the right to act with other devices, for the doors of a host. */
export interface Sharing {
  readonly coordination: Coordination;
  readonly devices: DeviceList;
  readonly pairing: DevicePairing;
  readonly hubHere: HubHere;
  readonly memory: CoordinatorMemory;
  startHub(port: number): Promise<Result<null, Problem>>;
  stopHub(): Promise<Result<null, Problem>>;
}

/** Starts the hub and keeps it so over restarts; or stops it. A hub that could not start is not kept. */
export function hubSwitch(hubHere: HubHere, memory: CoordinatorMemory): Pick<Sharing, 'startHub' | 'stopHub'> {
  return {
    async startHub(port) {
      const started = await hubHere.start(port);
      if (!started.ok) return started;
      const kept = await memory.hub.write({ port });
      return kept.ok ? ok(null) : kept;
    },
    async stopHub() {
      await hubHere.stop();
      const kept = await memory.hub.write(null);
      return kept.ok ? ok(null) : kept;
    },
  };
}
