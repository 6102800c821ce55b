import type { Result } from '../../lib/result.ts';
import { err, ok } from '../../lib/result.ts';

/** What templates can look at: the run's input and the outputs of earlier steps. */
export interface TemplateScope {
  readonly input: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, { readonly output: unknown }>>;
  readonly run: { readonly id: string };
}

// Spaces are trimmed afterwards: a pattern that skips them on both sides takes cubic time on `{{` and many spaces.
const PLACE = /\{\{([^{}]*)\}\}/gu;
const PATH = /^(?:input|steps|run)(?:\.[A-Za-z0-9_-]+)+$/u;

/**
 * Fills `{{ input.folder }}`, `{{ steps.read.output.text }}` and `{{ run.id }}`. A place that names nothing is an error:
 * an effect with a hole in its input must not leave.
 */
export function fillTemplate(template: string, scope: TemplateScope): Result<string, string> {
  let missing: string | null = null;
  const filled = template.replace(PLACE, (_, place: string) => {
    const path = place.trim();
    const value = PATH.test(path) ? lookUp(scope, path.split('.')) : undefined;
    if (value === undefined) missing ??= path;
    return value === undefined ? '' : asText(value);
  });
  return missing === null ? ok(filled) : err(`There is no value for {{ ${String(missing)} }}.`);
}

/** The places a template names, for checking a strategy before it runs. */
export function templatePaths(template: string): string[] {
  return [...template.matchAll(PLACE)].map((match) => match[0].slice(2, -2).trim());
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

/** Fills every string inside a JSON-like value; the first problem wins. */
export function fillDeep<Value>(value: Value, scope: TemplateScope): Result<Value, string> {
  let problem: string | null = null;
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') {
      const filled = fillTemplate(node, scope);
      if (!filled.ok) problem ??= filled.error;
      return filled.ok ? filled.value : node;
    }
    if (Array.isArray(node)) return node.map(walk);
    if (node === null || typeof node !== 'object') return node;
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, walk(member)]));
  };
  const filled = walk(value) as Value;
  return problem === null ? ok(filled) : err(problem);
}
