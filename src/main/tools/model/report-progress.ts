/** The shortest time between two reports, ms. */
const REPORT_INTERVAL_MS = 100;

/** Passes text on in few and larger pieces. */
export interface ProgressReporter {
  add(delta: string): void;
  /** Reports what is left and stops; nothing is reported afterwards. */
  end(): void;
}

/** No form in which a key is recognised is longer than this many times the key. */
const LONGEST_FORM = 4;
/** Keys and their forms, such as base64, consist of these. */
const KEY_CHARACTERS = /[\x21-\x7E]*$/u;

/**
 * Reports text as it comes, the first at once and the rest at most every 100 ms. `hidden` is taken out by `redact` even
 * where it comes in pieces: an ending that may be the beginning of it, a word mostly, is held back until it is over.
 */
export function reportProgress(
  onProgress: ((text: string) => void) | undefined,
  of: { readonly hidden: string | null; readonly redact: (text: string) => string },
): ProgressReporter {
  if (onProgress === undefined) return { add: () => {}, end: () => {} };
  let waiting = '';
  let timer: NodeJS.Timeout | null = null;
  const report = (isLast: boolean) => {
    const shown = of.redact(waiting);
    const held = isLast || of.hidden === null ? 0 : lengthOfEnding(shown, of.hidden);
    const text = shown.slice(0, shown.length - held);
    waiting = shown.slice(shown.length - held);
    if (text !== '') onProgress(text);
  };
  const start = () => {
    timer = setTimeout(() => {
      timer = null;
      if (waiting === '') return;
      report(false);
      start();
    }, REPORT_INTERVAL_MS);
  };
  return {
    add(delta) {
      waiting += delta;
      if (timer !== null) return;
      report(false);
      start();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
      report(true);
    },
  };
}

function lengthOfEnding(text: string, hidden: string): number {
  // Only the end is looked at: a search for it from the beginning would take long in a long text.
  const end = text.slice(-hidden.length * LONGEST_FORM);
  return KEY_CHARACTERS.exec(end)?.[0].length ?? 0;
}
