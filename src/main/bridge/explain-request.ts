import type { z } from 'zod';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** Field names come from the caller, so a sentence holds only this much of one. */
const FIELD_MAX_LENGTH = 80;
const IDENTIFIER_FIELD = /^(?:agentId|runId|attemptToken|approvalId|digest|inputDigest|previewDigest)$/u;

type Issue = z.core.$ZodIssue;

/** Turns what a schema found into one sentence that names the field. It never repeats the value: that may be a secret. */
export function explainRequest(error: z.ZodError): Problem {
  const issue = error.issues[0];
  if (issue === undefined) return problem('input-invalid', 'The request is not valid.');
  const field = nameOf(issue);
  const code = IDENTIFIER_FIELD.test(field) ? 'identifier-invalid' : 'input-invalid';
  const subject = field === '' ? 'The request' : `The field “${field}”`;
  return problem(code, sentence(issue, subject), '', { field });
}

function nameOf(issue: Issue): string {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  const text = path
    .map(String)
    .join('.')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '�');
  return text.length > FIELD_MAX_LENGTH ? `${text.slice(0, FIELD_MAX_LENGTH)}…` : text;
}

function sentence(issue: Issue, subject: string): string {
  if (issue.code === 'unrecognized_keys') return `${subject} is not known here.`;
  if (issue.code === 'invalid_type')
    return `${subject} is missing or of the wrong kind: it must be ${kind(issue.expected)}.`;
  if (issue.code === 'too_big') return `${subject} is too large: the most is ${issue.maximum}.`;
  if (issue.code === 'too_small') return `${subject} is too small: the least is ${issue.minimum}.`;
  if (issue.code === 'invalid_value') return `${subject} must be one of: ${issue.values.map(String).join(', ')}.`;
  // The contract's own sentences end with a full stop, and say more than the schema library's.
  return `${subject} is not valid. ${issue.message.endsWith('.') ? issue.message : ''}`.trimEnd();
}

function kind(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'yes or no',
    array: 'a list',
    object: 'a group of fields',
    record: 'a group of fields',
  };
  return Object.hasOwn(words, expected) ? (words[expected] ?? expected) : expected;
}
