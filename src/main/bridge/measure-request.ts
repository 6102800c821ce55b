/** The largest request a door takes, counted as the characters and numbers in it. A strategy may be 1 MiB of text. */
export const REQUEST_MAX_SIZE = 2 * 1_048_576;
/** The deepest nesting a request may have; the contract needs three. */
export const REQUEST_MAX_DEPTH = 16;
/** What one value weighs besides its text. */
const VALUE_SIZE = 8;

/** Why a request is turned away before it is looked at; `null` when it is plain data of a fair size. */
export type RequestFault = 'too-large' | 'too-deep' | 'not-plain-data' | null;

/**
 * Walks a request and stops at the first fault, so that looking costs no more than the limit. Electron's structured
 * clone lets maps, buffers and circles through, which no schema expects.
 */
export function measureRequest(request: unknown): RequestFault {
  let left = REQUEST_MAX_SIZE;
  const look = (value: unknown, depth: number): RequestFault => {
    if (depth > REQUEST_MAX_DEPTH) return 'too-deep';
    left -= VALUE_SIZE + (typeof value === 'string' ? value.length : 0);
    if (left < 0) return 'too-large';
    if (typeof value !== 'object' || value === null) return isPlainValue(value) ? null : 'not-plain-data';
    if (!isPlainObject(value)) return 'not-plain-data';
    for (const [key, member] of Object.entries(value)) {
      // An own key of this name comes from JSON only, and means an object's ancestry to whoever copies it.
      if (key === '__proto__') return 'not-plain-data';
      left -= key.length;
      const fault = look(member, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  };
  return look(request, 0);
}

function isPlainValue(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
}

function isPlainObject(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
