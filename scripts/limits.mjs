const MINUTE_MS = 60_000;

/**
 * How long one suite may take before it is ended as one that hangs, ms: for a commit, for a commit where it gets only what the
 * other suites leave of the processors, and with the large numbers of a night.
 */
export const SUITE_LIMIT_MS = {
  perCommit: 40 * MINUTE_MS,
  besideOthers: 75 * MINUTE_MS,
  perNight: 72 * 60 * MINUTE_MS,
};

/** The one in force. Asked anew each time: `--nightly` is read after this file. */
export function suiteLimitMs({ isBeside = false } = {}) {
  if (process.env.FENCEPOST_NIGHTLY === '1') return SUITE_LIMIT_MS.perNight;
  return isBeside ? SUITE_LIMIT_MS.besideOthers : SUITE_LIMIT_MS.perCommit;
}
