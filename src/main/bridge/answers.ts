import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { viewSource } from '../views/view-source.ts';
import type { ViewSource } from '../views/view-source.ts';

/** Nothing can be read while the record is being opened again. */
export const NO_STORE = problem(
  'store-unsure',
  'The record is being opened again after a disk error.',
  'Nothing was sent. Wait a moment.',
);

/** Answers a read in one go; `null` from the view means that there is no such thing. */
export function read<Value>(
  control: HostControl,
  view: (source: ViewSource) => Value | null,
  missing = 'It is not there any more.',
): Promise<Result<Value, Problem>> {
  const source = viewSource(control);
  if (source === null) return Promise.resolve(err(NO_STORE));
  const value = view(source);
  return Promise.resolve(value === null ? err(problem('not-found', missing)) : ok(value));
}

/** Turns the answer of a change into a sentence. */
export async function tell<Value>(
  change: Promise<Result<Value, Problem>>,
  sentence: (value: Value) => string,
): Promise<Result<{ sentence: string }, Problem>> {
  const changed = await change;
  return changed.ok ? ok({ sentence: sentence(changed.value) }) : changed;
}
