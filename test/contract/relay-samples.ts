import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { RELAY_BATCH_CHARACTERS, RELAY_BATCH_OPERATIONS } from '../../src/main/relays/relay.ts';
import type { Relay, RelayState } from '../../src/main/relays/relay.ts';
import type { ErrorCode, Problem } from '../../src/shared/contract/errors.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../src/shared/core/sync/sealed.ts';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import type { Result } from '../../src/shared/lib/result.ts';

/** One relay under test with its own storage, empty at first. */
export interface RelayBench {
  /** Opens the relay for a device: any id that the contract takes, and any number of times. Fails the test if it cannot. */
  open(deviceId: DeviceId): Promise<Relay>;
  /** What holds the relay ends and begins again on the same storage. Relays opened before are not used afterwards. */
  restart?(): Promise<void>;
  /** Lets the relay's own clock go on, ms. Without it, only the order of times is looked at. */
  pass?(ms: number): Promise<void>;
  /** Whether its relays tell by themselves that something is new, so that a missing `onChange` is no silent pass. */
  readonly tellsChanges: boolean;
  /** Closes every relay that it opened, and the storage. */
  close(): Promise<void>;
}

export const ANNA = 'anna' as DeviceId;
export const BEN = 'ben' as DeviceId;
export const CLEO = 'cleo' as DeviceId;

/** A value of the tests, branded. */
export const deviceId = (name: string): DeviceId => name as DeviceId;

/** How a sample differs from the plain one. */
interface SampleOptions {
  /** Length of the box, characters. */
  readonly characters?: number;
  /** Another value gives another operation at the same place. */
  readonly variant?: string;
}

/** An operation whose box is made of its own place, so that one that got mixed up is seen. */
export function sampleOperation(device: DeviceId, seq: number, of: SampleOptions = {}): SealedOperation {
  const { characters = 60, variant = '' } = of;
  const mark = createHash('sha512')
    .update(JSON.stringify([device, seq, variant]))
    .digest('base64url');
  const box = mark.repeat(Math.ceil(characters / mark.length)).slice(0, characters);
  return { deviceId: device, seq, wallMs: 1_800_000_000_000 + seq, counter: seq % 3, box };
}

/** Operations `first` to `last` of a device. */
export function sampleOperations(
  device: DeviceId,
  [first, last]: readonly [number, number],
  of: SampleOptions = {},
): SealedOperation[] {
  return Array.from({ length: last - first + 1 }, (_, index) => sampleOperation(device, first + index, of));
}

/** A checkpoint up to `frontier` with its parts. */
export function sampleCheckpoint(
  device: DeviceId,
  frontier: Frontier,
  of: { readonly parts?: number; readonly characters?: number; readonly variant?: string } = {},
): { readonly header: CheckpointHeader; readonly parts: readonly string[] } {
  const { parts: partCount = 2, characters = 100, variant = '' } = of;
  const name = canonicalJson([device, { ...frontier }, partCount, variant]);
  const checkpointId = createHash('sha256').update(name).digest('hex');
  const parts = Array.from({ length: partCount }, (_, index) => {
    const mark = createHash('sha512').update(`${name}#${index}`).digest('base64url');
    return mark.repeat(Math.ceil(characters / mark.length)).slice(0, characters);
  });
  return { header: { checkpointId, deviceId: device, frontier, partCount }, parts };
}

/** The value, or a failed test that tells the problem. */
export function must<Value>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The problem's code, or `null` where there is none; a problem has to say something. */
export function codeOf(result: Result<unknown, Problem>): ErrorCode | null {
  if (result.ok) return null;
  expect(result.error.message, 'a problem without a sentence').toMatch(/\S.*\./u);
  return result.error.code;
}

/** Pushes any number of operations, batch by batch; answers the last head. */
export async function pushAll(relay: Relay, operations: readonly SealedOperation[]): Promise<number> {
  let head = 0;
  let batch: SealedOperation[] = [];
  let characters = 0;
  const send = async (): Promise<void> => {
    if (batch.length > 0) head = must(await relay.push(batch)).head;
    batch = [];
    characters = 0;
  };
  for (const operation of operations) {
    const isFull =
      batch.length === RELAY_BATCH_OPERATIONS || characters + operation.box.length > RELAY_BATCH_CHARACTERS;
    if (isFull) await send();
    batch.push(operation);
    characters += operation.box.length;
  }
  await send();
  return head;
}

/** Pulls page by page until there is no more; every page is checked against what the port promises. */
export async function pullAll(
  relay: Relay,
  have: Frontier = {},
): Promise<{ readonly operations: SealedOperation[]; readonly pages: number }> {
  const known = new Map(Object.entries(have));
  const operations: SealedOperation[] = [];
  for (let pages = 1; pages <= 200; pages++) {
    const page = must(await relay.pull(Object.fromEntries(known)));
    checkPage(page.operations, known);
    operations.push(...page.operations);
    if (!page.isMore) return { operations, pages };
    expect(page.operations.length, 'an empty page says that there is more').toBeGreaterThan(0);
  }
  throw new Error('The relay has said 200 times that there is more.');
}

function checkPage(operations: readonly SealedOperation[], known: Map<string, number>): void {
  expect(operations.length).toBeLessThanOrEqual(RELAY_BATCH_OPERATIONS);
  const characters = operations.reduce((sum, operation) => sum + operation.box.length, 0);
  if (operations.length > 1) expect(characters).toBeLessThanOrEqual(RELAY_BATCH_CHARACTERS);
  for (const operation of operations) {
    const next = (known.get(operation.deviceId) ?? 0) + 1;
    if (operation.seq !== next) throw new Error(`${operation.deviceId}: ${operation.seq} came where ${next} was due.`);
    known.set(operation.deviceId, next);
  }
}

/** Operations in an order of their own, to compare what came in any order. */
export function inOrder(operations: readonly SealedOperation[]): SealedOperation[] {
  return operations.toSorted((one, other) => {
    if (one.deviceId !== other.deviceId) return one.deviceId < other.deviceId ? -1 : 1;
    return one.seq - other.seq;
  });
}

/** What the relay holds, said again by contact. */
export async function stateOf(relay: Relay): Promise<RelayState> {
  return must(await relay.contact());
}

/** Every relay collects: some can drop only what their own device put there. */
export async function collectAll(relays: readonly Relay[]): Promise<number> {
  let dropped = 0;
  for (const relay of relays) dropped += must(await relay.collect()).dropped;
  return dropped;
}
