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
  null: 'empty',
};
const EDGE = 'the name of a state, or a list of ways such as [{ to: end }]';
/** What a field takes, where the words for its types say too little. */
const FORM_WORDS: ReadonlyMap<unknown, string> = new Map([
  ['onSuccess', EDGE],
  ['onFailure', EDGE],
]);
const STATE_LIKE = /^\/\^\[a-z\]\[a-z0-9-\]\{0,(\d+)\}\$\/u$/u;

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
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return explainUnion(issue, data, schema);
  const isAboutName = issue.code === 'invalid_key';
  return [{ path: issue.path, isAboutName, message: sentenceFor(issue, valueAt(data, issue.path)), meant: null }];
}

/** A value that may have several forms is explained as the form that it is nearest to. */
function explainUnion(issue: UnionIssue, data: unknown, schema: JsonSchema): readonly Explanation[] {
  const { path } = issue;
  const forms = issue.errors.map((each) =>
    each.slice(0, PROBLEM_LIMIT).map((inner) => ({ ...inner, path: [...path, ...inner.path] })),
  );
  const near = forms
    .filter((form) => !form.some((inner) => isOfAnotherKind(inner, path)))
    .map((form) => explainIssues(form, data, schema));
  if (near.length === 0) return [{ path, isAboutName: false, message: formSentence(forms, path, data), meant: null }];
  const fewest = Math.min(...near.map((each) => each.length));
  const nearest = near.filter((each) => each.length === fewest);
  const message = tieSentence(path, nearest, data);
  return message === null ? (nearest[0] ?? []) : [{ path, isAboutName: false, message, meant: null }];
}

type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** Whether the value itself is of another kind than the form, as against something inside it being wrong. */
function isOfAnotherKind(inner: Issue, path: readonly PropertyKey[]): boolean {
  return inner.path.length === path.length && (inner.code === 'invalid_type' || inner.code === 'invalid_value');
}

function formSentence(forms: readonly (readonly Issue[])[], path: readonly PropertyKey[], data: unknown): string {
  const value = valueAt(data, path);
  const words = forms.flat().flatMap((inner) => {
    if (inner.code === 'invalid_type') return [TYPE_WORDS[inner.expected] ?? inner.expected];
    return inner.code === 'invalid_value' ? inner.values.map(String) : [];
  });
  const wanted = FORM_WORDS.get(path.at(-1)) ?? listed([...new Set(words)], 'or');
  return `${nameOf(path)} must be ${wanted}, not ${wordFor(value)}.`;
}

/** Where two forms are equally near: the one field that tells them apart is missing, or is there twice over. */
function tieSentence(
  path: readonly PropertyKey[],
  nearest: readonly (readonly Explanation[])[],
  data: unknown,
): string | null {
  const single = nearest.flatMap((each) => (each.length === 1 ? each : []));
  const names = [...new Set(single.map((each) => quoted(each.path.at(-1) ?? '')))];
  if (nearest.length < 2 || names.length < nearest.length) return null;
  if (single.every((each) => each.isAboutName)) return `${nameOf(path)} cannot have ${listed(names, 'and')} together.`;
  const isMissing = single.every((each) => valueAt(data, each.path) === undefined);
  return isMissing ? `${nameOf(path)} needs ${listed(names, 'or')}.` : null;
}

function listed(words: readonly string[], word: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${word} ${last}`;
}

function sentenceFor(issue: Issue, value: unknown): string {
  const name = nameOf(issue.path);
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
        : 'This is not possible here.';
    case 'invalid_key':
      return keySentence(name, issue.issues[0]);
    case 'too_small':
      return `${name} must ${amount(issue.origin, 'at least', issue.minimum)}.`;
    case 'too_big':
      return `${name} must ${amount(issue.origin, 'at most', issue.maximum)}.`;
    case 'invalid_format':
      return formatSentence(name, issue);
    case 'custom':
    case 'not_multiple_of':
    case 'invalid_element':
    case 'unrecognized_keys':
      return issue.message;
    default:
      return 'This is not possible here.';
  }
}

function formatSentence(name: string, issue: Extract<Issue, { code: 'invalid_format' }>): string {
  if (!issue.message.startsWith('Invalid')) return issue.message;
  if (issue.format === 'url') return `${name} must be a whole web address, such as https://example.com/.`;
  const longest = STATE_LIKE.exec(issue.pattern ?? '')?.[1];
  if (longest !== undefined)
    return `${name} must begin with a lower-case letter and have at most ${Number(longest) + 1} lower-case letters, digits and dashes.`;
  return `${name} is not written in the form that is needed here: ${issue.pattern ?? issue.format}.`;
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
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return TYPE_WORDS[typeof value] ?? 'this';
}

function nameOf(path: readonly PropertyKey[]): string {
  const last = path.at(-1) ?? 'strategy';
  return typeof last === 'number' ? `Entry ${last + 1} of ${quoted(path.at(-2) ?? '')}` : quoted(last);
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
