import { basename, dirname, join } from 'node:path';
import type { NewFile, RelayFiles } from '../../src/main/relays/folder/relay-files.ts';
import type { EventQueue, Owner } from './event-queue.ts';

/** Told of what the product does to its files, so that it is carried to the other machines. */
export interface FileWatch {
  placed(file: string): void;
  removed(file: string): void;
}

/** The files of a shared folder on one simulated machine. They outlive the processes. */
export class MemoryFiles {
  /** The drive is not plugged in. */
  isGone = false;
  isFull = false;
  readonly #files = new Map<string, { readonly content: Buffer; readonly stamp: number }>();
  readonly #folders = new Set<string>();
  #stamp = 0;

  write(file: string, content: Buffer): void {
    this.#stamp += 1;
    this.#files.set(file, { content, stamp: this.#stamp });
    this.#makeFolder(dirname(file));
  }

  #makeFolder(path: string): void {
    for (let folder = path; !this.#folders.has(folder); folder = dirname(folder)) this.#folders.add(folder);
  }

  read(file: string): Buffer | null {
    return this.#files.get(file)?.content ?? null;
  }

  remove(file: string): void {
    this.#files.delete(file);
  }

  names(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** As one process has them. To write takes time, and whoever dies meanwhile has written nothing. */
  seenBy(owner: Owner, of: { readonly queue: EventQueue; readonly watch: FileWatch; writeMs(): number }): RelayFiles {
    const here = <Value>(act: () => Value): Promise<Value> =>
      this.isGone ? Promise.reject(systemError('ENOENT')) : Promise.resolve().then(act);
    const later = (act: () => void): Promise<void> =>
      new Promise((resolve, reject) => {
        of.queue.after(of.writeMs(), owner, () => void here(act).then(resolve, reject));
      });
    return {
      fileNames: (folder) => here(() => namesIn(folder, this.#files.keys())),
      folderNames: (folder) => here(() => namesIn(folder, this.#folders)),
      stampOf: (file) =>
        here(() => {
          const found = this.#files.get(file);
          return found === undefined ? null : { stamp: String(found.stamp), bytes: found.content.length };
        }),
      readBounded: (file) => here(() => this.read(file)),
      readText: (file) =>
        here(() => {
          const content = this.read(file);
          if (content === null) throw systemError('ENOENT');
          return content.toString('utf8');
        }),
      isThere: (file) => here(() => this.#files.has(file)),
      place: ({ folder, name, content }: NewFile) =>
        later(() => {
          if (!this.#folders.has(folder)) throw systemError('ENOENT');
          if (this.isFull) throw systemError('ENOSPC');
          const file = join(folder, name);
          this.write(file, content);
          of.watch.placed(file);
        }),
      remove: (file) =>
        later(() => {
          this.remove(file);
          of.watch.removed(file);
        }),
      makeFolder: (folder) => here(() => this.#makeFolder(folder)),
      removeLeftBehind: () => Promise.resolve(),
    };
  }
}

function namesIn(folder: string, paths: Iterable<string>): readonly string[] {
  return [...paths].filter((path) => path !== folder && dirname(path) === folder).map((path) => basename(path));
}

/** An error as the file system gives it. */
function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: a simulated failure`), { code });
}
