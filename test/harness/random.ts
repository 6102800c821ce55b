/** Everything random in a search comes from here, so that a seed is the whole of it (sfc32, seeded by splitmix32). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** `stream` keeps independent parts of one search from disturbing each other's numbers. */
  constructor(seed: number, stream: string) {
    let state = seed >>> 0;
    for (const letter of stream) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0;
    const mix = (): number => {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    this.#a = mix();
    this.#b = mix();
    this.#c = mix();
    for (let warmUp = 0; warmUp < 12; warmUp += 1) this.next();
  }

  /** A number from 0 up to, not including, 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum / 4_294_967_296;
  }

  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** Mostly small, now and then many times the mean, as delays are. */
  heavyTail(mean: number): number {
    const base = -Math.log(1 - this.next()) * mean;
    return this.chance(0.02) ? base * this.between(10, 200) : base;
  }

  /** A new id in the shape of a UUID. */
  id(): string {
    const part = (): string =>
      Math.floor(this.next() * 65_536)
        .toString(16)
        .padStart(4, '0');
    return `${part()}${part()}-${part()}-4${part().slice(1)}-8${part().slice(1)}-${part()}${part()}${part()}`;
  }

  /** A new order of the same things. */
  shuffled<Thing>(things: readonly Thing[]): Thing[] {
    return things
      .map((thing) => ({ thing, place: this.next() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ thing }) => thing);
  }
}
