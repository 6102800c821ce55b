import { openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Answered, Call, Operation } from './history.ts';

/** What a client writes down before it asks, and again when it has an answer. One line of JSON each. */
type Line =
  | {
      readonly asked: number;
      readonly ms: number;
      readonly agentId: string;
      readonly lane: number;
      readonly call: Call;
    }
  | { readonly answered: number; readonly ms: number; readonly answer: Answered };

/**
 * A client's own account, in a file of its own. A written line outlives the process that wrote it, so a killed client has
 * told of every question that can have left it.
 */
export class Recorder {
  readonly #file: number;
  #asked = 0;

  constructor(folder: string, name: string) {
    this.#file = openSync(join(folder, `${name}.jsonl`), 'ax');
  }

  /** Before anything leaves; `ms` was read before this. Returns the number of the question. */
  asked(of: { readonly ms: number; readonly agentId: string; readonly lane: number; readonly call: Call }): number {
    this.#asked += 1;
    this.#write({ asked: this.#asked, ...of });
    return this.#asked;
  }

  answered(asked: number, ms: number, answer: Answered): void {
    this.#write({ answered: asked, ms, answer });
  }

  #write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** Puts the accounts of all clients together. What was asked and has no answer is of unknown outcome. */
export function readRecordings(folder: string): Operation[] {
  const operations: Operation[] = [];
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
    const client = name.replace('.jsonl', '');
    const places = new Map<number, number>();
    for (const line of linesOf(join(folder, name))) {
      if ('asked' in line) {
        const { ms, agentId, call, asked, lane } = line;
        places.set(asked, operations.length);
        const id = operations.length;
        operations.push({
          id,
          client: `${client}.${lane}`,
          agentId,
          call,
          invokeMs: ms,
          returnMs: Infinity,
          answer: null,
        });
        continue;
      }
      const place = places.get(line.answered);
      const operation = place === undefined ? undefined : operations[place];
      if (place === undefined || operation === undefined) throw new Error(`${name} answers what it never asked.`);
      operations[place] = { ...operation, returnMs: line.ms, answer: line.answer };
    }
  }
  return operations.filter(({ call, answer }) => call.verb !== 'current' || answer !== null);
}

function linesOf(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  // Behind the last line break is nothing, or what a killed client was about to write and so had not asked yet.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Line);
}
