import { closeSync, openSync, readSync, fstatSync } from 'node:fs';
import path from 'node:path';

/** The logs of a profile, one for each program that may run around the host. */
const LOGS = ['host.log', 'window.log', 'browser.log'] as const;
/** How much of the end of each is looked at, bytes; and how many lines are told. */
const TAIL_BYTES = 65_536;
const LINES_TOLD = 40;
/** Frames of a stack that are told. */
const FRAMES_TOLD = 6;
/** Fields whose words are names of this program's own. Whatever else is text may quote what somebody wrote. */
const NAMES = new Set(['event', 'code', 'route', 'surface', 'kind', 'permission']);
const NAME = /^[A-Za-z0-9_.-]{1,64}$/u;
/** Where in the program something broke: the name of a function, and the last part of its file. */
const FRAME = /^\s*at (?:async )?(?:([\w$.<>#]{1,80}) )?\(?[^()\s]*?([\w.-]+:\d+:\d+)\)?$/u;

/**
 * The last lines of the logs, oldest first, for whoever helps. Only moments, names, codes, numbers and places in the
 * program are passed on: no message, since one may quote a path, a name or an answer.
 */
export function logTail(profileFolder: string): readonly string[] {
  const lines = LOGS.flatMap((log) => tailOf(path.join(profileFolder, log)).map((line) => safeLine(log, line)));
  return lines
    .filter((line) => line !== null)
    .toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .slice(-LINES_TOLD)
    .map(({ text }) => text);
}

function tailOf(file: string): readonly string[] {
  let handle: number | null = null;
  try {
    handle = openSync(file, 'r');
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8', 0, read).split('\n');
    // The first one may have been cut.
    return size > TAIL_BYTES ? lines.slice(1) : lines;
  } catch {
    return [];
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** What of a line can be told; `null` for one that is none of ours. */
function safeLine(log: string, line: string): { readonly at: string; readonly text: string } | null {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || !('at' in fields)) return null;
  const { at, ...rest } = fields;
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return null;
  const told = Object.entries(rest).flatMap(([name, value]) => {
    if (!NAME.test(name)) return [];
    if (name === 'cause' && typeof value === 'string') return framesOf(value).map((frame) => `at ${frame}`);
    const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === null;
    const isName = NAMES.has(name) && typeof value === 'string' && NAME.test(value);
    return isPlain || isName ? [`${name}=${String(value)}`] : [];
  });
  return { at, text: [new Date(at).toISOString(), log, ...told].join(' ') };
}

function framesOf(stack: string): readonly string[] {
  return stack
    .split('\n')
    .flatMap((line) => {
      const [, name = '', place] = FRAME.exec(line) ?? [];
      return place === undefined ? [] : [name === '' ? place : `${name} ${place}`];
    })
    .slice(0, FRAMES_TOLD);
}
