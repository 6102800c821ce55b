import http from 'node:http';
import type { SecretPart } from '../../../shared/contract/tool-calls.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { isThisMachine } from '../../../shared/lib/this-machine.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import type { SecretReader, ToolRun } from '../tool.ts';
import { nameFlaw } from './request-headers.ts';

type SecretHeaders = Readonly<Record<string, SecretPart>>;

/**
 * The headers whose values are secrets, names in lower case; beside the headers that were `given` as they are. The error
 * is a sentence.
 */
export function checkSecretHeaders(
  asked: SecretHeaders,
  of: { readonly url: URL; readonly given: Readonly<Record<string, string>> },
): Result<SecretHeaders, string> {
  const seen = new Set(Object.keys(of.given).map((name) => name.toLowerCase()));
  const headers: Record<string, SecretPart> = {};
  for (const [name, part] of Object.entries(asked)) {
    const lower = name.toLowerCase();
    const flaw = nameFlaw(name, seen);
    if (flaw !== null) return err(flaw);
    if (!isHeaderValue(lower, part.prefix)) {
      return err(`The header "${name}" holds characters that a header cannot carry.`);
    }
    seen.add(lower);
    headers[lower] = part;
  }
  if (Object.keys(headers).length > 0 && of.url.protocol !== 'https:' && !isThisMachine(of.url)) {
    return err('A secret may leave over https only, or to this machine: anybody on the way could read it.');
  }
  return ok(headers);
}

/** Looks the values up, right before the request leaves. The error is the answer of a call of which nothing was sent. */
export async function resolveSecretHeaders(
  headers: SecretHeaders,
  secrets: SecretReader,
): Promise<Result<Readonly<Record<string, string>>, ToolRun>> {
  const resolved: Record<string, string> = {};
  for (const [name, part] of Object.entries(headers)) {
    const value = await secrets.read(part.secret);
    if (!value.ok) return err({ ...value.error, output: { status: null, headers: {}, body: '' } });
    const whole = part.prefix + value.value;
    if (!isHeaderValue(name, whole)) return err(unusable(part.secret));
    resolved[name] = whole;
  }
  return ok(resolved);
}

function isHeaderValue(name: string, value: string): boolean {
  try {
    http.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

function unusable(name: string): ToolRun {
  const why = `The secret ${visibleText(name)} holds characters that a header cannot carry, such as a line break.`;
  return {
    outcome: { kind: 'failure', class: 'authority', code: 'secret-unusable', wasSent: false },
    output: { status: null, headers: {}, body: '' },
    summary: `${why} Nothing was sent.`,
  };
}
