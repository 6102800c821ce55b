import { readAll } from '../../src/main/store/connection.ts';
import type { Checker } from './checker.ts';
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
  'blocked by the tail': `SELECT count(*) AS count FROM ops WHERE kind = 'fence.decided'
     AND json_extract(payload, '$.decision.kind') IN ('already-committed', 'in-doubt')`,
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

/** What one seed, or a batch of them, has seen. */
export class Coverage {
  readonly counts = new Map<string, number>();

  add(label: string, count: number): void {
    this.counts.set(label, (this.counts.get(label) ?? 0) + count);
  }

  read(device: SimDevice): void {
    const connection = device.openConnection();
    if (connection === null) return;
    for (const [label, sql] of Object.entries(QUESTIONS))
      for (const { count } of readAll<{ count: number }>(connection.db, sql)) this.add(label, count);
    for (const { kind, count } of readAll<{ kind: string; count: number }>(connection.db, IN_DOUBT))
      this.add(`in doubt: ${kind}`, count);
  }

  readNode(node: RegisterNode | null): void {
    this.add('a tail pruned after the relay had it', node?.pruned ?? 0);
    this.add('a register that went back was believed unseen', node?.forgotten.excuses ?? 0);
  }

  readPeople(person: Person, checker: Checker): void {
    this.add('a register raised by a person', person.raises.made);
    this.add('an approval used twice', person.approvedTwice);
    this.add('a decision made twice', person.decidedTwice);
    this.add('a grant adopted after a lost reply', checker.replays);
  }
}
