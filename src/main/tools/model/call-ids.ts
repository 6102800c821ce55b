const FITTING = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * Ids for the calls of one answer, each of them once and in letters that every endpoint and every key takes. An id that
 * does not fit, was used before in the same answer, or is one that every object has a member of, is replaced by
 * `call-<index>`. The same ids give the same result, so a recorded answer and its effect keys never part.
 */
export function distinctCallIds(given: readonly string[]): readonly string[] {
  const kept = new Set(given.filter((id) => isFitting(id)));
  const taken = new Set<string>();
  return given.map((id, index) => {
    const own = isFitting(id) && !taken.has(id) ? id : freeId(index, new Set([...kept, ...taken]));
    taken.add(own);
    return own;
  });
}

function isFitting(id: string): boolean {
  return FITTING.test(id) && !(id in Object.prototype);
}

function freeId(index: number, taken: ReadonlySet<string>): string {
  for (let round = 1; ; round += 1) {
    const candidate = round === 1 ? `call-${index}` : `call-${index}-${round}`;
    if (!taken.has(candidate)) return candidate;
  }
}
