/**
 * For a statement about one row of `runs`: whether an attempt at a step of that run is unclear and undecided, which somebody
 * has to say something about before the step is tried again. Its parameters: the state, the visit, then those of `more`.
 */
export function isUnclearAt(more = ''): string {
  return `EXISTS (SELECT 1 FROM attempts WHERE attempts.run_id = runs.run_id AND in_doubt_at_ms IS NOT NULL
    AND progress <> 'settled' AND decision IS NULL AND attempts.state_id = ? AND attempts.state_visit = ? ${more})`;
}
