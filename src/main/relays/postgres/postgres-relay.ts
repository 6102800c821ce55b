import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Problem } from '../../../shared/contract/errors.ts';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { PostgresConnection } from '../../coordinators/postgres/postgres-connection.ts';
import { ASK_LIMIT_MS } from '../../coordinators/postgres/postgres-options.ts';
import type { PostgresOptions } from '../../coordinators/postgres/postgres-options.ts';
import { PostgresPool } from '../../coordinators/postgres/postgres-pool.ts';
import type { PulledOperations, Relay, RelayState } from '../relay.ts';
import { checkpointPartSchema, contactAnswerSchema, pushAnswerSchema, rowsOf, valueOf } from './relay-answers.ts';
import type { PostgresAnswers } from './relay-answers.ts';
import { charactersOf, checkpointMisfit, operationsMisfit, partsFrom, readPage } from './relay-batches.ts';
import { readRelayVersion } from './relay-install.ts';
import { foreignProblem, forkProblem, gapProblem, relayFailure, relayNotInstalledProblem } from './relay-problems.ts';
import { relayUnreachableProblem, replacedProblem, versionProblem } from './relay-problems.ts';
import { COLLECT_OPERATIONS, RelayStatements } from './relay-statements.ts';

/** Connections of one host at most, and so questions at the same time. */
const CONNECTION_LIMIT = 4;
/** How long a question may take with everything that belongs to it, ms, apart from carrying boxes. */
const QUESTION_LIMIT_MS = 10_000;
/** A network that carries less than this is too slow for journals, characters per ms. */
const SLOWEST_CHARACTERS_PER_MS = 32;
/** How often one call of `collect` asks at most: the rest is dropped by the next call. */
const COLLECT_ROUNDS = 40;

/** Whose journals, and which device's relay it is. */
export interface PostgresRelayPlace {
  /** Names the person's devices taken together; a database holds any number of spaces. */
  readonly spaceId: string;
  readonly deviceId: DeviceId;
}

/**
 * Opens the relay in a database whose journals are installed. It is an error, not a wait, when the server cannot be reached.
 * Problem: `relay-unreachable`.
 */
export async function openPostgresRelay(
  options: PostgresOptions,
  place: PostgresRelayPlace,
): Promise<Result<Relay, Problem>> {
  if (!deviceIdSchema.safeParse(place.spaceId).success || !deviceIdSchema.safeParse(place.deviceId).success) {
    return err(relayUnreachableProblem('This device, or what it shares, has no proper name.'));
  }
  const pool = new PostgresPool((untilMs) => PostgresConnection.open(options, untilMs), CONNECTION_LIMIT);
  const untilMs = performance.now() + ASK_LIMIT_MS;
  try {
    const version = await pool.lend(untilMs, (connection) => readRelayVersion(connection, untilMs));
    const wrong = version === null ? relayNotInstalledProblem() : versionProblem(version);
    if (wrong === null) return ok(new PostgresRelay(options.name, { pool, place }));
    await pool.close();
    return err(wrong);
  } catch (cause) {
    await pool.close();
    return err(relayFailure(cause));
  }
}

/**
 * Every question is one text and one READ COMMITTED transaction, so a lost connection leaves all of it or nothing, and a pooler may
 * hand each to another server connection. The rules about what is held, dropped and refused are functions of the database: they
 * hold for every device, also for one that does not keep to them. There is no `onChange`: a pooler carries no notices.
 */
class PostgresRelay implements Relay {
  readonly name: string;
  readonly #pool: PostgresPool;
  readonly #deviceId: DeviceId;
  readonly #statements: RelayStatements;
  #isClosed = false;

  constructor(name: string, { pool, place }: { readonly pool: PostgresPool; readonly place: PostgresRelayPlace }) {
    this.name = name;
    this.#pool = pool;
    this.#deviceId = place.deviceId;
    this.#statements = new RelayStatements(place.spaceId, place.deviceId);
  }

