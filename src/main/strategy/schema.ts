import { z } from 'zod';
import { strategySchema } from '../../shared/contract/strategy.ts';

/** A part of a JSON Schema, as far as this project reads it. */
export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  /** Such as `#/$defs/name`, with the definition at the root. */
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/**
 * The JSON Schema of a strategy file, made from the schema that the host itself checks with. It is published as
 * `schemas/strategy.schema.json`, which editors use to complete and check strategies.
 */
export function strategyJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(strategySchema, { io: 'input', reused: 'ref' });
  return { ...schema, title: 'A Fencepost strategy' } as JsonSchema;
}
