import type { MoveView, MovingAgent } from '../../../shared/contract/coordinator-views.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { CurrentCoordinator, ChosenCoordinator } from '../../coordinators/current-coordinator.ts';
import type { LeaseCoordinator } from '../../coordinators/lease-coordinator.ts';
import { readAll } from '../../store/connection.ts';
import type { PipelineState } from '../pipeline/pipeline.ts';
import { sleep } from '../timers.ts';
import { moveAgent } from './move-agent.ts';
import type { AgentMove } from './move-agent.ts';

/** How often something that a move waits for is looked at, ms. */
const LOOK_MS = 250;

/** Where agents are to be moved, and what happens when all are there. */
export interface MoveTarget extends ChosenCoordinator {
  readonly by: string;
  /** Keeps the choice, durable, with the identity that was found. */
  keep(coordinator: LeaseCoordinator): Promise<Result<unknown, Problem>>;
}

interface MoverOptions {
  readonly state: PipelineState;
  readonly current: CurrentCoordinator;
  /** Something about the move changed, or everything may be looked at again. */
  readonly changed: () => void;
}

/**
 * Moves every agent of this device from the register in use to another one: each is drained, given up there for good, and
 * taken in here with everything that was announced for it. Nothing is sent meanwhile. A crash at any point leaves each
 * agent in exactly one of the two, and the move goes on at the next start.
 */
export class Mover {
  readonly #of: MoverOptions;
  readonly #agents = new Map<AgentId, MovingAgent>();
  #target: MoveTarget | null = null;
  #view: Pick<MoveView, 'state' | 'sentence'> = { state: 'done', sentence: '' };
  #running: Promise<void> | null = null;
  #isCancelled = false;

  constructor(of: MoverOptions) {
    this.#of = of;
  }

  /** The move that is under way, or the last one; `null` before the first. */
  view(): MoveView | null {
    if (this.#target === null) return null;
    return { toName: this.#target.name, ...this.#view, agents: [...this.#agents.values()] };
  }

  /** Begins; what it comes to is shown by `view`. Refused while another move is under way. */
  start(target: MoveTarget): Result<null, Problem> {
    if (this.#running !== null) {
      return err(problem('changed', 'A move is already under way.', 'Wait for it, or leave it off first.'));
    }
    this.#target = target;
    this.#isCancelled = false;
    this.#agents.clear();
    this.#say('running', `Waiting for ${target.name}. Nothing is sent meanwhile.`);
    this.#of.state.isMoving = true;
    this.#running = this.#run(target).finally(() => {
      this.#running = null;
      this.#of.state.isMoving = false;
      this.#of.changed();
    });
    return ok(null);
  }

  /** Leaves it off: what has been moved stays moved, and does not act until the move is taken up again. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#running;
  }

  #say(state: MoveView['state'], sentence: string): void {
    this.#view = { state, sentence };
    this.#of.changed();
  }

  async #run(target: MoveTarget): Promise<void> {
    const to = await this.#opened(target);
    if (to === null) return this.#say('cancelled', 'The move was left off before anything was moved.');
    const over = await this.#finish(target, to);
    if (over.state !== 'done') await to.close();
    this.#say(over.state, over.sentence);
  }

  async #finish(target: MoveTarget, to: LeaseCoordinator): Promise<Pick<MoveView, 'state' | 'sentence'>> {
    const isWhole = await this.#moveAll(target, to);
    if (!isWhole) return { state: 'cancelled', sentence: this.#leftOff() };
    const kept = await target.keep(to);
    if (!kept.ok) {
      return { state: 'failed', sentence: `${kept.error.message} Everything is moved; choose it once more.` };
    }
    await this.#of.current.change(target, to);
    this.#of.state.leases.forgetViews();
    return { state: 'done', sentence: this.#done(target) };
  }

  async #opened(target: MoveTarget): Promise<LeaseCoordinator | null> {
    while (!this.#isCancelled) {
      const opened = await target.open();
      if (opened.ok) return opened.value;
      this.#say('running', `${opened.error.message} The move waits, and nothing is sent meanwhile.`);
      await sleep(this.#of.state.ports.timers, LOOK_MS * 4);
    }
    return null;
  }

  /** Agent by agent, and those that wait again and again; answers whether none is left. */
  async #moveAll(target: MoveTarget, to: LeaseCoordinator): Promise<boolean> {
    const { state } = this.#of;
    const { name, by } = target;
    for (;;) {
      const open = this.#allAgents()?.filter((row) => !isOver(this.#agents.get(row.agentId))) ?? null;
      if (open?.length === 0) return true;
      if (this.#isCancelled) return false;
      if (open === null) {
        this.#say('running', 'The record is not open just now. The move waits, and nothing is sent meanwhile.');
        await sleep(state.ports.timers, LOOK_MS);
        continue;
      }
      this.#say('running', `Moving ${open.length === 1 ? 'one agent' : `${open.length} agents`} to ${name}.`);
      for (const { agentId, agentName } of open) {
        if (this.#isCancelled) return false;
        const moved = await moveAgent(state, agentId, { to, name, by });
        this.#agents.set(agentId, { agentId, agentName, ...moved });
        this.#of.changed();
      }
      await sleep(state.ports.timers, LOOK_MS);
    }
  }

  /**
   * Every agent that this device knows or has seen to be held. One that nobody has held yet is given up as well: a device that
   * still uses the register of before would be the first there, while another one is the first here. `null` while the record is
   * not open: then nobody can say which they are, and none is not the answer.
   */
  #allAgents(): { readonly agentId: AgentId; readonly agentName: string }[] | null {
    const db = this.#of.state.ports.store.connection()?.db;
    if (db === undefined) return null;
    const sql = `SELECT agent_id, coalesce(name, agent_id) AS name
      FROM (SELECT agent_id FROM high_water UNION SELECT agent_id FROM agents) LEFT JOIN agents USING (agent_id) ORDER BY name`;
    const rows = readAll<{ agent_id: AgentId; name: string }>(db, sql);
    return rows.map((row) => ({ agentId: row.agent_id, agentName: row.name }));
  }

  #leftOff(): string {
    const moved = [...this.#agents.values()].filter((agent) => agent.state === 'moved').length;
    return moved === 0
      ? 'The move was left off before anything was moved.'
      : `The move was left off. ${moved} of ${this.#agents.size} agents are moved and do not act until it is taken up again.`;
  }

  #done({ name }: MoveTarget): string {
    const failed = [...this.#agents.values()].filter((agent) => agent.state === 'failed').length;
    const rest = failed === 0 ? '' : ` ${failed} could not be moved and do not act; each says why.`;
    return `The right to act is kept by ${name} from now on.${rest}`;
  }
}

function isOver(agent: Pick<AgentMove, 'state'> | undefined): boolean {
  return agent?.state === 'moved' || agent?.state === 'failed';
}
