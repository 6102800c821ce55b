const MINUTE_MS = 60_000;

/** How long one suite may take before it is ended as one that hangs, ms: for a commit, and with the large numbers of a night. */
export const SUITE_LIMIT_MS = { perCommit: 40 * MINUTE_MS, perNight: 72 * 60 * MINUTE_MS };

/** The one in force. Asked anew each time: `--nightly` is read after this file. */
export function suiteLimitMs() {
  return process.env.FENCEPOST_NIGHTLY === '1' ? SUITE_LIMIT_MS.perNight : SUITE_LIMIT_MS.perCommit;
}
