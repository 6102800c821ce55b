import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Application } from './application.ts';
import type { EventLog } from './event-log.ts';

/** How long quitting waits for what is in flight, ms. */
export const DRAIN_LIMIT_MS = 5_000;
/** How long closing the files may take after that, ms. */
const CLOSE_LIMIT_MS = 2_000;

/** Starts the host; a bug on the way becomes a sentence too, so that a person never meets a bare stack. */
export async function startSafely(
  start: () => Promise<Result<Application, Problem>>,
  log: EventLog,
): Promise<Result<Application, Problem>> {
  try {
    const started = await start();
    if (!started.ok) log.write({ event: 'start-refused', code: started.error.code });
    return started;
  } catch (cause) {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause;
    log.write({ event: 'start-threw', cause: text });
    const first = cause instanceof Error ? cause.message : 'an unknown error';
    return err(
      problem(
        'internal',
        `Fencepost could not start: ${first}`,
        'Nothing was sent. Start it again; if that does not help, the log in the data folder says more.',
      ),
    );
  }
}

/**
 * Drains and closes the host within a limit. Answers what was left unclear; the recovery screen shows it next time. Once
 * `hurry` is settled nothing is waited for any more, and everything is closed just as it would have been.
 */
export async function stopSafely(
  application: Application,
  log: EventLog,
  hurry: Promise<void> = new Promise(() => undefined),
): Promise<readonly string[]> {
  const stop = async () => {
    const patient = application.drain(DRAIN_LIMIT_MS);
    // Overtaken by the hurried one it may find everything closed, and then there is nothing left for it to say.
    patient.catch(() => undefined);
    const { leftUnclear } = await Promise.race([patient, hurry.then(() => application.drain(0))]);
    await application.close();
    return leftUnclear;
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), DRAIN_LIMIT_MS + CLOSE_LIMIT_MS);
  });
  try {
    const left = await Promise.race([stop(), limit]);
    log.write({ event: 'stopped', isComplete: left !== null, leftUnclear: left?.length ?? null });
    return left ?? [];
  } catch (cause) {
    log.write({ event: 'stop-threw', cause: cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause });
    return [];
  } finally {
    clearTimeout(timer);
  }
}
