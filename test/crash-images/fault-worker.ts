// A child process, watched by the shim: lives through many faults, several hosts side by side, each in a lane of its own.
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { FaultCase } from './fault-case.ts';
import type { FaultOutcome } from './fault-case.ts';
import { FaultLane } from './fault-lane.ts';
import type { DiskFault } from './fault-lane.ts';
import { UpkeepFault } from './upkeep-fault.ts';
import { watchStores } from './watch-store.ts';

/** Hosts side by side in one process; most of the time they wait. */
const LANES = 24;

const { root, faults } = JSON.parse(process.argv[2] ?? '{}') as { root: string; faults: DiskFault[] };
const control = openSync(join(root, '.control'), 'w');
const cases = new Map<string, FaultCase | UpkeepFault>();
watchStores((file) => (mark) => cases.get(join(file, '..'))?.facts.note(mark));

const outcomes: FaultOutcome[] = [];
const waiting = [...faults];
await Promise.all(
  Array.from({ length: LANES }, async (_, number) => {
    const lane = new FaultLane({ root, lane: number, control });
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const one = fault.during === 'upkeep' ? new UpkeepFault(lane, fault) : new FaultCase(lane, fault);
      cases.set(one.folder, one);
      outcomes.push(await one.run());
    }
  }),
);
process.send?.(outcomes, () => process.exit(0));
