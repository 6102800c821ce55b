import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** When the log is set aside and a new one begun; one earlier file is kept. */
export const LOG_MAX_BYTES = 1_048_576;
/** The longest value in a line; a stack is cut, a payload never gets here. */
const VALUE_MAX_LENGTH = 4_000;

/** What happened at a door. Names, codes and counts only: no request, no answer, no token. */
export interface LogLine {
  readonly event: string;
  readonly [field: string]: string | number | boolean | null;
}

/** A log that never fails: what cannot be written is not worth stopping for. */
export interface EventLog {
  write(line: LogLine): void;
}

/** JSON lines in a file that only its owner reads. */
export function createEventLog(file: string): EventLog {
  return {
    write(line) {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        if (sizeOf(file) > LOG_MAX_BYTES) renameSync(file, `${file}.1`);
        appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...shorten(line) })}\n`, {
          mode: 0o600,
        });
      } catch {
        // A full or read-only disk has its own problem on the screen already.
      }
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function shorten(line: LogLine): Record<string, string | number | boolean | null> {
  const entries = Object.entries(line).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.slice(0, VALUE_MAX_LENGTH) : value,
  ]);
  return Object.fromEntries(entries) as Record<string, string | number | boolean | null>;
}
