import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { checkHistory } from '../linearizability/checker.ts';
import type { Answered, Call, Operation } from '../linearizability/history.ts';
import { describeViolation } from '../linearizability/report.ts';
import type { ExpiryRules } from '../linearizability/specification.ts';
import type { Checker } from './checker.ts';
import { FASTEST_RATE, SLOWEST_RATE } from './machine-clock.ts';

/** Operations of one agent that are judged: its first ones, since a beginning of a linearizable history is linearizable. */
const MOST_OPERATIONS = 400;
/** A healthy history takes about one state for each operation; where a search grows beyond this, there is no verdict. */
const STATE_LIMIT = 2_000;
/** Binary fractions of milliseconds, and a boot clock that is read once for a question. */
const GRAIN_MS = 1;

/** One question on its way. One that never arrives has no part in the history. */
interface Asked {
  /** The register decides it, once more where the network brought it twice; perhaps nobody ever hears what it says. */
  decided(answer: Answered, isFirst: boolean): void;
  /** The device has the answer now. */
  heard(): void;
}

interface Kept extends Operation {
  /** When the register decided it, true ms. */
  readonly decidedMs: number;
  readonly isHeard: boolean;
}

/**
 * I10: what every device asked of the register, and what came back, judged by the checker of `test/linearizability`. Times are
 * true time. A simulation knows what no client does: what the register said where the answer was lost, and by when. So such a
 * question is judged by its answer as well, and ends where that was given; left open, a hundred of them would be more orders
 * than can be tried. The embedded register is no part of it: it is asked inside the one transaction that it belongs to.
 */
export class RegisterHistory {
  readonly #trueMs: () => number;
  readonly #byAgent = new Map<AgentId, Kept[]>();
  readonly #rebootsMs: number[] = [];
  /** An old register was put back: from then on no order explains what it says, and devices have to notice (I2, I8). */
  #endMs = Infinity;
  judged = 0;
  /** Operations in the histories that were judged. */
  operations = 0;
  /** Those of them whose answer nobody heard. */
  unheard = 0;
  /** Histories whose search grew too large: no verdict. */
  undecided = 0;

  constructor(trueMs: () => number) {
    this.#trueMs = trueMs;
  }

  asked(agentId: AgentId, client: string, call: Call): Asked {
    const known = this.#byAgent.get(agentId) ?? [];
    this.#byAgent.set(agentId, known);
    const askedMs = this.#trueMs();
    let question: Kept | null = null;
    return {
      decided: (answer, isFirst) => {
        const nowMs = this.#trueMs();
        const invokeMs = isFirst ? askedMs : nowMs;
        const decided = {
          id: known.length,
          client,
          agentId,
          call,
          invokeMs,
          returnMs: nowMs,
          decidedMs: nowMs,
          answer,
          isHeard: false,
        };
        known.push(decided);
        if (isFirst) question = decided;
      },
      heard: () => {
        if (question !== null) Object.assign(question, { returnMs: this.#trueMs(), isHeard: true });
      },
    };
  }

  /** The machine of the register starts again: every earlier holder is gone. */
  rebooted(): void {
    this.#rebootsMs.push(this.#trueMs());
  }

  putBack(): void {
    this.#endMs = Math.min(this.#endMs, this.#trueMs());
  }

  judge(checker: Checker): void {
    for (const agentId of this.#byAgent.keys()) {
      const history = this.#historyOf(agentId);
      const rules = rulesFor(history);
      const verdict = checkHistory(history, rules, STATE_LIMIT);
      if (verdict.kind === 'undecided') {
        this.undecided += 1;
        continue;
      }
      this.judged += 1;
      this.operations += history.length;
      this.unheard += history.filter((operation) => 'isHeard' in operation && operation.isHeard !== true).length;
      if (verdict.kind === 'violation') checker.fail('I10', describeViolation(history, rules));
    }
  }

  /** What the register had decided by the end of the part that is judged: what it decides later is no part of it. */
  #historyOf(agentId: AgentId): readonly Operation[] {
    const asked = (this.#byAgent.get(agentId) ?? []).toSorted((one, other) => one.invokeMs - other.invokeMs);
    const untilMs = Math.min(this.#endMs, asked[MOST_OPERATIONS]?.invokeMs ?? Infinity);
    const decided = asked
      .filter(({ decidedMs }) => decidedMs <= untilMs)
      .map((operation) => ({ ...operation, returnMs: Math.min(operation.returnMs, untilMs) }));
    const reboots = this.#rebootsMs
      .filter((ms) => ms <= untilMs)
      .map((ms, index): Operation => {
        const id = asked.length + index;
        return { id, client: 'machine', agentId, call: { verb: 'reboot' }, invokeMs: ms, returnMs: ms, answer: null };
      });
    return [...decided, ...reboots];
  }
}

/** The lease clock is that of the register's machine, which runs a little fast or slow against true time. */
function rulesFor(history: readonly Operation[]): ExpiryRules {
  const ttlMs = Math.max(0, ...history.map(({ call }) => (call.verb === 'acquire' ? call.ttlMs : 0)));
  return { rateTolerance: FASTEST_RATE, grainMs: GRAIN_MS, lateMs: ttlMs / SLOWEST_RATE - ttlMs };
}
