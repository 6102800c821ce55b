import { problem } from '../../contract/errors.ts';
import type { Problem } from '../../contract/errors.ts';
import { SAVED_VIEWS_MAX } from '../../contract/saved-view-terms.ts';
import type { SavedView } from '../../contract/saved-views.ts';
import { err, ok } from '../../lib/result.ts';
import type { Result } from '../../lib/result.ts';

/** The views with one more, or with one of them changed in its place. A name is there once, however it is written. */
export function withView(views: readonly SavedView[], view: SavedView): Result<readonly SavedView[], Problem> {
  const others = views.filter((each) => each.viewId !== view.viewId);
  const isNew = others.length === views.length;
  if (others.some((each) => plain(each.name) === plain(view.name)))
    return err(problem('input-invalid', `There is a view called “${view.name}” already.`, 'Choose another name.'));
  if (isNew && views.length >= SAVED_VIEWS_MAX)
    return err(problem('input-invalid', `There are ${SAVED_VIEWS_MAX} saved views already.`, 'Remove one first.'));
  return ok(isNew ? [...views, view] : views.map((each) => (each.viewId === view.viewId ? view : each)));
}

/** A view as it is kept: what it does not use is left out, so that a version that does not know it can read it as well. */
export function keptView({ deviceId, time, ...view }: SavedView): object {
  return { ...view, ...(deviceId === null ? {} : { deviceId }), ...(time === null ? {} : { time }) };
}

function plain(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
