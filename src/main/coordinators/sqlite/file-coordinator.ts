import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { HostClock } from '../../host/clock.ts';
import { openDatabase } from '../../store/database.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import { REGISTER_SCHEMA, SqliteRegister } from './sqlite-register.ts';

/** Marks a register file, so that a profile's database is never taken for one. */
export const REGISTER_APPLICATION_ID = 0x46505247;

interface Open {
  readonly db: import('better-sqlite3').Database;
  readonly register: SqliteRegister;
}

/**
 * A register on a file of its own, for several hosts on one machine. Every verb is one IMMEDIATE transaction with its own
 * flush. `current` takes the write lock as well, so that it stands in one line with all verbs.
 */
export function openFileCoordinator(options: { readonly file: string; readonly clock: HostClock }): Result<LeaseCoordinator, Problem> {
  const first = open(options);
  if (!first.ok) return first;
  let current: Open | null = first.value;
  const { identity } = first.value.register;
  const verb = <Value>(decide: (register: SqliteRegister) => Value): Result<Value, Problem> => {
    if (current === null) {
      const again = open(options);
      if (!again.ok) return err(unreachable(again.error.message));
      current = again.value;
    }
    const { db, register } = current;
    if (register.identity.incarnation !== identity.incarnation) return err(wentBack());
    try {
      return ok(db.transaction(() => decide(register)).immediate());
    } catch (cause) {
      // What reached the disk is unknown: this connection is not asked again.
      current = null;
      try {
        db.close();
      } catch {
        // It is not used again either way.
      }
      return err(unreachable(cause instanceof Error ? cause.message : String(cause)));
    }
  };
  return ok({
    identity,
    name: 'A file on this machine',
    inside: null,
    ask: async (agentId, asked) => verb((register) => register.ask(agentId, asked)),
    current: async (agentId) => verb((register) => register.current(agentId)),
    async close() {
      current?.db.close();
      current = null;
    },
  });
}

function open(options: { readonly file: string; readonly clock: HostClock }): Result<Open, Problem> {
  const migrations = [{ version: 10, name: 'register', sql: REGISTER_SCHEMA }];
  const opened = openDatabase(options.file, { migrations, applicationId: REGISTER_APPLICATION_ID });
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    return ok({ db, register: db.transaction(() => new SqliteRegister(db, options.clock)).immediate() });
  } catch (cause) {
    db.close();
    return err(unreachable(cause instanceof Error ? cause.message : String(cause)));
  }
}

function unreachable(cause: string): Problem {
  return problem('register-unreachable', `The register that keeps the right to act cannot be read or written: ${cause}`, 'Nothing is sent meanwhile. Check the file and its disk.');
}

function wentBack(): Problem {
  return problem('register-went-back', 'The register was replaced by another one while this device was using it.', 'Nothing is sent. Close Fencepost, check the register file, and start again.');
}
