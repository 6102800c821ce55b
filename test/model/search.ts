import { encodeDevice, encodeNet, encodeRegister, encodeWorld } from './encode.ts';
import { expand, NOBODY } from './expand.ts';
import { brokenAt } from './judge.ts';
import { DEVICE_NAMES } from './names.ts';
import type { Rules } from './rules.ts';
import { firstState } from './state.ts';
import type { Scenario, State } from './state.ts';
import { settingOf } from './time.ts';
import type { Setting } from './time.ts';

// What counts as one state. A search is as long as the number of names that `encode.ts` can give, so everything that no rule
// can tell apart has one name:
// - Devices that nobody has touched are interchangeable: the first of them stands for all (`expand`). They begin alike, and
//   the rules only ever ask whether two names of devices are equal. Once touched, a device is itself.
// - There is no clock in a state, only how long ago something was, and an age stops growing where the last rule that reads it
//   has the answer it will keep (`time.ts`). So what happens later is the same as what happens now.
// - A nonce is the smallest name that is not about any more (`freeNonce`): the register only compares those that are.
// - What is on the wire is a set: equal questions are one (`post`), as the register would decide them alike; whether one comes
//   twice is the fault `duplicate`. Sends and approvals are kept in the order of their names: the judges only count them.
// - Left out of names is what is the same in every state (the term, digests, operation ids); where the register shares the
//   store, its frontier, as there is only one journal; and the entries of a frontier at 0. The register notes 0 for everybody
//   who ever held the agent: nothing has to be folded for that, and no rule in the model asks who ever held it.
// - A flight is called back only while that can change what it does: not before its announce, where it begins anew with
//   another signal, and not after its send.
// Two things are not reductions but bounds: the number of faults of each kind, and the `direct` network, in which nothing else
// happens between a question and its answer; the `slow` worlds look at what does.

/** What a search came to. */
export interface Found {
  readonly states: number;
  readonly transitions: number;
  /** Every state this many steps from the start was seen, with everything that can follow it. */
  readonly depth: number;
  /** Whether every reachable state was seen, rather than the nearest ones. */
  readonly isWhole: boolean;
  readonly broken: { readonly invariant: string; readonly steps: readonly string[] } | null;
}

/** Equal parts of states are kept once, under a number. */
class Parts<Part> {
  readonly #byText = new Map<string, number>();
  readonly #byPart = new Map<Part, number>();
  readonly #parts: Part[] = [];
  readonly #encode: (part: Part) => string;

  constructor(encode: (part: Part) => string) {
    this.#encode = encode;
  }

  number(part: Part): number {
    const same = this.#byPart.get(part);
    if (same !== undefined) return same;
    const text = this.#encode(part);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const next = this.#parts.length;
    this.#byText.set(text, next);
    this.#byPart.set(part, next);
    this.#parts.push(part);
    return next;
  }

  at(number: number): Part {
    const part = this.#parts[number];
    if (part === undefined) throw new Error('There is no such part.');
    return part;
  }
}

/** Packs states into short texts: two code units for each part. */
class Packing {
  readonly #devices = new Parts(encodeDevice);
  readonly #registers = new Parts(encodeRegister);
  readonly #nets = new Parts(encodeNet);
  readonly #worlds = new Parts(encodeWorld);

  pack(state: State): string {
    let text = two(this.#registers.number(state.register)) + two(this.#nets.number(state.net));
    text += two(this.#worlds.number(state.world));
    for (const device of state.devices) text += two(this.#devices.number(device));
    return text;
  }

  unpack(text: string): State {
    const devices = [];
    for (let at = 6; at < text.length; at += 2) devices.push(this.#devices.at(numberIn(text, at)));
    return {
      register: this.#registers.at(numberIn(text, 0)),
      net: this.#nets.at(numberIn(text, 2)),
      world: this.#worlds.at(numberIn(text, 4)),
      devices,
    };
  }
}

function two(value: number): string {
  return String.fromCharCode(value & 0xff_ff, value >>> 16);
}

function numberIn(text: string, at: number): number {
  return text.charCodeAt(at) + text.charCodeAt(at + 1) * 0x1_00_00;
}

/**
 * Looks at every state that can be reached, nearest first, so that the first broken invariant comes with a shortest way to
 * it. `invariant`: only one whose text begins like this counts, for worlds in which a layer is missing on purpose.
 */
export function search(scenario: Scenario, rules: Rules, invariant = ''): Found {
  const setting = settingOf(scenario, rules);
  const packing = new Packing();
  const first = packing.pack(firstState(scenario));
  const seen = new Set([first]);
  const order = [first];
  const parents: number[] = [NOBODY];
  let transitions = 0;
  const broken: Array<NonNullable<Found['broken']>> = [];
  let layerEnd = 1;
  let depth = 0;
  let at = 0;
  for (; at < order.length && broken.length === 0 && order.length < scenario.limit; at += 1) {
    if (at === layerEnd) {
      depth += 1;
      layerEnd = order.length;
    }
    const from = at;
    expand(setting, packing.unpack(order[from] ?? ''), (_, __, next, fault) => {
      transitions += 1;
      const text = packing.pack(next);
      const isNew = !seen.has(text);
      const found = fault ?? (isNew ? brokenAt(setting, next) : null);
      if (found?.startsWith(invariant) === true && broken.length === 0) {
        broken.push({ invariant: found, steps: wayTo(setting, packing, { order, parents, from, last: text }) });
      }
      if (!isNew) return;
      seen.add(text);
      order.push(text);
      parents.push(from);
    });
  }
  return { states: order.length, transitions, depth, isWhole: at === order.length, broken: broken[0] ?? null };
}

interface Way {
  readonly order: readonly string[];
  readonly parents: readonly number[];
  readonly from: number;
  readonly last: string;
}

/** Only who came from whom was kept; which step it was is found again. */
function wayTo(setting: Setting, packing: Packing, { order, parents, from, last }: Way): string[] {
  const texts = [last];
  for (let at = from; at !== NOBODY; at = parents[at] ?? NOBODY) texts.push(order[at] ?? '');
  texts.reverse();
  return texts.slice(1).map((text, index) => stepBetween(setting, packing, { from: texts[index] ?? '', to: text }));
}

function stepBetween(setting: Setting, packing: Packing, of: { from: string; to: string }): string {
  let step = '';
  expand(setting, packing.unpack(of.from), (actor, text, next, fault) => {
    if (packing.pack(next) !== of.to || (step !== '' && fault === null)) return;
    step = `${actor === NOBODY ? '' : `${DEVICE_NAMES[actor] ?? ''}: `}${text}`;
  });
  return step;
}
