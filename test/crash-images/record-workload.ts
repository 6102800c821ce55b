// A child process, watched by the shim: lives through one workload and says how it went.
import { Receiver } from '../harness/receiver.ts';
import { HostWorkload, liveWholeLife } from './host-workload.ts';
import { Random } from '../harness/random.ts';
import { liveAsRegister } from './register-workload.ts';
import { liveThroughUpkeep, writeThenDie } from './upkeep-workload.ts';
import { openMarks, watchStores } from './watch-store.ts';
import type { Weakening } from './watch-store.ts';

/** Which workload, where, and how. */
export interface WorkloadOptions {
  readonly root: string;
  readonly kind: 'host' | 'host-and-register' | 'register' | 'upkeep' | 'killed-writer';
  readonly seed: number;
  readonly rounds: number;
  readonly synchronous: Weakening;
  /** Brings the log into the file this often, in pages; as the product does it, without. */
  readonly checkpointPages?: number;
}

const given = JSON.parse(process.argv[2] ?? '{}') as WorkloadOptions;
const say = openMarks(given.root);
const random = new Random(given.seed, 'images');
const knobs = given.synchronous === 'FULL' ? {} : { synchronous: given.synchronous };
const pages = given.checkpointPages === undefined ? {} : { checkpointPages: given.checkpointPages };

if (given.kind === 'register') {
  await liveAsRegister({ root: given.root, say, random, verbs: given.rounds * 60 });
} else if (given.kind === 'upkeep' || given.kind === 'killed-writer') {
  watchStores(() => say);
  if (given.kind === 'killed-writer') await writeThenDie(given.root, given.rounds);
  await liveThroughUpkeep({ root: given.root, say, rounds: given.rounds, isOld: given.seed % 2 === 0 });
} else {
  watchStores(() => say, { ...knobs, ...pages });
  const receiver = await Receiver.start();
  const hasRegisterFile = given.kind === 'host-and-register';
  const workload = new HostWorkload({ folder: given.root, hasRegisterFile, say, random, receiver });
  await liveWholeLife(workload, given.rounds);
  await receiver.close();
}
process.send?.('done');
process.disconnect();
