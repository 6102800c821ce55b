import { randomUUID } from 'node:crypto';
import type { Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { savedViewsSchema } from '../../shared/contract/saved-views.ts';
import type { SavedView } from '../../shared/contract/saved-views.ts';
import { keptView, withView } from '../../shared/core/run/saved-views.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { sequenceOf } from '../views/view-source.ts';
import { read, tell } from './answers.ts';
import type { Handlers } from './application.ts';

type Some<R extends Route> = Pick<Handlers, R>;

/** The name of the setting that keeps the saved views of the list of runs. */
const VIEWS_SETTING = 'saved-views';

const UNREADABLE = problem(
  'changed',
  'The views that were saved cannot be read by this version of Fencepost.',
  'Nothing was changed. Start the version that saved them.',
);

/** Saved views of the list of runs, kept with the profile. They only look: nothing that an agent does depends on them. */
export function savedViewHandlers(
  control: HostControl,
): Some<'savedViews.list' | 'savedViews.save' | 'savedViews.remove'> {
  let last: Promise<unknown> = Promise.resolve();
  const changeAfter = async (
    before: Promise<unknown>,
    next: (views: readonly SavedView[]) => Result<readonly SavedView[], Problem>,
  ): Promise<Result<null, Problem>> => {
    await before;
    const kept = viewsOf(control);
    if (kept === null) return err(UNREADABLE);
    const views = next(kept);
    return views.ok
      ? await control.writeSetting(VIEWS_SETTING, JSON.stringify(views.value.map((view) => keptView(view))))
      : views;
  };
  /** One change after the other, each on what the one before left: two windows never lose each other's views. */
  const change = (
    next: (views: readonly SavedView[]) => Result<readonly SavedView[], Problem>,
  ): Promise<Result<null, Problem>> => {
    const changed = changeAfter(last, next);
    last = changed.catch(() => undefined);
    return changed;
  };
  return {
    'savedViews.list': () =>
      read(control, (source) => ({ sequence: sequenceOf(source), views: viewsOf(control) ?? [] })),
    'savedViews.save': ({ viewId, ...parts }) =>
      tell(
        change((views) => {
          if (viewId !== undefined && !views.some((each) => each.viewId === viewId))
            return err(problem('not-found', 'There is no such view any more.', 'Save it as a new one.'));
          return withView(views, { viewId: viewId ?? randomUUID(), ...parts });
        }),
        () => `Saved as “${parts.name}”.`,
      ),
    'savedViews.remove': ({ viewId }) =>
      tell(
        change((views) => ok(views.filter((each) => each.viewId !== viewId))),
        () => 'Removed. The runs stay as they are.',
      ),
  };
}

/** `null` where another version kept something that this one cannot read: it is shown as none, and never written over. */
function viewsOf(control: HostControl): readonly SavedView[] | null {
  try {
    const kept = savedViewsSchema.safeParse(JSON.parse(control.readSetting(VIEWS_SETTING) ?? '[]'));
    return kept.success ? kept.data : null;
  } catch {
    return null;
  }
}
