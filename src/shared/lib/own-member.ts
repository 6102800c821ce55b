/**
 * A member that the record itself has. Plain indexing also finds what every object inherits, so an identifier such as
 * `constructor` would have a value nobody stored, and one that compares as neither smaller nor larger than a number.
 */
export function ownMember<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
