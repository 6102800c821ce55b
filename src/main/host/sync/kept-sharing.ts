import { z } from 'zod';
import { relayChoiceSchema } from '../../../shared/contract/sync-requests.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Connection } from '../../store/connection.ts';
import { readProfile, writeProfile } from '../../store/profile-values.ts';
import type { Store } from '../../store/store.ts';

/** Under which name the profile keeps it. */
export const SHARING_KEY = 'sync';

const keptSchema = z.strictObject({
  choice: relayChoiceSchema,
  spaceId: z.string().length(64),
  /** From which entry of this device on which key seals: `[entry, epoch]`, rising. The first key seals what comes before. */
  sealedWith: z.array(z.tuple([z.int().min(1), z.int().min(1)])),
});

/** What this profile shares its journal through. */
export type KeptSharing = z.infer<typeof keptSchema>;

/**
 * What was chosen; `null` where nothing is shared.
 * @throws Error when it does not read back: a journal must not be handed over to a place that nobody chose.
 */
export function readSharing(store: Store): KeptSharing | null {
  const db = store.connection()?.db;
  const text = db === undefined ? null : readProfile(db, SHARING_KEY);
  return text === null ? null : keptSchema.parse(JSON.parse(text));
}

/** Keeps a choice; `null` shares nothing from now on. */
export function writeSharing(store: Store, kept: KeptSharing | null): Promise<Result<void, Problem>> {
  return store.write(({ db }) => writeSharingIn(db, kept));
}

/** The same inside a write of the store. */
export function writeSharingIn(db: Connection['db'], kept: KeptSharing | null): void {
  writeProfile(db, SHARING_KEY, kept === null ? null : JSON.stringify(kept));
}

/** The epoch of the key that an entry of this device is sealed with, however late it is handed over. */
export function keyEpochOf({ sealedWith }: Pick<KeptSharing, 'sealedWith'>, seq: number): number {
  return sealedWith.findLast(([from]) => seq >= from)?.[1] ?? 1;
}
