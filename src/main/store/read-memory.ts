import type { Connection } from './connection.ts';

/**
 * What was read of the record, kept until something is written. Every change of a projection goes with an entry of the
 * journal, so an answer holds for as long as the journal stands where it stood: a host that looks around twice a second for
 * hours, because a run waits for a person, reads once. Not for use inside a write, whose entries may be taken back.
 */
export class ReadMemory {
  #head: object | null = null;
  readonly #kept = new Map<string, unknown>();

  /** What `read` found. `name` tells apart what is kept here: the question with all that it was asked about. */
  recall<Value>({ db, journal }: Connection, name: string, read: (db: Connection['db']) => Value): Value {
    // A head is a new object after each entry and each opening, and the old one again only when entries were taken back.
    if (this.#head !== journal.head) this.#kept.clear();
    this.#head = journal.head;
    if (!this.#kept.has(name)) this.#kept.set(name, read(db));
    return this.#kept.get(name) as Value;
  }
}
