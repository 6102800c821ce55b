import type { StrategyProblem } from '../../../shared/contract/strategy.ts';

/** Where a place in a file begins, as a character offset. Lines and columns count from 1; past the end is the end. */
export function offsetOf(source: string, place: Pick<StrategyProblem, 'line' | 'column'>): number {
  let start = 0;
  for (let line = 1; line < place.line; line += 1) {
    const next = source.indexOf('\n', start);
    if (next === -1) return source.length;
    start = next + 1;
  }
  const end = source.indexOf('\n', start);
  const last = end === -1 ? source.length : end;
  return Math.min(last, start + Math.max(0, place.column - 1));
}

/** The lines that have a problem. */
export function linesWithProblems(problems: readonly StrategyProblem[]): ReadonlySet<number> {
  return new Set(problems.map((problem) => problem.line));
}

export function countLines(source: string): number {
  return source.split('\n').length;
}

/** In the order of the file, so that one can work downwards. */
export function inFileOrder(problems: readonly StrategyProblem[]): readonly StrategyProblem[] {
  return problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
}
