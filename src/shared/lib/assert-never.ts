/** Makes the compiler prove that a union is handled in full; throws if data from outside ever slips past it. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
