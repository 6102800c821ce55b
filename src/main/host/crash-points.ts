/**
 * The places where a crash tells the most, named after what has just become durable. Production code passes through
 * them for nothing; a test kills the process at one of them.
 */
export const CRASH_POINTS = [
  'after-trigger',
  'after-acquire',
  'before-intent',
  'after-announce',
  'after-claim',
  'after-in-flight',
  'before-effect',
  'after-effect',
  'after-settle',
  'after-settle-tail',
  'after-in-doubt',
  'after-decision',
  'after-approval-request',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Told about every crash point that is passed. */
export type CrashPointListener = (point: CrashPoint) => void;

/** Nothing happens at a crash point in production. */
export const NO_CRASH_POINTS: CrashPointListener = () => undefined;