  contact(): Promise<Result<RelayState, Problem>> {
    return this.#ask(
      (statements) => statements.contact(),
      (answers) => {
        const { schemaVersion, ...state } = valueOf(answers, contactAnswerSchema);
        const wrong = versionProblem(schemaVersion);
        return wrong === null ? ok(state) : err(wrong);
      },
    );
  }

  async push(operations: readonly SealedOperation[]): Promise<Result<{ readonly head: number }, Problem>> {
    if (operations.some(({ deviceId }) => deviceId !== this.#deviceId)) return err(foreignProblem());
    const misfit = operationsMisfit(operations);
    if (misfit !== null) return err(misfit);
    return this.#ask(
      (statements) => statements.push(operations),
      (answers) => {
        const answer = valueOf(answers, pushAnswerSchema);
        if (answer.verdict === 'kept') return ok({ head: answer.head });
        const refusal = answer.verdict === 'fork' ? forkProblem : gapProblem;
        return err(refusal(this.#deviceId, answer.seq));
      },
      { characters: charactersOf(operations) },
    );
  }

  pull(have: Frontier): Promise<Result<PulledOperations, Problem>> {
    return this.#ask(
      (statements) => statements.pull(have),
      (answers) => readPage(rowsOf(answers), have),
      { characters: BOX_LIMIT_CHARACTERS },
    );
  }

  acknowledge(have: Frontier): Promise<Result<null, Problem>> {
    return this.#ask((statements) => statements.acknowledge(have), done);
  }

  async putCheckpoint(header: CheckpointHeader, parts: readonly string[]): Promise<Result<null, Problem>> {
    const misfit = checkpointMisfit(header, parts);
    if (misfit !== null) return err(misfit);
    // A name of its own for each try: parts of two tries are never mixed.
    const uploadId = randomUUID();
    const isWanted = await this.#ask(
      (statements) => statements.beginCheckpoint(uploadId, header),
      (answers) => ok(valueOf(answers, z.boolean())),
    );
    if (!isWanted.ok) return isWanted;
    if (!isWanted.value) return ok(null);
    for (let firstPlace = 0; firstPlace < parts.length;) {
      const batch = partsFrom(parts, firstPlace);
      const place = { firstPlace, parts: batch };
      const added = await this.#ask((statements) => statements.addParts(uploadId, place), done, {
        characters: BOX_LIMIT_CHARACTERS,
      });
      if (!added.ok) return added;
      firstPlace += batch.length;
    }
    return this.#ask((statements) => statements.finishCheckpoint(uploadId), done);
  }

  async checkpointPart(checkpointId: string, index: number): Promise<Result<string, Problem>> {
    if (!Number.isInteger(index) || index < 0 || index >= CHECKPOINT_PART_LIMIT) return err(replacedProblem());
    return this.#ask(
      (statements) => statements.checkpointPart(checkpointId, index),
      (answers) => (rowsOf(answers).length === 0 ? err(replacedProblem()) : ok(valueOf(answers, checkpointPartSchema))),
      { characters: BOX_LIMIT_CHARACTERS },
    );
  }

  async collect(): Promise<Result<{ readonly dropped: number }, Problem>> {
    let dropped = 0;
    for (let round = 0; round < COLLECT_ROUNDS; round++) {
      const gone = await this.#ask(
        (statements) => statements.collect(),
        (answers) => ok(valueOf(answers, z.int().min(0))),
      );
      if (!gone.ok) return gone;
      dropped += gone.value;
      if (gone.value < COLLECT_OPERATIONS) break;
    }
    return ok({ dropped });
  }

  letGo(deviceId: DeviceId): Promise<Result<null, Problem>> {
    return this.#ask((statements) => statements.letGo(deviceId), done);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  /** An error of any kind is an unknown outcome. Nothing is asked again: every question may be repeated by whoever asked. */
  async #ask<Value>(
    textOf: (statements: RelayStatements) => string,
    read: (answers: PostgresAnswers) => Result<Value, Problem>,
    { characters = 0 }: { readonly characters?: number } = {},
  ): Promise<Result<Value, Problem>> {
    if (this.#isClosed) return err(relayUnreachableProblem('It was closed.'));
    const untilMs = performance.now() + QUESTION_LIMIT_MS + characters / SLOWEST_CHARACTERS_PER_MS;
    try {
      const sql = textOf(this.#statements);
      return read(await this.#pool.lend(untilMs, (connection) => connection.run(sql, untilMs)));
    } catch (cause) {
      return err(relayFailure(cause));
    }
  }
}

/** The question was only to be done. @throws as `rowsOf` */
function done(answers: PostgresAnswers): Result<null, Problem> {
  rowsOf(answers);
  return ok(null);
}
