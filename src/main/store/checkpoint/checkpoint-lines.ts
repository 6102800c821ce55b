import { z } from 'zod';
import { deviceIdSchema, digestSchema } from '../../../shared/contract/identifiers.ts';
import { RUN_TABLES } from '../run-rows.ts';
import type { RunRows } from '../run-rows.ts';

/** The form that this version writes; a reader refuses every other. */
export const CHECKPOINT_FORMAT = 1;
/** The most characters of a whole checkpoint: it has to be looked at before any of it is believed. */
export const CHECKPOINT_LIMIT_CHARACTERS = 256 * 1_048_576;

const count = z.int().min(0);
const place = z.int().min(1);
const chainId = z.union([digestSchema, z.literal('')]);
const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const rows = z.strictObject(
  Object.fromEntries(RUN_TABLES.map((table) => [table, z.array(row)])) as Record<
    (typeof RUN_TABLES)[number],
    z.ZodArray<typeof row>
  >,
) satisfies z.ZodType<RunRows>;

const schemas = {
  /** The first line: up to where everything is in it. */
  header: z.strictObject({
    fencepost: z.literal('checkpoint'),
    format: z.int(),
    frontier: z.record(deviceIdSchema, place),
  }),
  /** Where a journal ends here, and the key that this entry is signed with. */
  head: z.strictObject({
    head: deviceIdSchema,
    seq: place,
    opId: digestSchema,
    wallMs: z.int(),
    counter: count,
    publicKey: z.string().max(64),
    signature: z.string().max(128),
  }),
  /** Below which entry of a journal some are missing. */
  cut: z.strictObject({ cut: deviceIdSchema, seq: place, opId: digestSchema }),
  /** A condensed run with its branches. */
  family: z.strictObject({
    family: z
      .array(
        z.strictObject({
          run_id: z.string(),
          root_run_id: z.string(),
          epoch: count,
          wall_ms: z.int(),
          counter: count,
          op_id: digestSchema,
          at_ms: z.int(),
          entries: count,
          devices: z.string(),
        }),
      )
      .min(1),
    rows,
  }),
  /** An entry as its author's journal has it. */
  operation: z.strictObject({
    deviceId: deviceIdSchema,
    seq: place,
    opId: digestSchema,
    prevHash: chainId,
    wallMs: z.int(),
    counter: count,
    epoch: count,
    kind: z.string().min(1),
    payload: z.string(),
  }),
  /** A long text that something before it names by its SHA-256. */
  text: z.strictObject({ text: z.string() }),
  /** The last line: how many there are before it. */
  end: z.strictObject({ end: count }),
};

type LineKind = keyof typeof schemas;
export type CheckpointLineOf<Kind extends LineKind> = z.infer<(typeof schemas)[Kind]>;

/** A line with its kind, which the members tell. */
export type CheckpointLine = {
  [Kind in LineKind]: { readonly kind: Kind; readonly line: CheckpointLineOf<Kind> };
}[LineKind];

/** Reads a line; `null` for everything that is none. Never throws. */
export function readCheckpointLine(text: string): CheckpointLine | null {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null) return null;
    const kind = kindOf(said);
    return { kind, line: schemas[kind].parse(said) } as CheckpointLine;
  } catch {
    return null;
  }
}

/** Reads a line that was read and checked before, a second time. */
export function readAgain(text: string): CheckpointLine {
  const line = JSON.parse(text) as object;
  return { kind: kindOf(line), line } as CheckpointLine;
}

/** Puts lines together out of chunks of a text, wherever those were cut. */
export class LineSplitter {
  #open: string[] = [];

  /** The lines that end in this chunk, without their line feeds. */
  add(chunk: string): readonly string[] {
    const texts = chunk.split('\n');
    const [first = '', ...others] = texts;
    this.#open.push(first);
    if (others.length === 0) return [];
    const last = others.pop() ?? '';
    const complete = this.#open.join('');
    this.#open = [last];
    return [complete, ...others];
  }

  /** Whether the text ends with a line feed as far as it has come. */
  isAtLineEnd(): boolean {
    return this.#open.every((text) => text === '');
  }
}

function kindOf(said: object): LineKind {
  if ('fencepost' in said) return 'header';
  for (const kind of ['head', 'cut', 'family', 'text', 'end'] as const) if (kind in said) return kind;
  return 'operation';
}
