import { describeLinearizability, shortOf } from './describe-linearizability.ts';
import type { RegisterUnderTest } from './describe-linearizability.ts';
import { beginHub, HUB_FIGURES } from './hub-under-test.ts';

const PROCESSES = 3;
const LANES = 2;

const HUB: RegisterUnderTest = {
  module: new URL('drivers/hub-register.ts', import.meta.url),
  begin: () => beginHub({ processes: PROCESSES, lanes: LANES }),
  processes: PROCESSES,
  lanes: LANES,
  // On the hub's own clock, which is the machine's. After a restart of the hub every held lease begins again: late, never early.
  expiry: { rateTolerance: 1, grainMs: 2, lateMs: null },
  canReboot: false,
  // Signing in takes a part of a round, and more after each death of the hub.
  size: { rounds: 3, roundMs: 4_000, agentsPerRound: 3 },
  missing: () => shortOf(HUB_FIGURES, { kills: 1, stops: 10 }),
};

describeLinearizability('the hub', HUB, { perCommit: 20, perNight: 1_500 });
