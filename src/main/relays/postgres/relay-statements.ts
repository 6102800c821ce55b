import { escapeLiteral } from 'pg';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { RELAY_BATCH_CHARACTERS, RELAY_BATCH_OPERATIONS } from '../relay.ts';

/**
 * Limits of the server, ms: how long to wait for a journal that another connection holds, and how long for one statement. A
 * question is a whole transaction in one text, so nobody holds anything while a device thinks.
 */
const LOCK_LIMIT_MS = 5_000;
const STATEMENT_LIMIT_MS = 20_000;
/** Sending a page belongs to its statement, and a slow network makes that long, ms. */
const SENDING_LIMIT_MS = 270_000;
const SILENCE_LIMIT_MS = 5_000;

/** How many operations one question drops, and how many parts of old checkpoints: so that nobody waits for it long. */
export const COLLECT_OPERATIONS = 5_000;
const COLLECT_PARTS = 64;

/** Settings for one transaction alone: a pooler gives the next one to somebody else. */
const BEGIN = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL synchronous_commit = on',
  `SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`,
  `SET LOCAL statement_timeout = ${STATEMENT_LIMIT_MS}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_LIMIT_MS}`,
].join('; ');

/** The texts of one device's questions in one space; each is a whole transaction that answers in a column `value`, or in rows. */
export class RelayStatements {
  readonly #space: string;
  readonly #device: string;

  constructor(spaceId: string, deviceId: DeviceId) {
    this.#space = literal(spaceId);
    this.#device = literal(deviceId);
  }

  contact(): string {
    return one(`relay_contact(${this.#space}, ${this.#device})`);
  }

  push(operations: readonly SealedOperation[]): string {
    const arrays = [
      numbers(operations.map((operation) => operation.seq)),
      numbers(operations.map((operation) => operation.wallMs)),
      numbers(operations.map((operation) => operation.counter)),
      texts(operations.map((operation) => operation.box)),
    ];
    return one(`relay_push(${this.#space}, ${this.#device}, ${arrays.join(', ')})`);
  }

  pull(have: Frontier): string {
    const limits = `${RELAY_BATCH_OPERATIONS}, ${RELAY_BATCH_CHARACTERS}`;
    return sending(`SELECT * FROM fencepost.relay_pull(${this.#space}, ${json(have)}, ${limits})`);
  }

  acknowledge(have: Frontier): string {
    return one(`relay_acknowledge(${this.#space}, ${this.#device}, ${json(have)})`);
  }

  letGo(deviceId: DeviceId): string {
    return one(`relay_let_go(${this.#space}, ${literal(deviceId)})`);
  }

  collect(): string {
    return one(`relay_collect(${this.#space}, ${COLLECT_OPERATIONS}, ${COLLECT_PARTS})`);
  }

  beginCheckpoint(uploadId: string, { checkpointId, deviceId, frontier, partCount }: CheckpointHeader): string {
    const header = `${literal(deviceId)}, ${literal(checkpointId)}, ${json(frontier)}, ${partCount}`;
    return one(`relay_begin_checkpoint(${this.#space}, ${literal(uploadId)}, ${header})`);
  }

  addParts(
    uploadId: string,
    { firstPlace, parts }: { readonly firstPlace: number; readonly parts: readonly string[] },
  ): string {
    return one(`relay_add_parts(${this.#space}, ${literal(uploadId)}, ${firstPlace}, ${texts(parts)})`);
  }

  finishCheckpoint(uploadId: string): string {
    return one(`relay_finish_checkpoint(${this.#space}, ${literal(uploadId)})`);
  }

  checkpointPart(checkpointId: string, index: number): string {
    const place = `${this.#space}, ${literal(checkpointId)}, ${index}`;
    return sending(`SELECT p.sealed AS value FROM fencepost.relay_checkpoint_part(${place}) AS p`);
  }
}

function one(call: string): string {
  return whole(`SELECT fencepost.${call} AS value`);
}

function sending(statement: string): string {
  return whole(`SET LOCAL statement_timeout = ${SENDING_LIMIT_MS}; ${statement}`);
}

function whole(statement: string): string {
  return `${BEGIN}; ${statement}; COMMIT`;
}

function numbers(values: readonly number[]): string {
  return `'{${values.join(',')}}'::bigint[]`;
}

function texts(values: readonly string[]): string {
  return `ARRAY[${values.map(literal).join(',')}]::text[]`;
}

function json(frontier: Frontier): string {
  return `${literal(JSON.stringify(frontier))}::jsonb`;
}

/** @throws TypeError for a text with a zero in it, at which the server would end the statement */
function literal(text: string): string {
  if (text.includes('\0')) throw new TypeError('A text with a zero in it cannot be kept.');
  return escapeLiteral(text);
}
