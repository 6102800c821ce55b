import type { Json } from '../../shared/lib/canonical-json.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';

/** Values shorter than this stay as they are: replacing every `no` in an answer would hide more than it keeps. */
export const REDACTED_LENGTH = 4;
/** A piece of base64 that is shorter than this turns up by chance. */
const BASE64_PIECE_LENGTH = 8;
/** What a capped output ends in; a value may have been cut in two just before it. */
const CUT_MARKER = /\n\[cut after \d+ bytes\]$/u;

/** One value that must not be seen, and the name to show instead. */
export interface HiddenValue {
  readonly name: string;
  readonly value: string;
}

/** Replaces hidden values in texts and in everything that JSON holds, names of members included. */
interface Redactor {
  readonly text: (given: string) => string;
  readonly json: (given: Json) => Json;
}

/**
 * Finds values in the forms in which programs and servers repeat them: as they are, in base64 (alone or within something
 * longer), percent-encoded and escaped for JSON. It guards against accidents. Whoever was given a value and wants to
 * tell it can always spell it in another way.
 */
export function createRedactor(hidden: readonly HiddenValue[]): Redactor {
  const names = new Map<string, string>();
  for (const { name, value } of hidden) {
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  }
  if (names.size === 0) return { text: (given) => given, json: (given) => given };
  // The longest form first, so that a value within another one leaves nothing of the longer one behind.
  const forms = [...names.keys()].toSorted((left, right) => right.length - left.length);
  const pattern = new RegExp(forms.map(escapePattern).join('|'), 'gu');
  const text = (given: string) =>
    withoutCutForm(given, forms, names).replaceAll(pattern, (form) => shown(names.get(form)));
  const json = (given: Json): Json => {
    if (typeof given === 'string') return text(given);
    if (given === null || typeof given !== 'object') return given;
    if (isList(given)) return given.map(json);
    const members = Object.entries(given).map(([key, member]) => {
      return [text(key), member === undefined ? undefined : json(member)] as const;
    });
    return Object.fromEntries(members);
  };
  return { text, json };
}

function shown(name: string | undefined): string {
  return `[secret ${name ?? ''}]`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Every form of one value, and of the value without the blanks around it, which headers lose on their way. */
function formsOf(value: string): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const plain of [value, value.trim()]) {
    if (plain.length < REDACTED_LENGTH) continue;
    const bytes = Buffer.from(plain, 'utf8');
    const percent = encodeURIComponent(plain.toWellFormed());
    const once = JSON.stringify(plain).slice(1, -1);
    const all = [
      plain,
      visibleText(plain),
      ...base64Pieces(bytes),
      percent,
      percent.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
      new URLSearchParams([['', plain.toWellFormed()]]).toString().slice(1),
      once,
      asciiOnly(once),
      // JSON within JSON, such as the echoed body of a request.
      JSON.stringify(once).slice(1, -1),
    ];
    for (const form of all) forms.add(form);
  }
  return forms;
}

/**
 * The value in base64 and base64url, and what stays of it within something longer: depending on how many bytes stand
 * before it, three different runs of characters belong to the value alone.
 */
function base64Pieces(bytes: Buffer): readonly string[] {
  const pieces: string[] = [];
  for (const encoding of ['base64', 'base64url'] as const) {
    pieces.push(bytes.toString(encoding), bytes.toString(encoding).replaceAll('=', ''));
    for (const before of [0, 1, 2]) {
      const padded = Buffer.concat([Buffer.alloc(before), bytes]);
      const first = Math.ceil((before * 8) / 6);
      const piece = padded.toString(encoding).slice(first, Math.floor((padded.length * 8) / 6));
      if (piece.length >= BASE64_PIECE_LENGTH) pieces.push(piece);
    }
  }
  return pieces;
}

function asciiOnly(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

/** Takes off the beginning of a value that the limit of an output cut in two. */
function withoutCutForm(given: string, forms: readonly string[], names: ReadonlyMap<string, string>): string {
  const marker = CUT_MARKER.exec(given);
  if (marker === null) return given;
  const kept = given.slice(0, marker.index);
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, kept.length); length >= REDACTED_LENGTH; length -= 1) {
      if (kept.endsWith(form.slice(0, length))) {
        return `${kept.slice(0, kept.length - length)}${shown(names.get(form))}${marker[0]}`;
      }
    }
  }
  return given;
}
