import type { EventPayloads } from '../../../shared/contract/events.ts';
import { readAll } from '../../store/connection.ts';
import { readTriggerCursor, readTriggers } from '../../store/trigger-rows.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import { fireTrigger } from '../pipeline/trigger.ts';
import type { HostPorts } from '../ports.ts';
import { definitionOf } from './definitions.ts';
import { byTrigger } from './pass-schedule.ts';
import { missedReasonOf, recordMissedOccurrence } from './record-missed.ts';

/** How many ends of runs are looked at in one go. */
const ENDS_LIMIT = 200;

interface Ended {
  readonly seq: number;
  readonly payload: string;
}

/**
 * Starts what is to follow the end of another run. The place reached in the journal is written in the transaction that
 * starts the follower, and the follower is named after the run that ended: a crash neither loses nor doubles it.
 */
export class AfterRuns {
  readonly #ports: HostPorts;
  /** How far was looked since the start, where nothing had to be written down. */
  readonly #looked = new Map<string, number>();

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  /** Answers whether there is more to look at. */
  async pass(): Promise<boolean> {
    const connection = this.#ports.store.connection();
    if (connection === null) return false;
    let isMore = false;
    for (const trigger of readTriggers(connection.db)) {
      if (trigger.kind === 'run') isMore = (await this.#follow(trigger)) || isMore;
    }
    return isMore;
  }

  async #follow(trigger: TriggerRecord): Promise<boolean> {
    const after = definitionOf(this.#ports, trigger, 'run');
    const db = this.#ports.store.connection()?.db;
    if (after === null || db === undefined) return false;
    const key = `${trigger.agent_id} ${trigger.trigger_id} ${trigger.grant_digest}`;
    const { agent_id: agentId, trigger_id: triggerId } = trigger;
    const reached = readTriggerCursor(db, { agentId, triggerId });
    const from = Math.max(trigger.settled_up_to, reached, this.#looked.get(key) ?? 0);
    // A branch of a run is a part of it: only its own end is the end.
    const ends = readAll<Ended>(
      db,
      `SELECT ops.seq, ops.payload FROM ops JOIN runs USING (run_id)
       WHERE kind = 'run.ended' AND ops.seq > ? AND parent_run_id IS NULL ORDER BY ops.seq LIMIT ?`,
      from,
      ENDS_LIMIT,
    );
    for (const { seq, payload } of ends) {
      const { agentId: ofAgent, runId, ending } = JSON.parse(payload) as EventPayloads['run.ended'];
      if (ofAgent === after.agent && after.endings.some((each) => each === ending)) {
        if (!(await this.#start(trigger, { runId, seq, input: after.input }))) return false;
      }
      this.#looked.set(key, seq);
    }
    return ends.length === ENDS_LIMIT;
  }

  /** Answers whether that end is settled: by a run, or by a line that says why there is none. */
  async #start(
    trigger: TriggerRecord,
    of: { readonly runId: string; readonly seq: number; readonly input: Readonly<Record<string, string>> },
  ): Promise<boolean> {
    const { agent_id: agentId, trigger_id: triggerId } = trigger;
    const source = { by: 'run', triggerId, runId: of.runId } as const;
    const by = byTrigger('run', triggerId);
    const fired = await fireTrigger(this.#ports, { agentId, source, input: of.input, by, settledUpTo: of.seq });
    if (fired.ok) return true;
    const reason = missedReasonOf(fired.error);
    if (reason === null) return false;
    const detail = fired.error.message;
    return await recordMissedOccurrence(this.#ports, { trigger, source, reason, detail, settledUpTo: of.seq });
  }
}
