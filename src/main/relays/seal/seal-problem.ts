/**
 * Why something could not be sealed or opened: facts for a decision, and nothing secret among them. What is `malformed` is
 * named by a few fixed words, never quoted.
 */
export type SealProblem =
  /** The key of that epoch is not here (yet): the rotation that brings it has not arrived, or this device was let go. */
  | { readonly kind: 'unknown-key-epoch'; readonly epoch: number }
  /** No key of that epoch opens it: another space, or something was changed on the way. The two look alike. */
  | { readonly kind: 'wrong-key-or-changed'; readonly epoch: number }
  /** A rotation made no key for this device. */
  | { readonly kind: 'not-addressed'; readonly epoch: number }
  | { readonly kind: 'malformed'; readonly what: string }
  | { readonly kind: 'too-large'; readonly what: string; readonly limit: number };
