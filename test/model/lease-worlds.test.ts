import { provesWorlds } from './model-report.ts';
import { LEASE_WORLDS } from './worlds.ts';

provesWorlds('every interleaving of lease, fence and register', LEASE_WORLDS, 1_250_000);
