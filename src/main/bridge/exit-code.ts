import type { ErrorCode } from '../../shared/contract/errors.ts';

/** How a start-up failure ends the process. The numbers above 60 are those of `sysexits.h`, which scripts know. */
export const EXIT_CODES = { general: 1, database: 65, inUse: 73, disk: 74 } as const;

const BY_CODE: ReadonlyMap<ErrorCode, number> = new Map([
  ['profile-in-use', EXIT_CODES.inUse],
  ['store-corrupt', EXIT_CODES.database],
  ['store-newer', EXIT_CODES.database],
  ['store-foreign', EXIT_CODES.database],
  ['store-full', EXIT_CODES.disk],
  ['store-read-only', EXIT_CODES.disk],
  ['store-unsure', EXIT_CODES.disk],
  ['folder-read-only', EXIT_CODES.disk],
]);

/** The exit code for a start-up failure. */
export function exitCodeOf(code: ErrorCode): number {
  return BY_CODE.get(code) ?? EXIT_CODES.general;
}
