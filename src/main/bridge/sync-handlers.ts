import type { Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { RecoveryWordsView } from '../../shared/contract/sync-views.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import type { SyncControl } from '../host/sync/sync-control.ts';
import { recoverySheetHtml } from '../relays/seal/recovery-sheet.ts';
import { shortSpaceId } from '../relays/seal/space-secret.ts';
import { sharedNameOf } from '../views/sync-names.ts';
import { syncView } from '../views/sync.ts';
import { viewSource } from '../views/view-source.ts';
import { read, tell } from './answers.ts';
import type { Caller, Handlers } from './application.ts';

const NOT_HERE = problem('not-offered', 'This host shares its record with nobody.');

/** Sharing the journals: how it stands, setting it up, and letting devices go. */
export function syncHandlers(
  control: HostControl,
  personAt: (caller: Caller) => string,
): Pick<Handlers, Extract<Route, `sync.${string}`>> {
  return {
    'sync.get': () => read(control, (source) => syncView(source, control.sync?.status() ?? null)),
    'sync.create': ({ relay, secrets }) =>
      shared(control, async (sync) => {
        const words = await sync.create(relay, secrets);
        return words.ok ? ok({ words: words.value }) : words;
      }),
    'sync.join': ({ relay, words, secrets }) =>
      shared(control, (sync) =>
        tell(sync.join(relay, { words, secrets }), () => 'The words are right. This device is catching up now.'),
      ),
    'sync.words': () => shared(control, (sync) => wordsView(sync, control.nowMs())),
    'sync.forgetWords': () =>
      shared(control, (sync) =>
        tell(sync.forgetWords(), () => 'The words are forgotten here. The sheet is the only copy.'),
      ),
    'sync.leave': () =>
      shared(control, (sync) =>
        tell(sync.leave(), () => 'Nothing is shared any more. What was taken in stays on this device.'),
      ),
    'sync.now': () => shared(control, (sync) => tell(sync.now(), () => 'In step with what the others handed over.')),
    'sync.letGo': ({ deviceId }, caller) =>
      shared(control, (sync) =>
        tell(
          sync.letGo(deviceId, personAt(caller)),
          () => `${nameOf(control, deviceId)} was let go, from this moment.`,
        ),
      ),
    'sync.tryAgain': ({ deviceId }) =>
      shared(control, (sync) =>
        tell(sync.tryAgain(deviceId), () => `What ${nameOf(control, deviceId)} wrote is looked at once more.`),
      ),
    'sync.newIdentity': (_request, caller) =>
      shared(control, (sync) =>
        tell(
          sync.newIdentity(personAt(caller)),
          () => 'Close Fencepost on this device and start it again: it goes on under a new identity from then on.',
        ),
      ),
  };
}

function shared<Value>(
  control: HostControl,
  use: (sync: SyncControl) => Promise<Result<Value, Problem>> | Result<Value, Problem>,
): Promise<Result<Value, Problem>> {
  return Promise.resolve(control.sync === null ? err(NOT_HERE) : use(control.sync));
}

function nameOf(control: HostControl, deviceId: string): string {
  const source = viewSource(control);
  return source === null ? 'It' : sharedNameOf(source, deviceId);
}

/** The words with the sheet around them. The date is today's: that is when it is printed. */
function wordsView(sync: SyncControl, nowMs: number): Result<RecoveryWordsView, Problem> {
  const kept = sync.words();
  if (!kept.ok) return kept;
  const { words, spaceId } = kept.value;
  const madeOn = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' }).format(nowMs);
  return ok({ words, spaceName: shortSpaceId(spaceId), html: recoverySheetHtml({ words, spaceId, madeOn }) });
}
