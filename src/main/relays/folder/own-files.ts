import path from 'node:path';
import { systemCodeOf } from './folder-failures.ts';
import type { RecordFile } from './record-file.ts';
import type { RelayFiles } from './relay-files.ts';

/** The one folder in which a device writes. */
export class OwnFiles {
  readonly #folder: string;
  readonly #files: RelayFiles;
  #isMade = false;

  constructor(folder: string, files: RelayFiles) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Adds a file. Rejects with the system's error; nothing is half visible then. */
  async place(file: RecordFile & { readonly name: string }): Promise<void> {
    const write = { folder: this.#folder, name: `${file.name}.fencepost`, content: file.content };
    if (!this.#isMade) await this.#make();
    try {
      await this.#files.place(write);
    } catch (cause) {
      if (systemCodeOf(cause) !== 'ENOENT') throw cause;
      // The folder is gone: somebody removed it, and what it held is pushed again.
      await this.#make();
      await this.#files.place(write);
    }
  }

  /** Removes files that are no longer needed. One that another program holds open stays until the next time. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      try {
        await this.#files.remove(path.join(this.#folder, name));
      } catch (cause) {
        if (systemCodeOf(cause) === null) throw cause;
      }
    }
  }

  /** Removes what a crash left half written. */
  async tidy(nowMs: number): Promise<void> {
    try {
      await this.#files.removeLeftBehind(this.#folder, nowMs);
    } catch (cause) {
      if (systemCodeOf(cause) !== 'ENOENT') throw cause;
    }
  }

  /** Never the shared folder itself: if that is gone, it is not made anew. */
  async #make(): Promise<void> {
    for (const folder of [path.dirname(this.#folder), this.#folder])
      await this.#files.makeFolder(folder, { isDeep: false });
    this.#isMade = true;
  }
}
