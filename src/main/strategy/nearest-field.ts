import type { JsonSchema } from './schema.ts';

/** A suggestion further away than this many typing slips is no help. */
const SLIP_LIMIT = 3;
/** Names longer than this are not compared. */
const COMPARED_LENGTH = 64;

/** The fields that may stand at a place of a strategy; the data decides between variants such as tool and approve. */
export function knownFields(schema: JsonSchema, data: unknown, path: readonly PropertyKey[]): readonly string[] {
  return fieldsWithin(schema, { data, path, definitions: schema.$defs ?? {} });
}

type Definitions = Readonly<Record<string, JsonSchema>>;

function fieldsWithin(
  schema: JsonSchema,
  at: { readonly data: unknown; readonly path: readonly PropertyKey[]; readonly definitions: Definitions },
): readonly string[] {
  const { data, definitions } = at;
  const here = variantsOf(schema, data, definitions);
  const [key, ...path] = at.path;
  if (key === undefined) return here.flatMap((each) => Object.keys(each.properties ?? {}));
  return here.flatMap((each) => {
    const next = childSchema(each, key);
    return next === null ? [] : fieldsWithin(next, { data: childData(data, key), path, definitions });
  });
}

/** The name that was probably meant, or `null`. */
export function nearestField(name: string, known: readonly string[]): string | null {
  if (name.length > COMPARED_LENGTH) return null;
  let best: string | null = null;
  let bestSlips = Math.min(SLIP_LIMIT, Math.ceil(name.length / 2)) + 1;
  for (const each of known) {
    const slips = slipsBetween(name.toLowerCase(), each.toLowerCase());
    if (slips < bestSlips) {
      best = each;
      bestSlips = slips;
    }
  }
  return best;
}

function childSchema(schema: JsonSchema, key: PropertyKey): JsonSchema | null {
  if (typeof key === 'number') return schema.items ?? null;
  const properties = schema.properties ?? {};
  if (Object.hasOwn(properties, key)) return properties[String(key)] ?? null;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null;
}

function childData(data: unknown, key: PropertyKey): unknown {
  if (data === null || typeof data !== 'object' || !Object.hasOwn(data, key)) return undefined;
  return (data as Record<PropertyKey, unknown>)[key];
}

function variantsOf(schema: JsonSchema, data: unknown, definitions: Definitions): readonly JsonSchema[] {
  const meant = definitionOf(schema, definitions);
  const variants = meant.oneOf ?? meant.anyOf;
  if (variants === undefined) return [meant];
  return variants
    .map((variant) => definitionOf(variant, definitions))
    .filter((variant) =>
      Object.entries(variant.properties ?? {}).every(
        ([key, property]) => property.const === undefined || property.const === childData(data, key),
      ),
    );
}

/** Parts that stand in several places are written down once and referred to. */
function definitionOf(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  const meant = name === undefined ? undefined : definitions[name];
  return meant === undefined ? schema : definitionOf(meant, definitions);
}

/** Levenshtein distance: insertions, deletions and replacements. */
function slipsBetween(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
