import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';
import type { StrategyProblem } from '../../shared/contract/strategy.ts';
import type { Result } from '../../shared/lib/result.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';

/** The largest strategy file, in bytes. */
const STRATEGY_LIMIT_BYTES = 1024 * 1024;
/** The most lists and groups within each other: what reads a strategy walks it, and a stack has an end. */
const NESTING_LIMIT = 64;
const TOO_DEEP = 'The file is nested too deeply.';
/** The most problems that are reported at once. */
export const PROBLEM_LIMIT = 50;

/** A parsed file that still knows where everything stands. */
export interface SourceDocument {
  readonly data: unknown;
  /** Where a field stands; the nearest enclosing place if it is missing. */
  locate(path: readonly PropertyKey[], isAboutName: boolean): { readonly line: number; readonly column: number };
}

/** Reads JSON or YAML without running anything: no aliases, no tags, no second document, no field twice. */
export function readDocument(fileName: string, text: string): Result<SourceDocument, readonly StrategyProblem[]> {
  if (Buffer.byteLength(text) > STRATEGY_LIMIT_BYTES) {
    return err([atStart(`The file is larger than ${STRATEGY_LIMIT_BYTES / 1024 / 1024} MiB.`)]);
  }
  if (!text.isWellFormed()) return err([atStart('The file is not valid UTF-8 text.')]);
  const lines = new LineCounter();
  const at = (offset: number, field: string, message: string): StrategyProblem => ({
    ...place(lines, offset),
    field,
    message,
  });
  try {
    // The library compares every key with every other; `structureProblems` looks for repeated ones in linear time.
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
    const broken = [...document.errors, ...document.warnings].slice(0, PROBLEM_LIMIT);
    // The library catches an overflow of the stack itself and reports it like a misplaced colon.
    if (broken.some((each) => each.message.startsWith('Maximum call stack'))) return err([atStart(TOO_DEEP)]);
    if (broken.length > 0) return err(broken.map((each) => at(each.pos[0], '', sentence(each.message))));
    const odd = structureProblems(document, at);
    if (odd.length > 0) return err(odd);
    const notJson = fileName.toLowerCase().endsWith('.json') ? jsonFlaw(text) : null;
    if (notJson !== null) return err([atStart(notJson)]);
    return ok({
      data: document.toJS({ maxAliasCount: 0 }),
      locate: (path, isAboutName) => place(lines, offsetOf(document.contents, path, isAboutName)),
    });
  } catch (error) {
    if (error instanceof RangeError) return err([atStart(TOO_DEEP)]);
    throw error;
  }
}

function structureProblems(
  document: Document,
  at: (offset: number, field: string, message: string) => StrategyProblem,
): readonly StrategyProblem[] {
  const found: StrategyProblem[] = [];
  const add = (node: Node, field: string, message: string) => {
    found.push(at(node.range?.[0] ?? 0, field, message));
    return found.length >= PROBLEM_LIMIT ? visit.BREAK : undefined;
  };
  if (document.contents === null || !isMap(document.contents)) {
    return [at(0, '', 'A strategy is a group of fields, such as "fencepost", "id" and "states".')];
  }
  const deepProblem = (node: Node, ancestors: readonly unknown[]): symbol | undefined => {
    const depth = ancestors.filter((each) => isMap(each) || isSeq(each)).length;
    return depth < NESTING_LIMIT ? undefined : (add(node, '', TOO_DEEP) ?? visit.SKIP);
  };
  visit(document, {
    Alias: (_, node) => add(node, '', 'Aliases are not allowed in a strategy. Write the value out.'),
    Map: (_, map, ancestors) => deepProblem(map, ancestors) ?? keyProblem(map, add),
    Seq: (_, list, ancestors) => deepProblem(list, ancestors),
    Scalar: (_, node) =>
      node.value instanceof Uint8Array ? add(node, '', 'Binary values are not allowed in a strategy.') : undefined,
  });
  return found;
}

function keyProblem(
  map: YAMLMap,
  add: (node: Node, field: string, message: string) => symbol | undefined,
): symbol | undefined {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    if (!isScalar(key) || typeof key.value !== 'string') {
      return add(
        isScalar(key) || isSeq(key) || isMap(key) || isAlias(key) ? key : map,
        '',
        'A field name must be text.',
      );
    }
    const shown = visibleText(key.value).slice(0, 80);
    if (seen.has(key.value)) {
      const stop = add(key, shown, `The field "${shown}" is there twice.`);
      if (stop !== undefined) return stop;
    }
    seen.add(key.value);
  }
  return undefined;
}

function offsetOf(root: unknown, path: readonly PropertyKey[], isAboutName: boolean): number {
  let offset = 0;
  let node = root;
  for (const [index, key] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === String(key));
      if (pair === undefined) return offset;
      // A group is shown at its name: its value begins only on the next line.
      const isAtName = !isScalar(pair.value) || (isAboutName && index === path.length - 1);
      offset = startOf(isAtName ? pair.key : pair.value) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | null {
  return (isScalar(node) || isMap(node) || isSeq(node)) && node.range ? node.range[0] : null;
}

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function atStart(message: string): StrategyProblem {
  return { line: 1, column: 1, field: '', message };
}

/** Everything that YAML reads is not JSON: comments and bare words in a `.json` file would break other readers. */
function jsonFlaw(text: string): string | null {
  try {
    JSON.parse(text.replace(/^\uFEFF/u, ''));
    return null;
  } catch (error) {
    return `The file is not valid JSON: ${sentence(error instanceof Error ? error.message : 'unreadable')}`;
  }
}

function sentence(message: string): string {
  const line = visibleText(message.split('\n')[0] ?? '').slice(0, 200);
  return /[.!?]$/u.test(line) ? line : `${line}.`;
}
