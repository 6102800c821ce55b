import type { Database } from 'better-sqlite3';
import { heldBy } from '../../shared/core/gate/hold.ts';
import type { HeldBy } from '../../shared/core/gate/hold.ts';
import { readAll, readOne } from './connection.ts';
import { EVERYTHING } from './projections/holds.ts';
import type { RunRecord } from './rows.ts';

/** A pause of an agent, or of everything. */
export interface HoldRecord {
  readonly agent_id: string;
  readonly held_at_ms: number;
  readonly held_by: string;
}

/** The pause of one agent, or of everything (`null`), if there is one. */
export function findHold(db: Database, agentId: string | null): HoldRecord | null {
  return readOne<HoldRecord>(db, 'SELECT * FROM holds WHERE agent_id = ?', agentId ?? EVERYTHING);
}

/** What holds a run back, by the core's one rule: its own barrier, its agent's pause, or that of everything. */
export function holdOf(db: Database, run: Pick<RunRecord, 'agent_id' | 'barrier_active'>): HeldBy | null {
  const held = readAll<{ agent_id: string }>(
    db,
    'SELECT agent_id FROM holds WHERE agent_id IN (?, ?)',
    run.agent_id,
    EVERYTHING,
  );
  return heldBy({
    isEverythingHeld: held.some((each) => each.agent_id === EVERYTHING),
    isAgentHeld: held.some((each) => each.agent_id === run.agent_id),
    isRunHeld: run.barrier_active === 1,
  });
}
