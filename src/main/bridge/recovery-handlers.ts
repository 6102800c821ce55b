import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { HostControl } from '../host/control.ts';
import { resolveAlike } from '../host/resolve-alike.ts';
import { findAttempt, intentOf } from '../store/rows.ts';
import { batchResultView } from '../views/recovery-batch.ts';
import { alreadyDecidedText } from '../views/recovery-decided.ts';
import { recoveryView } from '../views/recovery.ts';
import { probeText } from '../views/recovery-words.ts';
import { sharedNameOf } from '../views/sync-names.ts';
import { viewSource } from '../views/view-source.ts';
import { choiceText } from '../views/words.ts';
import type { Route } from '../../shared/contract/api.ts';
import { NO_STORE, read, tell } from './answers.ts';
import type { Caller, Handlers } from './application.ts';

const NOT_HERE = problem('not-offered', 'This host shares its record with nobody, so nothing can arrive.');

/** Unclear steps: looking, deciding by one or several, taking back, and waiting for another device. */
export function recoveryHandlers(
  control: HostControl,
  personAt: (caller: Caller) => string,
): Pick<Handlers, Extract<Route, `recovery.${string}`>> {
  return {
    'recovery.get': ({ attemptToken }) =>
      read(control, (source) => recoveryView(source, attemptToken), 'There is no such step any more.'),
    async 'recovery.check'({ attemptToken }, caller) {
      const checked = await control.checkRecovery(attemptToken, personAt(caller));
      if (!checked.ok) return checked;
      const { answer, summary } = checked.value;
      return ok({ answer, sentence: `Looked: ${probeText(answer)}. ${summary}` });
    },
    async 'recovery.resolve'(request, caller) {
      const resolved = await control.resolveRecovery({ ...request, by: personAt(caller) });
      if (!resolved.ok) return err(withPlace(control, request.attemptToken, resolved.error));
      return ok({ sentence: `Recorded: ${choiceText(request.choice, toolOf(control, request.attemptToken))}.` });
    },
    async 'recovery.resolveAlike'(request, caller) {
      const resolved = await resolveAlike(control, { ...request, by: personAt(caller) });
      if (!resolved.ok) return resolved;
      const source = viewSource(control);
      return source === null ? err(NO_STORE) : ok(batchResultView(source, resolved.value));
    },
    'recovery.reopen': ({ attemptToken }, caller) =>
      tell(
        control.reopenRecovery(attemptToken, personAt(caller)),
        () => 'Reopened. It is unclear again and waits for your decision.',
      ),
    'recovery.wait': ({ attemptToken }) =>
      tell(
        awaited(control, (waits) => waits.begin(attemptToken)),
        ({ deviceId }) => {
          const source = viewSource(control);
          const name = source === null ? 'the other device' : sharedNameOf(source, deviceId);
          return `Waiting for ${name}. Nothing is decided and nothing is sent.`;
        },
      ),
    'recovery.stopWaiting': ({ attemptToken }) =>
      tell(
        awaited(control, (waits) => waits.takeBack(attemptToken)),
        () => 'Not waiting any more. The question is there as before.',
      ),
  };
}

function awaited<Value>(
  control: HostControl,
  use: (waits: NonNullable<HostControl['awaited']>) => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  return control.awaited === null ? Promise.resolve(err(NOT_HERE)) : use(control.awaited);
}

/** A late click is told on which device it was decided, how long ago and how, as far as that is known here. */
function withPlace(control: HostControl, attemptToken: string, failure: Problem): Problem {
  const source = failure.code === 'already-decided' ? viewSource(control) : null;
  const attempt = source === null ? null : findAttempt(source.connection.db, attemptToken);
  const message = source === null || attempt === null ? null : alreadyDecidedText(source, attempt);
  return message === null ? failure : { ...failure, message };
}

function toolOf(control: HostControl, attemptToken: string): string {
  const connection = control.connection();
  const attempt = connection === null ? null : findAttempt(connection.db, attemptToken);
  return attempt === null ? '' : intentOf(attempt).tool;
}
