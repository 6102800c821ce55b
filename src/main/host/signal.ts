/** Says that something is otherwise, without saying what: whoever listens looks again. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  /** The answer ends it. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
