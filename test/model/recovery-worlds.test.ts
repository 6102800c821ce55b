import { provesWorlds } from './model-report.ts';
import { RECOVERY_WORLDS } from './recovery-worlds.ts';

provesWorlds('every interleaving of crash, recovery and decision', RECOVERY_WORLDS, 1_250_000);
