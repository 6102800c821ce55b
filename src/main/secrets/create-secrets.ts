import type { Problem } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { SecretCipher } from './secret-cipher.ts';
import { readSecretFile, writeSecretFile } from './secret-file.ts';
import type { SecretEntry } from './secret-file.ts';
import { fromOutsideProblem, KeychainRefusal, protectionOf, unkeptProblem, valueFlaw } from './secret-words.ts';
import type { SecretProtection, SecretStore, WithoutKeychain } from './secret-store.ts';

/** What a store of secrets is made of. */
export interface SecretsOptions {
  /** `secrets.json` in the profile folder, which exists already. */
  readonly file: string;
  /** `null` where the device has none, or none that encrypts. */
  readonly keychain: SecretCipher | null;
  /** What a person chose for devices without a keychain. */
  readonly withoutKeychain: WithoutKeychain;
  /** Secrets that came with the environment of the process; they win, and are changed there. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
}

/** A store whose way of keeping values can be chosen. */
export interface ChoosableSecrets extends SecretStore {
  /** Changes where values go without a keychain, and moves those that are there. */
  choose(withoutKeychain: WithoutKeychain): Promise<Result<null, Problem>>;
  /** Whether it came with the environment, where alone it can be changed. */
  isFromEnvironment(name: string): boolean;
}

/** A store as the doors get it: everything but the values. */
export type NamedSecrets = Omit<ChoosableSecrets, 'read'>;

/**
 * Secrets of one profile: from the environment, then from memory, then from the file. The file holds sealed values where
 * there is a keychain, and plain ones only after a person chose that. The file is read each time, so that what it holds
 * is in memory no longer than a call.
 */
export function createSecrets(options: SecretsOptions): ChoosableSecrets {
  return new ProfileSecrets(options);
}

class ProfileSecrets implements ChoosableSecrets {
  readonly #file: string;
  readonly #keychain: SecretCipher | null;
  readonly #fromEnvironment: ReadonlyMap<string, string>;
  readonly #memory = new Map<string, string>();
  #withoutKeychain: WithoutKeychain;
  /** The last change of the file; the next one waits for it, so that none is lost. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SecretsOptions) {
    this.#file = options.file;
    this.#keychain = options.keychain;
    this.#fromEnvironment = options.fromEnvironment;
    this.#withoutKeychain = options.withoutKeychain;
  }

  async read(name: string): Promise<string | null> {
    const known = this.#fromEnvironment.get(name) ?? this.#memory.get(name);
    if (known !== undefined) return known;
    const entry = (await readSecretFile(this.#file)).get(name);
    return entry === undefined ? null : await this.#open(name, entry);
  }

  async names(): Promise<readonly string[]> {
    const onDisk = await readSecretFile(this.#file);
    return [...new Set([...this.#fromEnvironment.keys(), ...this.#memory.keys(), ...onDisk.keys()])].toSorted();
  }

  async write(name: string, value: string): Promise<Result<null, Problem>> {
    const flaw = this.#fromEnvironment.has(name) ? fromOutsideProblem(name) : valueFlaw(name, value);
    if (flaw !== null) return err(flaw);
    if (this.#isSession()) {
      this.#memory.set(name, value);
      return ok(null);
    }
    return await attempt(async () => {
      await this.#change(async (entries) => {
        entries.set(name, plainEntry(value));
        await this.#sealAll(entries);
      });
      this.#memory.delete(name);
    });
  }

  async remove(name: string): Promise<Result<null, Problem>> {
    if (this.#fromEnvironment.has(name)) return err(fromOutsideProblem(name));
    return await attempt(async () => {
      if ((await readSecretFile(this.#file)).has(name)) await this.#change((entries) => void entries.delete(name));
      this.#memory.delete(name);
    });
  }

  isFromEnvironment(name: string): boolean {
    return this.#fromEnvironment.has(name);
  }

  protection(): SecretProtection {
    return protectionOf(this.#keychain, this.#withoutKeychain);
  }

  async choose(next: WithoutKeychain): Promise<Result<null, Problem>> {
    return await attempt(async () => {
      if (this.#keychain === null && next === 'plain-file' && this.#memory.size > 0) {
        const moving = new Map(this.#memory);
        await this.#change((entries) => moving.forEach((value, name) => void entries.set(name, plainEntry(value))));
        for (const [name, value] of moving) if (this.#memory.get(name) === value) this.#memory.delete(name);
      }
      if (this.#keychain === null && next === 'session') await this.#takeOffDisk();
      this.#withoutKeychain = next;
    });
  }

  #isSession(): boolean {
    return this.#keychain === null && this.#withoutKeychain === 'session';
  }

  /** Moves what stands in the open from the file into memory. */
  async #takeOffDisk(): Promise<void> {
    const onDisk = await readSecretFile(this.#file);
    if (![...onDisk.values()].some((entry) => entry.kept === 'plain')) return;
    const moved = new Map<string, string>();
    await this.#change((entries) => {
      for (const [name, entry] of entries) if (entry.kept === 'plain') moved.set(name, plainValue(entry));
      for (const name of moved.keys()) entries.delete(name);
    });
    for (const [name, value] of moved) this.#memory.set(name, value);
  }

  async #open(name: string, entry: SecretEntry): Promise<string> {
    if (entry.kept === 'plain') {
      if (this.#isSession()) throw new Error('It stands in a file, and nobody chose that.');
      return plainValue(entry);
    }
    if (this.#keychain === null) throw new Error('The keychain that sealed it is not there.');
    const { value, isStale } = await this.#keychain.decrypt(Buffer.from(entry.value, 'base64'));
    // The old seal still opens, so a failure to renew it costs nothing now, and the next look tries again.
    if (isStale) await this.#renewSeal(name, entry, value).catch(() => {});
    return value;
  }

  async #renewSeal(name: string, before: SecretEntry, value: string): Promise<void> {
    await this.#change(async (entries) => {
      if (entries.get(name)?.value !== before.value) return;
      entries.set(name, plainEntry(value));
      await this.#sealAll(entries);
    });
  }

  /** Seals whatever stands in the open, where there is a keychain; what was kept before there was one included. */
  async #sealAll(entries: Map<string, SecretEntry>): Promise<void> {
    if (this.#keychain === null) return;
    for (const [name, entry] of entries) {
      if (entry.kept === 'plain') entries.set(name, await sealedEntry(this.#keychain, plainValue(entry)));
    }
  }

  async #change(edit: (entries: Map<string, SecretEntry>) => void | Promise<void>): Promise<void> {
    const turn = this.#last.then(async () => {
      const entries = new Map<string, SecretEntry>(await readSecretFile(this.#file));
      await edit(entries);
      await writeSecretFile(this.#file, entries);
    });
    // A change that failed has been reported to whoever asked for it, and holds up nobody else.
    this.#last = turn.catch(() => {});
    await turn;
  }
}

function plainEntry(value: string): SecretEntry {
  return { kept: 'plain', value: Buffer.from(value, 'utf8').toString('base64') };
}

function plainValue(entry: SecretEntry): string {
  return Buffer.from(entry.value, 'base64').toString('utf8');
}

async function sealedEntry(keychain: SecretCipher, value: string): Promise<SecretEntry> {
  try {
    return { kept: 'keychain', value: (await keychain.encrypt(value)).toString('base64') };
  } catch {
    // What a keychain says may quote what it was given.
    throw new KeychainRefusal();
  }
}

async function attempt(act: () => Promise<void>): Promise<Result<null, Problem>> {
  try {
    await act();
    return ok(null);
  } catch (cause) {
    return err(unkeptProblem(cause));
  }
}
