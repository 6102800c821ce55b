import { readTriggers } from '../../store/trigger-rows.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import type { HostPorts } from '../ports.ts';
import { AfterRuns } from './after-runs.ts';
import { agentStand } from './agent-stand.ts';
import { armTriggers } from './arm.ts';
import { catchUp } from './catch-up.ts';
import { definitionOf } from './definitions.ts';
import { FileTriggerWatch } from './file-trigger.ts';
import { passSchedule } from './pass-schedule.ts';
import { recordTrouble } from './record-missed.ts';
import { findWebhook, isAnyWebhookOpen } from './webhooks.ts';
import type { OpenWebhook } from './webhooks.ts';

/** The longest time without a look at the clocks, ms: less than the grace of a slot, so that no slot is late by it. */
const LONGEST_REST_MS = 20_000;
/** After a change in the record, this much is waited for more of them, ms. */
const CHANGE_REST_MS = 200;

/** A door that callers of webhooks knock at; it stands open only while somebody may. */
export interface WebhookDoor {
  /** Opens or closes it. Never throws; asked again at the next look. */
  keep(isOpen: boolean, find: (agentId: string, triggerId: string) => OpenWebhook | null): Promise<void>;
}

/** What the triggers need besides the ports. */
export interface TriggerOptions {
  readonly ports: HostPorts;
  /** A run was started: the host looks for it. */
  readonly wake: () => void;
  readonly isDraining: () => boolean;
  readonly door: WebhookDoor;
  /** Folders that no trigger may watch. */
  readonly protectedFolders: readonly string[];
}

/**
 * Starts runs that nobody starts by hand: schedules, files, calls, ends of other runs. It sleeps until the next slot, never
 * long, and looks anew after every change; no timer of it says that something is due, only the clock does.
 */
export class Triggers {
  readonly #of: TriggerOptions;
  readonly #afterRuns: AfterRuns;
  readonly #files = new Map<string, FileTriggerWatch>();
  #cancelTimer: () => void = () => undefined;
  #stopListening: () => void = () => undefined;
  #passing: Promise<void> | null = null;
  #wantsPass = false;
  #isStopped = false;

  constructor(of: TriggerOptions) {
    this.#of = of;
    this.#afterRuns = new AfterRuns(of.ports);
  }

  start(): void {
    this.#stopListening = this.#of.ports.store.onCommit(() => this.#soon(CHANGE_REST_MS));
    this.look();
  }

  /** The machine woke up, or something else happened: look now. */
  look(): void {
    this.#soon(0);
  }

  #soon(delayMs: number): void {
    if (this.#isStopped) return;
    if (this.#passing !== null) {
      this.#wantsPass = true;
      return;
    }
    this.#cancelTimer();
    this.#cancelTimer = this.#of.ports.timers.after(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    if (this.#passing !== null) return;
    let restMs = LONGEST_REST_MS;
    this.#wantsPass = false;
    this.#passing = this.#pass()
      .then((ms) => {
        restMs = ms;
      })
      .catch((cause: unknown) => {
        this.#of.ports.log({ event: 'trigger-pass-failed', message: String(cause) });
      });
    await this.#passing;
    this.#passing = null;
    this.#soon(this.#wantsPass ? CHANGE_REST_MS : restMs);
  }

  /** Answers how long to rest, ms. */
  async #pass(): Promise<number> {
    const { ports, isDraining, door } = this.#of;
    const connection = ports.store.connection();
    if (connection === null || isDraining()) return LONGEST_REST_MS;
    const before = connection.journal.head.seq;
    await armTriggers(ports);
    const nextMs = await this.#passSchedules();
    await catchUp(ports);
    const isMore = await this.#afterRuns.pass();
    await this.#keepFiles();
    await door.keep(isAnyWebhookOpen(ports), (agentId, triggerId) =>
      isDraining() ? null : findWebhook(ports, agentId, triggerId),
    );
    if (ports.store.connection()?.journal.head.seq !== before) this.#of.wake();
    if (isMore) return 0;
    return Math.max(0, Math.min(LONGEST_REST_MS, (nextMs ?? Infinity) - ports.clock.read().wallMs));
  }

  async #passSchedules(): Promise<number | null> {
    const { ports } = this.#of;
    let nextMs: number | null = null;
    for (const trigger of this.#triggers('schedule')) {
      const connection = ports.store.connection();
      const stand = connection === null ? 'not-here' : agentStand(connection, ports, trigger.agent_id);
      if (stand === 'not-here') continue;
      const atMs = await passSchedule(ports, trigger, { stand });
      if (atMs !== null && (nextMs === null || atMs < nextMs)) nextMs = atMs;
    }
    return nextMs;
  }

  #triggers(kind: TriggerRecord['kind']): TriggerRecord[] {
    const db = this.#of.ports.store.connection()?.db;
    return db === undefined ? [] : readTriggers(db).filter((trigger) => trigger.kind === kind);
  }

  /** Watches the folders of the agents that may act, and no others. */
  async #keepFiles(): Promise<void> {
    const { ports, protectedFolders, wake } = this.#of;
    const connection = ports.store.connection();
    // Nobody knows while the record is being opened again: what is watched stays watched.
    if (connection === null) return;
    const wanted = new Set<string>();
    for (const trigger of this.#triggers('file')) {
      const definition = definitionOf(ports, trigger, 'file');
      const key = `${trigger.agent_id} ${trigger.trigger_id} ${trigger.grant_digest}`;
      const stand = agentStand(connection, ports, trigger.agent_id);
      if ((stand === 'ready' || stand === 'paused') && definition !== null) wanted.add(key);
      if (stand === 'no-permission' || stand === 'strategy-broken') {
        const detail = 'The folder is not watched, because the agent may not act.';
        await recordTrouble(ports, trigger, { slot: 'the watch', reason: stand, detail });
      }
      if (!wanted.has(key) || this.#files.has(key) || definition === null) continue;
      this.#files.set(key, new FileTriggerWatch({ ports, trigger, definition, protectedFolders, wake }));
    }
    for (const [key, watch] of this.#files) {
      if (wanted.has(key)) continue;
      this.#files.delete(key);
      await watch.close();
    }
  }

  /** Starts nothing any more, and lets go of folders. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#stopListening();
    await this.#passing;
    await this.#of.door.keep(false, () => null);
    for (const watch of this.#files.values()) await watch.close();
    this.#files.clear();
  }
}
