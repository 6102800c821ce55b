import { setTimeout } from 'node:timers/promises';
import type { Random } from '../harness/random.ts';
import type { OutsideWorld } from './outside-world.ts';
import { pathOf } from './soak-agent.ts';
import type { SoakHost } from './soak-host.ts';

/** How often a person looks at a host, ms. */
const LOOK_MS = 400;

interface Unclear {
  readonly attempt_token: string;
  readonly input_digest: string;
  readonly epoch: number;
  readonly agent_id: string;
  readonly state_id: string;
  readonly input: string;
}

interface Decided {
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

const UNCLEAR = `
SELECT attempt_token, input_digest, epoch, attempts.agent_id, attempts.state_id, runs.input
FROM attempts JOIN runs ON runs.run_id = attempts.run_id
WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL AND progress <> 'settled' AND runs.ending IS NULL`;

/**
 * Answers what needs a person, by looking at the outside world first: what was not done is sent again, what was done is said
 * to have happened. Now and then the person never answers, or stops the run.
 */
export class Person {
  readonly #random: Random;
  readonly #world: OutsideWorld;
  readonly #ignored = new Set<string>();
  readonly #met = new Set<string>();
  readonly #deciding = new Set<string>();
  /** What the other host was told about is closed here by hand: this one does not learn of it by itself. */
  readonly #decidedElsewhere = new Set<string>();
  decisions = 0;
  /** Leaves nothing for later from now on. */
  answersAll = false;

  constructor(random: Random, world: OutsideWorld) {
    this.#random = random;
    this.#world = world;
  }

  /** How many unclear effects there were to decide. */
  get needsYou(): number {
    return this.#met.size;
  }

  /** Looks at one host again and again until `isOver`. */
  async attend(host: SoakHost, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await setTimeout(LOOK_MS);
      for (const unclear of await host.rows<Unclear>(UNCLEAR)) void this.#answerOnce(host, unclear);
    }
  }

  /** A host answers only when it has the right to act, so many wait at one time; none is asked twice meanwhile. */
  async #answerOnce(host: SoakHost, unclear: Unclear): Promise<void> {
    const name = `${host.name} ${unclear.attempt_token}`;
    if (this.#deciding.has(name)) return;
    this.#deciding.add(name);
    await this.#answer(host, unclear);
    this.#deciding.delete(name);
  }

  async #answer(host: SoakHost, unclear: Unclear): Promise<void> {
    const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
    if (!this.#met.has(attemptToken) && this.#random.chance(0.03)) this.#ignored.add(attemptToken);
    this.#met.add(attemptToken);
    const isLater = this.#ignored.has(attemptToken) || this.#random.chance(0.3);
    if (isLater && !this.answersAll) return;
    const { occurrence } = JSON.parse(unclear.input) as { occurrence: string };
    const path = pathOf(unclear.agent_id, occurrence, unclear.state_id);
    const isElsewhere = this.#decidedElsewhere.has(`${host.name} ${attemptToken}`);
    const choice = isElsewhere ? 'stop-here' : this.#choose(path);
    if (choice === 'send-again') this.#world.approve(path, attemptToken);
    const request = { attemptToken, inputDigest, epoch, choice, by: 'Soak', reason: 'looked at the receiver' };
    const decided = (await host.process?.control('resolveRecovery', request).catch(() => null)) as Decided | null;
    if (decided?.error?.code === 'already-decided') this.#decidedElsewhere.add(`${host.name} ${attemptToken}`);
    if (decided?.ok === true) this.decisions += 1;
  }

  #choose(path: string): 'it-happened' | 'send-again' | 'stop-here' {
    if (this.#random.chance(0.03)) return 'stop-here';
    return this.#world.look(path).done === 0 ? 'send-again' : 'it-happened';
  }
}
