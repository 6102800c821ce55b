import type { ErrorCode } from '../../shared/contract/errors.ts';

/** How a start-up failure ends the process. The numbers above 60 are those of `sysexits.h`, which scripts know. */
export const EXIT_CODES = { general: 1, database: 65, inUse: 73, disk: 74 } as const;

/** The exit code for a start-up failure. */
export function exitCodeOf(code: ErrorCode): number {
  switch (code) {
    case 'profile-in-use':
      return EXIT_CODES.inUse;
    case 'store-corrupt':
    case 'store-newer':
    case 'store-foreign':
      return EXIT_CODES.database;
    case 'store-full':
    case 'store-read-only':
    case 'store-unsure':
    case 'folder-read-only':
      return EXIT_CODES.disk;
    default:
      return EXIT_CODES.general;
  }
}
