import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration for a person: `8 ms`, `3.5 s`, `31 min`, `2 h 5 min`, `3 days`. */
export function durationText(ms: number): string {
  const length = Math.max(0, Math.round(ms));
  if (length < SECOND) return `${length} ms`;
  if (length < 10 * SECOND) return `${Number((length / SECOND).toFixed(1))} s`;
  if (length < MINUTE) return `${Math.round(length / SECOND)} s`;
  // Rounded once, to whole minutes: 59.7 minutes are an hour, not 60 minutes.
  const minutes = Math.round(length / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  if (length < 2 * DAY)
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(length / DAY)} days`;
}

/** A moment of any day: the time alone for today, with its date otherwise. */
export function momentText(atMs: number, nowMs: number): string {
  if (new Date(atMs).toDateString() === new Date(nowMs).toDateString()) return clockText(atMs);
  const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }).format(atMs);
  return `${day}, ${clockText(atMs)}`;
}

function padded(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

/** Local time of day with seconds, for strips and facts: `07:00:03`. */
export function clockText(atMs: number): string {
  const at = new Date(atMs);
  return `${padded(at.getHours())}:${padded(at.getMinutes())}:${padded(at.getSeconds())}`;
}

/** Local date and time to the millisecond, for experts: `2026-10-12 07:12:31.204`. */
export function exactTimeText(atMs: number): string {
  const at = new Date(atMs);
  const date = `${padded(at.getFullYear(), 4)}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
  return `${date} ${clockText(atMs)}.${padded(at.getMilliseconds(), 3)}`;
}

/** How a run is called: `0142`. */
export function runNumberText(number: number): string {
  return padded(number, 4);
}

/** `1 step`, `3 steps`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The beginning of a digest, enough to compare by eye. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

/** What may be done about an effect, on a badge. */
export const KIND_BADGES: Readonly<Record<EffectKind, string>> = {
  'read-only': 'Only reads',
  'idempotent-by-key': 'Safe to repeat',
  verifiable: 'Can be checked',
  compensable: 'Can be undone',
  blind: "Can't be undone",
};

/** The verbs of one kind of tool: a request is sent, a program run, a file written. */
export interface ToolWords {
  /** After "it was". */
  readonly done: string;
  /** `Sent once`. */
  readonly once: string;
  /** What leaves: `The request left`. */
  readonly left: (device: string) => string;
  /** The same moment where nobody knows, or where it is known, that it did not get that far. */
  readonly about: (device: string) => string;
  /** Whom it has to reach. */
  readonly reached: string;
}

const SENT: ToolWords = {
  done: 'sent',
  once: 'Sent once',
  left: (device) => `The request left ${device}`,
  about: (device) => `${device} was about to send it`,
  reached: 'Reached the server?',
};
const RUN: ToolWords = {
  done: 'run',
  once: 'Run once',
  left: (device) => `The program was started on ${device}`,
  about: (device) => `${device} was about to start the program`,
  reached: 'Did its work?',
};
const WRITTEN: ToolWords = {
  done: 'written',
  once: 'Written once',
  left: (device) => `Writing began on ${device}`,
  about: (device) => `${device} was about to write it`,
  reached: 'Reached the disk?',
};

const CALLED: ToolWords = {
  done: 'called',
  once: 'Called once',
  left: (device) => `The call left ${device}`,
  about: (device) => `${device} was about to call it`,
  reached: 'Did the tool do it?',
};
const ASKED: ToolWords = {
  done: 'asked',
  once: 'Asked once',
  left: (device) => `The question left ${device}`,
  about: (device) => `${device} was about to ask`,
  reached: 'Reached the model?',
};
const MAILED: ToolWords = {
  ...SENT,
  left: (device) => `The mail left ${device}`,
  reached: 'Accepted by the mail server?',
};

/** The words for a tool; an unknown one sends. */
export function toolWords(tool: string): ToolWords {
  if (tool.startsWith('shell') || tool.startsWith('script')) return RUN;
  if (tool.startsWith('file')) return WRITTEN;
  if (tool.startsWith('mcp')) return CALLED;
  if (tool.startsWith('model')) return ASKED;
  return tool.startsWith('mail') ? MAILED : SENT;
}

/** How a decision of a person reads. */
export function choiceText(choice: string, tool: string): string {
  const { done } = toolWords(tool);
  switch (choice) {
    case 'it-happened':
      return `it was ${done}, carry on`;
    case 'send-again':
      return `it was not ${done}, do it now`;
    case 'undo-then-send':
      return 'undo it, then do it again';
    case 'stop-here':
      return 'stop here';
    case 'repeat':
      return 'repeat it, which is safe';
    default:
      return choice;
  }
}

/** The same words at the beginning of a sentence. */
export function opening(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
