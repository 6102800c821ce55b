/** How long the soak of a commit lasts, and that of a night, minutes. */
export const SOAK_MINUTES = { perCommit: 2, perNight: 24 * 60 };
