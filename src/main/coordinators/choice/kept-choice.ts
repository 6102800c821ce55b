import { z } from 'zod';
import { coordinatorChoiceSchema } from '../../../shared/contract/coordinator-requests.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { readProfile, writeProfile } from '../../store/profile-values.ts';
import type { Store } from '../../store/store.ts';

const CHOICE_KEY = 'coordinator';
const MOVE_KEY = 'coordinator-move';
/** Set with the first register that other devices can reach, and never taken back. */
const SHARED_KEY = 'coordinator-shared';

const identitySchema = z.strictObject({ coordinatorId: z.string().min(1), incarnation: z.string().min(1) });
const keptSchema = z.strictObject({
  choice: coordinatorChoiceSchema,
  name: z.string(),
  /** `null` for the embedded one, which is in the same file as this. */
  identity: identitySchema.nullable(),
});
const moveSchema = z.strictObject({ choice: coordinatorChoiceSchema, by: z.string() });

/** Where the right to act is kept, and as which register it was chosen. */
export type KeptChoice = z.infer<typeof keptSchema>;
/** A move that was begun and not yet finished. */
export type KeptMove = z.infer<typeof moveSchema>;

export const EMBEDDED: KeptChoice = { choice: { kind: 'embedded' }, name: 'This device', identity: null };

/**
 * What a profile has chosen; the embedded register where it has not.
 * @throws Error when it does not read back: then nothing may be assumed about where the right to act is kept.
 */
export function readChoice(store: Store): KeptChoice {
  return readKept(store, CHOICE_KEY, keptSchema) ?? EMBEDDED;
}

/**
 * Whether other devices can reach the register that was chosen, or could reach one that was chosen before.
 * @throws Error like `readChoice`.
 */
export function isRegisterShared(store: Store): boolean {
  return readChoice(store).choice.kind !== 'embedded' || readKept(store, SHARED_KEY, z.literal(true)) !== null;
}

/**
 * The move that a crash or a restart has left unfinished; `null` if there is none.
 * @throws Error like `readChoice`.
 */
export function readMove(store: Store): KeptMove | null {
  return readKept(store, MOVE_KEY, moveSchema);
}

/** Begins a move, or with `null` leaves it off. */
export function writeMove(store: Store, move: KeptMove | null): Promise<Result<void, Problem>> {
  return store.write(({ db }) => writeProfile(db, MOVE_KEY, move === null ? null : JSON.stringify(move)));
}

/** The move is over: both change together. */
export function writeChoice(store: Store, kept: KeptChoice): Promise<Result<void, Problem>> {
  return store.write(({ db }) => {
    writeProfile(db, CHOICE_KEY, JSON.stringify(kept));
    if (kept.choice.kind !== 'embedded') writeProfile(db, SHARED_KEY, 'true');
    writeProfile(db, MOVE_KEY, null);
  });
}

function readKept<Kept>(store: Store, key: string, schema: z.ZodType<Kept>): Kept | null {
  const db = store.connection()?.db;
  if (db === undefined) throw new Error('The record is not open.');
  const text = readProfile(db, key);
  return text === null ? null : schema.parse(JSON.parse(text));
}

const HUB_KEY = 'hub-here';
const PAIRED_KEY = 'paired-hub';
const NAMES_KEY = 'device-names';
const ETCD_MARK_KEY = 'etcd-mark';

const hubSchema = z.strictObject({ port: z.int().min(0).max(65_535) });
const pairedSchema = z.strictObject({
  addresses: z.array(z.string()).readonly(),
  port: z.int(),
  certificatePem: z.string(),
  name: z.string(),
  coordinator: identitySchema,
});
const namesSchema = z.record(z.string(), z.string());
const markSchema = z.strictObject({ clusterId: z.string(), revision: z.number() });

/** Small things that a profile remembers about coordinators, none of them secret. Reading throws like `readChoice`. */
export function coordinatorMemory(store: Store) {
  return {
    /** The hub of this device is to run, and on which port; `null`: it is not. */
    hub: memory(store, HUB_KEY, hubSchema),
    /** The hub that this device is paired with. */
    paired: memory(store, PAIRED_KEY, pairedSchema),
    /** What other devices are called. */
    names: memory(store, NAMES_KEY, namesSchema),
    /** How far etcd had come when it was last seen: less means that it was restored. */
    etcdMark: memory(store, ETCD_MARK_KEY, markSchema),
  };
}

export type CoordinatorMemory = ReturnType<typeof coordinatorMemory>;

function memory<Kept>(store: Store, key: string, schema: z.ZodType<Kept>) {
  return {
    read: (): Kept | null => readKept(store, key, schema),
    write: (kept: Kept | null): Promise<Result<void, Problem>> =>
      store.write(({ db }) => writeProfile(db, key, kept === null ? null : JSON.stringify(kept))),
  };
}
