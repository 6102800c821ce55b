import { createHash } from 'node:crypto';

/** The longest file that a relay's folder may hold, bytes: the longest box there may be, and what stands around it. */
export const RECORD_LIMIT_BYTES = 9 * 1_048_576;

const VERSION = 1;
/** `sha256 `, 64 digits and a line end. */
const SEAL_BYTES = 72;

/** A file of a relay's folder, ready to be written: its content, and the digest that names it. */
export interface RecordFile {
  readonly content: Buffer;
  readonly digest: string;
}

/** What a whole file says. */
interface OpenRecord {
  /** The first line, read as JSON and not yet checked. */
  readonly header: unknown;
  readonly lines: readonly string[];
  readonly digest: string;
}

/** SHA-256 in lower-case hexadecimal. */
export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Begins with a header and ends with a checksum over all before it, so that a copy that is half done, cut or changed is
 * recognised whatever it is called. The same header and lines give the same file.
 */
export function sealRecord(header: Readonly<Record<string, unknown>>, lines: readonly string[] = []): RecordFile {
  const first = JSON.stringify({ format: 'fencepost-relay', version: VERSION, ...header });
  const body = Buffer.from([first, ...lines, ''].join('\n'), 'utf8');
  const digest = sha256(body);
  return { content: Buffer.concat([body, Buffer.from(`sha256 ${digest}\n`, 'latin1')]), digest };
}

/** What a file says; `null` where it is not whole, or no file of a relay. */
export function openRecord(content: Buffer): OpenRecord | null {
  const end = content.length - SEAL_BYTES;
  if (end < 2 || content[end - 1] !== 0x0a) return null;
  const seal = /^sha256 ([0-9a-f]{64})\n$/u.exec(content.toString('latin1', end));
  const digest = seal?.[1];
  if (digest === undefined || sha256(content.subarray(0, end)) !== digest) return null;
  const [first = '', ...lines] = content.toString('utf8', 0, end - 1).split('\n');
  const header = readHeader(first);
  return header === null ? null : { header, lines, digest };
}

function readHeader(line: string): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { format, version, ...rest } = parsed as Record<string, unknown>;
  return format === 'fencepost-relay' && version === VERSION ? rest : null;
}
