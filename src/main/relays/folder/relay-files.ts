/**
 * The files of a shared folder as one device has them; the simulator brings its own. Whatever rejects does so with the system's
 * error, which has a code such as `ENOSPC`.
 */
export interface RelayFiles {
  /** Plain files, by name, in any order; none where the folder is not there. */
  fileNames(folder: string): Promise<readonly string[]>;
  /** The same for folders. */
  folderNames(folder: string): Promise<readonly string[]>;
  /** `stamp` changes whenever the file does, as far as the file system tells; `null` where it is gone. */
  stampOf(file: string): Promise<FileStamp | null>;
  /** A file's bytes; `null` where it is gone, is no plain file, is longer than `limitBytes` or cannot be read. */
  readBounded(file: string, limitBytes: number): Promise<Buffer | null>;
  /** A file's text; `null` where it is longer than `limitBytes`. Rejects where it is not there. */
  readText(file: string, limitBytes: number): Promise<string | null>;
  isThere(file: string): Promise<boolean>;
  /** Gives a folder a new file, whole from its first moment on this device; nothing is left where that fails. */
  place(file: NewFile): Promise<void>;
  /** One that is not there is removed already. */
  remove(file: string): Promise<void>;
  /** One that is there already stays; so do all above it with `isDeep`, which makes those as well. */
  makeFolder(folder: string, of: { readonly isDeep: boolean }): Promise<void>;
  /** Removes what a crash left half written. `nowMs` is the wall clock that the files' times are in. */
  removeLeftBehind(folder: string, nowMs: number): Promise<void>;
}

export interface FileStamp {
  readonly stamp: string;
  readonly bytes: number;
}

/** A file to be placed. Its name says what is in it: one that is there already is replaced by the same. */
export interface NewFile {
  readonly folder: string;
  readonly name: string;
  readonly content: Buffer;
}
