import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { CoordinatorSecrets } from '../../../shared/contract/coordinator-requests.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { RelayChoice } from '../../../shared/contract/sync-requests.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import { newKeyRing } from '../../relays/seal/key-ring.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { newSpaceSecret, readRecoveryWords, recoveryWordsOf } from '../../relays/seal/space-secret.ts';
import { change, readAll } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { markForNewIdentity } from '../../store/identity.ts';
import { Signal } from '../signal.ts';
import { CondenseAlone } from './condense-alone.ts';
import { Condensing } from './condensing.ts';
import { claimHomes } from './home.ts';
import { JournalPump } from './journal-pump.ts';
import { keyEpochOf, readSharing, writeSharing } from './kept-sharing.ts';
import type { KeptSharing } from './kept-sharing.ts';
import { joinAs } from './roster.ts';
import { rotateWhereLeaked, rotateWithout } from './rotation.ts';
import type { JournalSharingOptions } from './sharing-options.ts';
import { SpaceKeys } from './space-keys.ts';
import type { SyncControl, SyncStatus } from './sync-control.ts';

interface Sharing {
  kept: KeptSharing;
  readonly keys: SpaceKeys;
  /** `null` while the relay could not be opened; then it is tried again. */
  pump: JournalPump | null;
  relayName: string;
  problem: Problem | null;
}

/** How soon a relay that could not be opened is tried again, ms. */
const REOPEN_MS = 5_000;
const OFF = problem('not-offered', 'This device shares its journal with no other.', 'Begin to share, or join.');

/** This device's journal and those of the others: begun, joined, kept going over restarts, and ended by a person. */
export class JournalSharing implements SyncControl {
  readonly #of: JournalSharingOptions;
  readonly changed = new Signal();
  #sharing: Sharing | null = null;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;
  readonly #alone: CondenseAlone;

  constructor(of: JournalSharingOptions) {
    this.#of = of;
    const isShared = (): boolean => this.#sharing !== null || of.isRegisterShared();
    this.#alone = new CondenseAlone({ ...of, ...of.condensing, isShared });
  }

