import type { z } from 'zod';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { knownFields, nearestField } from './nearest-field.ts';
import { PROBLEM_LIMIT } from './read-document.ts';
import type { JsonSchema } from './schema.ts';

/** One plain sentence about one place of a strategy. */
export interface Explanation {
  readonly path: readonly PropertyKey[];
  /** Whether the name of the field is wrong, not its value. */
  readonly isAboutName: boolean;
  readonly message: string;
  /** The field that was probably meant; that it is missing needs no sentence of its own. */
  readonly meant: readonly PropertyKey[] | null;
}

type Issue = z.core.$ZodIssue;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
};

/** Says in plain words what the schema found; an unknown field is answered with the nearest known one. */
export function explainIssues(issues: readonly Issue[], data: unknown, schema: JsonSchema): readonly Explanation[] {
  const explained = issues.flatMap((issue) => explainIssue(issue, data, schema));
  const meant = new Set(explained.flatMap((each) => (each.meant === null ? [] : [JSON.stringify(each.meant)])));
  return explained.filter((each) => each.isAboutName || !meant.has(JSON.stringify(each.path)));
}

function explainIssue(issue: Issue, data: unknown, schema: JsonSchema): readonly Explanation[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(schema, data, issue.path);
    return issue.keys.slice(0, PROBLEM_LIMIT).map((key) => {
      const nearest = nearestField(key, known);
      return {
        path: [...issue.path, key],
        isAboutName: true,
        message: `There is no field ${quoted(key)} here.${didYouMean(nearest)}`,
        meant: nearest === null ? null : [...issue.path, nearest],
      };
    });
  }
  const isAboutName = issue.code === 'invalid_key';
  return [{ path: issue.path, isAboutName, message: sentenceFor(issue, valueAt(data, issue.path)), meant: null }];
}

function sentenceFor(issue: Issue, value: unknown): string {
  const name = quoted(issue.path.at(-1) ?? 'strategy');
  if (value === undefined && issue.path.length > 0 && issue.code !== 'invalid_key')
    return `The field ${name} is missing.`;
  switch (issue.code) {
    case 'invalid_type':
      return `${name} must be ${TYPE_WORDS[issue.expected] ?? issue.expected}, not ${wordFor(value)}.`;
    case 'invalid_value':
      return oneOf(name, issue.values.map(String), value);
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? oneOf(name, issue.options.map(String), value)
        : `${name} fits none of the forms that are possible here.`;
    case 'invalid_key':
      return keySentence(name, issue.issues[0]);
    case 'too_small':
      return `${name} must ${amount(issue.origin, 'at least', issue.minimum)}.`;
    case 'too_big':
      return `${name} must ${amount(issue.origin, 'at most', issue.maximum)}.`;
    case 'custom':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_element':
    case 'unrecognized_keys':
      return issue.message;
    default:
      return 'This is not possible here.';
  }
}

function keySentence(name: string, inner: Issue | undefined): string {
  const isOwnWords = inner !== undefined && !inner.message.startsWith('Invalid');
  if (isOwnWords) return `${name} cannot be a name here. ${inner.message}`;
  return `${name} cannot be a name here. A name has letters and digits, and begins with a lower-case letter.`;
}

function oneOf(name: string, values: readonly string[], value: unknown): string {
  if (values.length === 1) return `${name} must be ${values[0] ?? ''}.`;
  const meant = typeof value === 'string' ? didYouMean(nearestField(value, values)) : '';
  return `${name} must be one of ${values.join(', ')}.${meant}`;
}

function didYouMean(nearest: string | null): string {
  return nearest === null ? '' : ` Did you mean "${nearest}"?`;
}

function amount(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `have ${bound} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `be ${bound} ${limit}`;
}

function wordFor(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return TYPE_WORDS[typeof value] ?? 'this';
}

function quoted(name: PropertyKey): string {
  return `"${visibleText(String(name)).slice(0, 80)}"`;
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
