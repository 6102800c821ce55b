import { visibleText } from '../../shared/lib/visible-text.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { createRedactor } from '../secrets/redact-secrets.ts';
import type { HiddenValue } from '../secrets/redact-secrets.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { AttemptContext, ProbeAnswer, SecretReader, ToolContext, ToolRun } from './tool.ts';

/** The secrets of one call: a reader for the adapter, and what takes the values that it read out of the answer. */
export interface CallSecrets {
  readonly reader: SecretReader;
  /** The circumstances for the adapter: with the reader, and with progress that tells no value that was read. */
  contextFor(context: AttemptContext): ToolContext;
  redactRun(run: ToolRun): ToolRun;
  redactAnswer(answer: ProbeAnswer): ProbeAnswer;
  /** For what an adapter throws: its message is recorded as well. */
  redactError(cause: unknown): Error;
}

/** How long a keychain may take to answer, ms; a person may have to unlock it first. */
const READ_LIMIT_MS = 60_000;

/** Remembers which values one call reads, and no longer than that call. */
export function createCallSecrets(store: SecretStore, signal: AbortSignal): CallSecrets {
  const hidden: HiddenValue[] = [];
  const redactor = () => createRedactor(hidden);
  const hide = (name: string, value: string) => {
    if (!hidden.some((each) => each.name === name && each.value === value)) hidden.push({ name, value });
  };
  const reader: SecretReader = {
    async read(name) {
      let value: string | null;
      try {
        value = await withinLimit(store.read(name), signal);
      } catch {
        if (signal.aborted) return err(unsent('aborted', 'The call was stopped while a secret was looked up.'));
        // What the keychain says about itself may hold anything, so it is not repeated.
        return err(unsent('secret-unreadable', `The secret ${visibleText(name)} cannot be read on this device.`));
      }
      if (value === null) {
        return err(unsent('secret-missing', `There is no secret named ${visibleText(name)} on this device.`));
      }
      hide(name, value);
      return ok(value);
    },
    hide,
    redact: (text) => redactor().text(text),
  };
  return {
    reader,
    contextFor(context) {
      const { onProgress } = context;
      const progress =
        onProgress === undefined ? {} : { onProgress: (text: string) => onProgress(reader.redact(text)) };
      return { ...context, ...progress, secrets: reader };
    },
    redactRun(run) {
      if (hidden.length === 0) return run;
      const { text, json } = redactor();
      const { outcome } = run;
      return {
        outcome: outcome.kind === 'success' ? outcome : { ...outcome, code: text(outcome.code) },
        output: json(run.output),
        summary: text(run.summary),
      };
    },
    redactAnswer: (answer) => (hidden.length === 0 ? answer : { ...answer, summary: redactor().text(answer.summary) }),
    redactError: (cause) => new Error(redactor().text(cause instanceof Error ? cause.message : String(cause))),
  };
}

function withinLimit(reading: Promise<string | null>, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('The secret was not read.'));
    const timer = setTimeout(giveUp, READ_LIMIT_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    void reading.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    });
  });
}

function unsent(code: 'secret-missing' | 'secret-unreadable' | 'aborted', summary: string): ToolRun {
  return {
    outcome: { kind: 'failure', class: code === 'aborted' ? 'runtime' : 'authority', code, wasSent: false },
    output: null,
    summary: `${summary} Nothing was sent.`,
  };
}
