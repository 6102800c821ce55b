/**
 * Joins the parts of an identity so that no two different lists give the same text: each part is preceded by its
 * length. A separator alone would let `a|b` + `c` meet `a` + `b|c`. Source: protocol section 3.
 */
export function encodeIdentity(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('');
}
