/** Any value that JSON can carry without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * One text per value: keys sorted by code unit, no white space, `undefined` members left out.
 * Digests are taken over this text, so two devices that hold equal values compute equal digests.
 * @throws Error for a number that JSON cannot carry; that is a bug in the caller.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('A digest needs finite numbers.');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let members = '';
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** What was read from a journal is in order already, and looking costs less than sorting. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key) ? keys : keys.toSorted();
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