  /** Goes on with what was chosen before. @throws Error where the choice does not read back. */
  async resume(): Promise<Result<null, Problem>> {
    const kept = readSharing(this.#of.store);
    this.#alone.start();
    if (kept === null) return ok(null);
    const keys = await SpaceKeys.open(this.#of.keys, this.#of.device.deviceId);
    if (!keys.ok) return keys;
    return await this.#begin(kept, { keys: keys.value, relay: null });
  }

  status(): SyncStatus | null {
    if (this.#sharing === null) return null;
    const { kept, keys, pump, relayName, problem: trouble } = this.#sharing;
    const status = pump?.status() ?? { syncedAtMs: null, problem: trouble, pushedSeq: 0, relay: null, catchUp: null };
    const { choice, spaceId } = kept;
    const hasWords = keys.ring.secret !== null;
    return { ...status, choice, relayName, spaceId, hasWords, isCatchingUp: this.isCatchingUp() };
  }

  isCatchingUp(): boolean {
    return this.#sharing?.pump?.isCatchingUp() ?? false;
  }

  async create(relay: RelayChoice, secrets: CoordinatorSecrets): Promise<Result<readonly string[], Problem>> {
    const secret = newSpaceSecret();
    const begun = await this.#choose(relay, { secrets, ring: newKeyRing(secret) });
    return begun.ok ? ok(recoveryWordsOf(secret)) : begun;
  }

  async join(
    relay: RelayChoice,
    of: { readonly words: string; readonly secrets: CoordinatorSecrets },
  ): Promise<Result<null, Problem>> {
    const secret = readRecoveryWords(of.words);
    if (!secret.ok) return secret;
    return await this.#choose(relay, { secrets: of.secrets, ring: newKeyRing(secret.value) });
  }

  async #choose(
    choice: RelayChoice,
    of: { readonly secrets: CoordinatorSecrets; readonly ring: KeyRing },
  ): Promise<Result<null, Problem>> {
    if (this.#sharing !== null) {
      const message = 'This device shares its journal already.';
      return err(problem('changed', message, 'Stop sharing first.'));
    }
    const withSecrets = await this.#of.keepSecrets(choice, of.secrets);
    if (!withSecrets.ok) return withSecrets;
    const { spaceId } = of.ring;
    const relay = await this.#of.open({ choice, spaceId, isNew: true });
    if (!relay.ok) return relay;
    // A place that does not answer is told at once, before anything is kept.
    const contact = await relay.value.contact();
    const keys = contact.ok ? await SpaceKeys.open(this.#of.keys, this.#of.device.deviceId, of.ring) : contact;
    if (!keys.ok) {
      await relay.value.close();
      return keys;
    }
    const kept: KeptSharing = { choice, spaceId, sealedWith: [] };
    const written = await writeSharing(this.#of.store, kept);
    if (!written.ok) return written;
    return await this.#begin(kept, { keys: keys.value, relay: relay.value });
  }

  async #begin(
    kept: KeptSharing,
    of: { readonly keys: SpaceKeys; readonly relay: Relay | null },
  ): Promise<Result<null, Problem>> {
    const { store, device, version } = this.#of;
    const { keys, relay } = of;
    this.#sharing = { kept, keys, pump: null, relayName: relay?.name ?? '', problem: null };
    const goesOn = await this.#acceptKnownKeys(this.#sharing);
    if (!goesOn.ok) return goesOn;
    const { publicKey } = keys.signer;
    const joined = await store.write((connection) => {
      joinAs(connection, { name: device.name, version, publicKey, wrapPublicKey: keys.wrapPublicKey });
      claimHomes(connection, this.#of.identity());
    });
    if (!joined.ok) return joined;
    if (relay === null) await this.#reopen();
    else this.#startPump(relay);
    this.changed.tell();
    return ok(null);
  }

  async #reopen(): Promise<void> {
    const sharing = this.#sharing;
    if (sharing === null || sharing.pump !== null || this.#isClosed) return;
    const { choice, spaceId } = sharing.kept;
    const relay = await this.#of.open({ choice, spaceId, isNew: false });
    if (this.#sharing !== sharing || this.#isClosed) {
      if (relay.ok) await relay.value.close();
      return;
    }
    if (relay.ok) return this.#startPump(relay.value);
    sharing.problem = relay.error;
    this.changed.tell();
    this.#cancelTimer = this.#of.timers.after(REOPEN_MS, () => void this.#reopen());
  }

  #startPump(relay: Relay): void {
    const sharing = this.#sharing;
    if (sharing === null) return;
    const { store, timers, wallMs, pushed, log } = this.#of;
    const { keys } = sharing;
    sharing.relayName = relay.name;
    sharing.problem = null;
    const acceptKeys = (payload: string) => this.#acceptKeys(payload);
    const space = { relay, ring: () => keys.ring, signer: keys.signer, acceptKeys };
    const holdRing = (ring: KeyRing) => this.#holdRing(ring);
    sharing.pump = new JournalPump({
      ...space,
      store,
      timers,
      wallMs,
      pushed,
      log,
      keyEpochOf: (seq) => keyEpochOf(sharing.kept, seq),
      condensing: new Condensing({ store, log, ...this.#of.condensing }, { ...space, holdRing }),
    });
    sharing.pump.changed.on(() => this.changed.tell());
    sharing.pump.start();
  }

  words(): Result<{ readonly words: readonly string[]; readonly spaceId: string }, Problem> {
    const secret = this.#sharing?.keys.ring.secret ?? null;
    if (this.#sharing === null || secret === null) {
      const message = 'This device does not keep the recovery words any more.';
      return err(problem('not-found', message, 'They are on the sheet that was printed.'));
    }
    return ok({ words: recoveryWordsOf(secret), spaceId: this.#sharing.kept.spaceId });
  }

  async forgetWords(): Promise<Result<null, Problem>> {
    if (this.#sharing === null) return err(OFF);
    const forgotten = await this.#sharing.keys.forgetWords();
    this.changed.tell();
    return forgotten;
  }

  async leave(): Promise<Result<null, Problem>> {
    const sharing = this.#sharing;
    if (sharing === null) return ok(null);
    const written = await writeSharing(this.#of.store, null);
    if (!written.ok) return written;
    this.#sharing = null;
    this.#cancelTimer();
    await sharing.pump?.close();
    this.changed.tell();
    return ok(null);
  }

  async now(): Promise<Result<null, Problem>> {
    const sharing = this.#sharing;
    if (sharing === null) return err(OFF);
    await this.#reopen();
    return sharing.pump === null ? err(sharing.problem ?? OFF) : await sharing.pump.passNow();
  }

  /** No entry of it is taken in any more, and the others get a key that it does not have. */
  async letGo(deviceId: DeviceId, by: string): Promise<Result<null, Problem>> {
    const sharing = this.#sharing;
    if (sharing === null) return err(OFF);
    const rotated = await rotateWithout(this.#of.store, sharing, { deviceId, by });
    return rotated.ok ? ((await sharing.pump?.letGo(deviceId)) ?? ok(null)) : rotated;
  }

  async tryAgain(deviceId: DeviceId): Promise<Result<null, Problem>> {
    const lifted = await this.#of.store.write(({ db }) => {
      change(db, 'DELETE FROM quarantines WHERE device_id = ?', deviceId);
    });
    if (!lifted.ok) return lifted;
    const pump = this.#sharing?.pump ?? null;
    return pump === null ? await this.now() : await pump.tryAgain();
  }

  /** A person said so. Nothing changes before the next start: a device ends as the one it began as. */
  async newIdentity(by: string): Promise<Result<null, Problem>> {
    const marked = await this.#of.store.write(({ db }) => markForNewIdentity(db, { reason: 'asked', by }));
    return marked.ok ? ok(null) : marked;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#alone.close();
    this.#cancelTimer();
    await this.#sharing?.pump?.close();
  }

  /** What was folded before a stop may not have been kept yet. Taking a key twice changes nothing. */
  async #acceptKnownKeys(sharing: Sharing): Promise<Result<null, Problem>> {
    const connection = this.#of.store.connection();
    const sql = `SELECT payload FROM ops WHERE kind = 'sync.keys-rotated' ORDER BY seq`;
    const told = connection === null ? [] : readAll<{ payload: string }>(connection.db, sql);
    for (const { payload } of told) await sharing.keys.accept(payload);
    return connection === null ? ok(null) : await this.#sealFromNowOn(sharing, connection);
  }

  async #acceptKeys(payload: string): Promise<Result<null, Problem>> {
    const sharing = this.#sharing;
    const connection = this.#of.store.connection();
    if (sharing === null || connection === null) return err(OFF);
    const accepted = await sharing.keys.accept(payload);
    return accepted.ok ? await this.#sealFromNowOn(sharing, connection) : accepted;
  }

  /** Keys that came all at once, with what began from them. */
  async #holdRing(ring: KeyRing): Promise<Result<null, Problem>> {
    const sharing = this.#sharing;
    const connection = this.#of.store.connection();
    if (sharing === null || connection === null) return err(OFF);
    const held = await sharing.keys.hold(ring);
    return held.ok ? await this.#sealFromNowOn(sharing, connection) : held;
  }

  /** What this device writes next is sealed with its newest key, and that one is for those alone that are left. */
  async #sealFromNowOn(sharing: Sharing, { journal }: Connection): Promise<Result<null, Problem>> {
    const epoch = sharing.keys.ring.currentEpoch;
    if (epoch > (sharing.kept.sealedWith.at(-1)?.[1] ?? 1)) {
      const next: KeptSharing['sealedWith'][number] = [journal.head.journalSeq + 1, epoch];
      const kept: KeptSharing = { ...sharing.kept, sealedWith: [...sharing.kept.sealedWith, next] };
      const written = await writeSharing(this.#of.store, kept);
      if (!written.ok) return written;
      sharing.kept = kept;
    }
    return epoch === 1 ? ok(null) : await rotateWhereLeaked(this.#of.store, sharing);
  }
}
