import { readAll } from '../../src/main/store/connection.ts';
import type { Connection } from '../../src/main/store/connection.ts';
import type { AttemptToken, DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { Checker } from './checker.ts';
import type { Moves } from './moves.ts';
import type { Person } from './person.ts';
import type { SimDevice } from './sim-device.ts';
import type { RegisterNode } from './sim-register.ts';

/**
 * Situations that a batch of seeds must have been in, or its silence proves nothing. Each is one question to the journals
 * of the devices.
 */
const QUESTIONS = {
  takeover: `SELECT count(*) AS count FROM ops WHERE kind = 'lease.acquired' AND json_extract(payload, '$.holdOffMs') > 0`,
  'blocked by the fence alone': `SELECT count(*) AS count FROM ops WHERE kind = 'fence.decided'
     AND json_extract(payload, '$.decision.kind') IN ('stale-epoch', 'not-held') AND json_extract(payload, '$.facts.standing') = 'live'`,
  'blocked by a deadline alone': `SELECT count(*) AS count FROM ops WHERE kind = 'effect.withheld'
     OR (kind = 'fence.decided' AND json_extract(payload, '$.decision.kind') = 'lease-doubtful')`,
  // It is claimed as never started and has to wait: where nothing has to, the fence is the very next thing.
  'blocked by the hold-off': `SELECT count(*) AS count FROM ops AS claim WHERE kind = 'claim.decided'
     AND json_extract(payload, '$.verdict') = 'granted'
     AND NOT EXISTS (SELECT 1 FROM ops WHERE seq = claim.seq + 1 AND kind = 'fence.decided')`,
  'blocked by the gate': `SELECT count(*) AS count FROM ops WHERE kind = 'gate.decided'
     AND json_extract(payload, '$.decision.kind') = 'refuse'`,
  'register went back': `SELECT count(*) AS count FROM ops WHERE kind = 'lease.went-back'`,
  'lease doubtful': `SELECT count(*) AS count FROM ops WHERE kind = 'lease.doubtful'`,
  'late evidence': `SELECT count(*) AS count FROM ops WHERE kind = 'settle.late-evidence'`,
  reclaimed: `SELECT count(*) AS count FROM ops WHERE kind = 'recovery.reclaimed'`,
  'repeated safely': `SELECT count(*) AS count FROM ops WHERE kind = 'recovery.repeated'`,
  probed: `SELECT count(*) AS count FROM ops WHERE kind = 'recovery.probed'`,
  'decided by a person': `SELECT count(*) AS count FROM ops WHERE kind = 'recovery.decided'`,
  'sent again by a person': `SELECT count(*) AS count FROM ops WHERE kind = 'recovery.decided'
     AND json_extract(payload, '$.choice') IN ('send-again', 'undo-then-send')`,
} as const;

const IN_DOUBT = `SELECT json_extract(attempts.intent, '$.effectKind') AS kind, count(*) AS count FROM ops
  JOIN attempts ON attempts.attempt_token = json_extract(ops.payload, '$.attemptToken')
  WHERE ops.kind = 'recovery.in-doubt' GROUP BY 1`;

/** What the fence of this device found to have been done or begun before. */
const KNOWN_BEFORE = `SELECT json_extract(payload, '$.attemptToken') AS token, json_extract(payload, '$.decision.kind') AS kind
  FROM ops WHERE kind = 'fence.decided' AND device_id = ?
    AND json_extract(payload, '$.decision.kind') IN ('already-committed', 'in-doubt')`;

/** What came of the journals that devices shared, in whichever way. */
interface TravelledJournals {
  readonly folded: number;
  readonly judged: number;
  readonly log: { readonly counts: ReadonlyMap<string, number> };
}

/** What one seed, or a batch of them, has seen. */
export class Coverage {
  readonly counts = new Map<string, number>();

  add(label: string, count: number): void {
    this.counts.set(label, (this.counts.get(label) ?? 0) + count);
  }

  read(device: SimDevice, nodes: readonly RegisterNode[]): void {
    const connection = device.openConnection();
    if (connection === null) return;
    for (const [label, sql] of Object.entries(QUESTIONS))
      for (const { count } of readAll<{ count: number }>(connection.db, sql)) this.add(label, count);
    for (const { kind, count } of readAll<{ kind: string; count: number }>(connection.db, IN_DOUBT))
      this.add(`in doubt: ${kind}`, count);
    this.#readKnownBefore(connection, device.deviceId, nodes);
  }

  /** A register that let the announce pass had nothing in its tail against it: then the oracle stood there alone. */
  #readKnownBefore({ db }: Connection, deviceId: DeviceId, nodes: readonly RegisterNode[]): void {
    for (const { token, kind } of readAll<{ token: AttemptToken; kind: string }>(db, KNOWN_BEFORE, deviceId)) {
      const isByOracle = kind === 'already-committed' && nodes.some((node) => node.announced.has(token));
      this.add(isByOracle ? 'blocked by the oracle alone' : 'blocked by the tail', 1);
    }
  }

  /** What the devices shared: their journals, and the register. */
  readShared(journals: TravelledJournals | null, nodes: readonly RegisterNode[]): void {
    this.add('entries folded', journals?.folded ?? 0);
    this.add('records compared', journals?.judged ?? 0);
    for (const [situation, count] of journals?.log.counts ?? []) this.add(situation, count);
    for (const { pruned, forgotten, history } of nodes) {
      this.add('a tail pruned after the relay had it', pruned);
      this.add('a register that went back was believed unseen', forgotten.excuses);
      this.add('register histories judged', history.judged);
      this.add('questions to the register in them', history.operations);
      this.add('of them without an answer', history.unheard);
      this.add('register histories undecided', history.undecided);
    }
  }

  readMoves(moves: Moves, nodes: readonly RegisterNode[]): void {
    this.add('moves begun', moves.begun);
    this.add('moves left off', moves.leftOff);
    this.add('moves over', moves.over);
    for (const { adopted } of nodes) this.add('agents moved', adopted);
    for (const { grants } of nodes.slice(1)) this.add('rights to act given after a move', grants);
  }

  readPeople(person: Person, checker: Checker): void {
    this.add('a register raised by a person', person.raises.made);
    this.add('an approval used twice', person.approvedTwice);
    this.add('a decision made twice', person.decidedTwice);
    this.add('a grant adopted after a lost reply', checker.replays);
  }
}
