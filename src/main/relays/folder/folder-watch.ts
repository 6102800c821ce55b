import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DEVICE_LIMIT } from './relay-records.ts';

/** Changes within so short a time are told once, ms. */
const SETTLE_MS = 150;

/**
 * Tells that something has changed in the folders of other devices. It is a hint and may stay silent for ever, as on many
 * network drives: whoever listens also asks from time to time.
 */
export class FolderWatch {
  readonly #folder: string;
  readonly #ownFolder: string;
  readonly #listeners = new Set<{ readonly tell: () => void }>();
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | null = null;

  constructor(folder: string, ownFolder: string) {
    this.#folder = folder;
    this.#ownFolder = ownFolder;
  }

  /** Ends with the call of the answer. The first thing told is that it begins: what came before may have been missed. */
  listen(tell: () => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    this.#changed();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** The first change starts the wait, and later ones do not lengthen it. */
  #changed(): void {
    if (this.#listeners.size === 0 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      // Never rejects: what cannot be watched is asked for.
      void this.#follow();
      for (const listener of this.#listeners) listener.tell();
    }, SETTLE_MS);
    this.#timer.unref();
  }

  /** One watch for each folder, because a watch of everything below is one for each file on some systems. */
  async #follow(): Promise<void> {
    this.#watchFolder(this.#folder);
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch(() => []);
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(this.#folder, entry.name));
    for (const folder of folders.slice(0, DEVICE_LIMIT)) if (folder !== this.#ownFolder) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    if (this.#listeners.size === 0 || this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#changed());
      watcher.on('error', () => this.#unwatch(folder));
      watcher.on('close', () => this.#watchers.delete(folder));
      this.#watchers.set(folder, watcher);
      // Something may have come before the watch stood.
      this.#changed();
    } catch {
      // No such folder yet, or no watches left: it is asked for.
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
