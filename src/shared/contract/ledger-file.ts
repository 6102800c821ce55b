import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import { deviceIdSchema, digestSchema } from './identifiers.ts';

/** The form of a file with every entry; a reader refuses each that it does not know. */
export const LEDGER_FORMAT = 1;
/** The same with journals of which entries were condensed. */
export const CONDENSED_LEDGER_FORMAT = 2;
/** So many journals one file may hold. */
const JOURNAL_LIMIT = 10_000;

const count = z.int().min(0);
const place = z.int().min(1);
const chainId = z.union([digestSchema, z.literal('')]);
// The last character of either leaves bits unused. They have to be zero, so that one value has one text.
const publicKey = z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/u);
const signature = z.string().regex(/^[\w-]{85}[AQgw]$/u);

const schemas = {
  /** The first line. An agent or a run is named where only its entries are there in full. */
  header: z.strictObject({
    fencepost: z.literal('ledger'),
    format: z.int(),
    exportedAtMs: z.int(),
    /** The device that wrote the file. */
    ofDevice: deviceIdSchema,
    onlyAgent: z.string().nullable(),
    onlyRun: z.string().nullable(),
    /** Where only entries of some time are there in full: from this moment, and before that one, wall ms. */
    onlyFromMs: z.int().optional(),
    onlyUntilMs: z.int().optional(),
    /** Where each journal ends in this file, in the order in which the journals follow; 0 and empty for one without entries. */
    heads: z.array(z.strictObject({ device: deviceIdSchema, seq: count, id: chainId })).max(JOURNAL_LIMIT),
  }),
  /** The Ed25519 key of a device, before its first entry; raw, base64url. */
  key: z.strictObject({ device: deviceIdSchema, publicKey }),
  /**
   * Below which entry of a journal some are missing, because runs were condensed, and the id that the next one continues;
   * before the first entry. Signed by the device that wrote the file.
   */
  cut: z.strictObject({
    device: deviceIdSchema,
    cutSeq: place,
    cutId: digestSchema,
    cutSignature: signature.nullable(),
  }),
  /** One entry in full; its id is the SHA-256 of the others. */
  entry: z.strictObject({
    device: deviceIdSchema,
    seq: place,
    prev: chainId,
    wallMs: z.int(),
    counter: count,
    epoch: count,
    kind: z.string(),
    payload: z.string(),
    id: digestSchema,
  }),
  /** An entry that was not asked for. */
  stub: z.strictObject({ device: deviceIdSchema, seq: place, prev: chainId, id: digestSchema }),
  /** A long text, right behind the first entry that refers to it; `text` is its SHA-256. */
  text: z.strictObject({ text: digestSchema, body: z.string() }),
  /** What a device signed, right behind the entry that it signed; it covers all entries of the device before that too. */
  signature: z.strictObject({ device: deviceIdSchema, seq: place, id: digestSchema, signature }),
  /** The last line: how many of each there are, the SHA-256 of all bytes before it, and what the exporting device signed. */
  footer: z.strictObject({
    entries: count,
    stubs: count,
    texts: count,
    signatures: count,
    sha256: digestSchema,
    signature: signature.nullable(),
  }),
};

type Schemas = typeof schemas;
type LedgerLineKind = keyof Schemas;

/** One kind of line of an exported ledger. */
export type LedgerLineOf<Kind extends LedgerLineKind> = z.infer<Schemas[Kind]>;

/** A line with its kind, which the file itself does not say: the members tell. */
export type LedgerLine = {
  [Kind in LedgerLineKind]: { readonly kind: Kind; readonly line: LedgerLineOf<Kind> };
}[LedgerLineKind];

/** The text of a line, without its line feed. One value has one text. */
export function writeLedgerLine<Kind extends LedgerLineKind>(_kind: Kind, line: LedgerLineOf<Kind>): string {
  return canonicalJson(line);
}

/** Reads what `writeLedgerLine` wrote; `null` for every other text, also one that means the same. Never throws. */
export function readLedgerLine(text: string): LedgerLine | null {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null) return null;
    const kind = kindOf(said);
    const line = schemas[kind].parse(said);
    // What was read, and not what was said: a member that the schema does not know cannot hide.
    return canonicalJson(line) === text ? ({ kind, line } as LedgerLine) : null;
  } catch {
    // Text that is no JSON, of the wrong shape, or nested more deeply than the stack.
    return null;
  }
}

function kindOf(said: object): LedgerLineKind {
  if ('fencepost' in said) return 'header';
  if ('publicKey' in said) return 'key';
  if ('cutId' in said) return 'cut';
  if ('payload' in said) return 'entry';
  if ('body' in said) return 'text';
  if ('sha256' in said) return 'footer';
  return 'signature' in said ? 'signature' : 'stub';
}

/**
 * The digests of the long texts that the payload of an entry refers to, each once; `null` if it is not JSON. Also of kinds
 * that this version does not know.
 */
export function longTextsOf(payload: string): ReadonlySet<string> | null {
  let said: unknown;
  try {
    said = JSON.parse(payload);
  } catch {
    return null;
  }
  const found = new Set<string>();
  // A list and no recursion: whoever wrote the payload chose how deeply it is nested.
  const open: unknown[] = [said];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    if ('digest' in each && 'bytes' in each && 'inline' in each && each.inline === null) {
      if (typeof each.digest === 'string') found.add(each.digest);
    }
    for (const member of Object.values(each)) open.push(member);
  }
  return found;
}
