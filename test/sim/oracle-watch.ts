import { readAll } from '../../src/main/store/connection.ts';
import { readJournalHeads } from '../../src/main/store/foreign-journals.ts';
import type { EffectIdentity } from '../../src/shared/contract/identifiers.ts';
import type { Checker } from './checker.ts';
import { effectIdOf } from './effect-id.ts';
import type { Ledger } from './ledger.ts';
import type { SimDevice } from './sim-device.ts';

interface Row {
  readonly agent_id: EffectIdentity['agentId'];
  readonly run_id: EffectIdentity['runId'];
  readonly effect_key: EffectIdentity['effectKey'];
  readonly op_id: string;
}

interface Look {
  /** The last entry of every foreign journal that was folded. */
  readonly foreign: string;
  readonly effectIds: ReadonlySet<string>;
}

/** Looks at the oracle of a device whenever the journal of another one was folded there, not only where something leaves. */
export class OracleWatch {
  /** How often an oracle was compared with what it had been, and with that of another device that had folded the same. */
  looks = 0;
  compared = 0;
  readonly #ledger: Ledger;
  readonly #checker: Checker;
  readonly #last = new Map<SimDevice, Look>();
  readonly #byFrontier = new Map<string, { readonly of: SimDevice; readonly oracle: string }>();

  constructor(of: { readonly ledger: Ledger; readonly checker: Checker }) {
    this.#ledger = of.ledger;
    this.#checker = of.checker;
  }

  /** After a commit of a device. What is folded and not yet projected is waited for: nothing is decided on it either. */
  committed(device: SimDevice): void {
    const connection = device.openConnection();
    if (connection === null || device.host?.state.isCatchingUp() !== false) return;
    const { db, journal } = connection;
    const foreign = readJournalHeads(db).map(({ deviceId, opId }) => `${deviceId} ${opId}`);
    const last = this.#last.get(device);
    if (foreign.length === 0 || last?.foreign === foreign.join()) return;
    const rows = readAll<Row>(db, 'SELECT * FROM oracle ORDER BY run_id, effect_key, agent_id');
    const effectIds = new Set(rows.map(nameOf));
    this.looks += 1;
    for (const effectId of last?.effectIds ?? [])
      if (!effectIds.has(effectId) && !this.#ledger.wasReopened(effectId))
        this.#checker.fail('I6', `${device.name} forgot ${effectId.slice(0, 8)}, which was committed, when it folded`);
    this.#last.set(device, { foreign: foreign.join(), effectIds });
    const frontier = [...foreign, `${journal.deviceId} ${journal.head.opId}`].toSorted().join();
    this.#compare(device, frontier, JSON.stringify(rows));
  }

  /** I7 in small: one folded frontier, one oracle. The last entry of a journal names all of it. */
  #compare(device: SimDevice, frontier: string, oracle: string): void {
    const known = this.#byFrontier.get(frontier);
    this.#byFrontier.set(frontier, { of: device, oracle });
    if (known === undefined || known.of === device) return;
    this.compared += 1;
    if (known.oracle !== oracle)
      this.#checker.fail('I7', `${device.name} and ${known.of.name} folded the same, and their oracles differ`);
  }

  /** Its disk lost what it had promised to keep. */
  forgot(device: SimDevice): void {
    this.#last.delete(device);
  }
}

/** The run as a whole has its own row. */
function nameOf({ agent_id: agentId, run_id: runId, effect_key: effectKey }: Row): string {
  return effectIdOf({ agentId, runId, effectKey });
}
