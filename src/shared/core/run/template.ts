import { evaluateExpression, expressionFault } from './expression.ts';
import type { Result } from '../../lib/result.ts';
import { err, ok } from '../../lib/result.ts';

/** What templates can look at: the run's input, the outputs of earlier steps, and where it is in a loop over items. */
export interface TemplateScope {
  readonly input: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, { readonly output: unknown }>>;
  readonly run: { readonly id: string };
  /** The item of a workset that this is done for. */
  readonly item?: unknown;
  /** The arguments that a model gave; untrusted. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The most that a call may come to, in characters. What is longer is not sent at all: a part of it would be something else. */
const FILLED_LIMIT = 8 * 1_048_576;
const TOO_LONG = `What would be sent is longer than ${FILLED_LIMIT} characters.`;

// Spaces are trimmed afterwards: a pattern that skips them on both sides takes cubic time on `{{` and many spaces.
const PLACE = /\{\{([^{}]*)\}\}/gu;
const PATH = /^(?:input|steps|run|item|args)(?:\.[A-Za-z0-9_-]+)*$/u;

/**
 * Fills `{{ input.folder }}`, `{{ steps.read.output.text }}`, `{{ run.id }}` and expressions. A place that comes to nothing is
 * an error: an effect with a hole in its input must not leave.
 */
export function fillTemplate(template: string, scope: TemplateScope): Result<string, string> {
  let missing: string | null = null;
  let length = template.length;
  const filled = template.replace(PLACE, (_, place: string) => {
    const value = placeValue(place.trim(), scope);
    const text = value.ok ? asText(value.value) : '';
    length += text.length;
    if (!value.ok) missing ??= value.error;
    // Looked at before it is put together: many places with one long text come to more than there is room for.
    if (length > FILLED_LIMIT) missing ??= TOO_LONG;
    return missing === null ? text : '';
  });
  return missing === null ? ok(filled) : err(missing);
}

function placeValue(place: string, scope: TemplateScope): Result<unknown, string> {
  const isExpression = place !== '' && !PATH.test(place);
  if (isExpression) return evaluateExpression(place, scope);
  // A path is looked up as it is: state names may hold dashes, which an expression reads as minus.
  const path = place.split('.');
  const isWhole = path.length === 1 && place !== 'item';
  const value = isWhole ? undefined : lookUp(scope, path);
  return value === undefined ? err(`There is no value for {{ ${place} }}.`) : ok(value);
}

/** The places a template names, for checking a strategy before it runs. */
export function templatePaths(template: string): string[] {
  return [...template.matchAll(PLACE)].map((match) => match[0].slice(2, -2).trim());
}

/** What is wrong with a place before anything is known to fill it with; `null` means nothing. */
export function placeFault(place: string): string | null {
  if (place === '') return 'There is nothing between {{ and }}.';
  return PATH.test(place) ? null : expressionFault(place);
}

function lookUp(from: unknown, path: readonly string[]): unknown {
  let value: unknown = from;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Fills every string inside a JSON-like value; the first problem wins. The text of a script stays as it is: what a step has
 * said must not become part of a program.
 */
export function fillDeep<Value>(value: Value, scope: TemplateScope): Result<Value, string> {
  let problem: string | null = null;
  let length = 0;
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') {
      const filled = fillTemplate(node, scope);
      if (!filled.ok) problem ??= filled.error;
      const text = filled.ok ? filled.value : node;
      length += text.length;
      if (length > FILLED_LIMIT) problem ??= TOO_LONG;
      return problem === null ? text : node;
    }
    if (Array.isArray(node)) return node.map(walk);
    if (node === null || typeof node !== 'object') return node;
    const isScript = 'tool' in node && node.tool === 'script';
    const fillMember = (key: string, member: unknown): unknown =>
      isScript && key === 'source' ? member : walk(member);
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, fillMember(key, member)]));
  };
  const filled = walk(value) as Value;
  return problem === null ? ok(filled) : err(problem);
}
