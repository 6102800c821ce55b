import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType } from '@modelcontextprotocol/sdk/validation';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { quoted } from './server-failure.ts';
import { sha256 } from './server-definition.ts';

/** A tool as its server describes it. Every word of it is the server's and untrusted. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: Json };
  readonly annotations: { readonly readOnlyHint?: boolean | undefined; readonly destructiveHint?: boolean | undefined };
  /** Over everything that a person or a model was told about it: whoever changes a word changes the digest. */
  readonly digest: string;
}

/** Deeper than any schema or answer has to be, and far less deep than what breaks a recursion. */
const DEPTH_LIMIT = 100;
/** Keywords whose members are schemas by names that a server chose. */
const SCHEMAS_BY_NAME = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords that hold values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);

/** Whether a value can be walked by recursion. It came from JSON, so it has no circles. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_LIMIT) return false;
    level = level.flatMap((each) => (each !== null && typeof each === 'object' ? Object.values(each) : []));
  }
  return true;
}

/** What Fencepost keeps of a tool; `null` for one that is nested too deeply to be shown or digested. */
export function serverTool(tool: Tool): ServerTool | null {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const told = { name, title, description, inputSchema, outputSchema, annotations };
  if (!isShallow(told)) return null;
  return {
    name,
    description: description ?? title ?? '',
    inputSchema: inputSchema as { readonly [key: string]: Json },
    annotations: { readOnlyHint: annotations?.readOnlyHint, destructiveHint: annotations?.destructiveHint },
    digest: sha256(canonicalJson(told as { readonly [key: string]: Json })),
  };
}

/**
 * Why arguments do not fit a tool's schema; `null` if they do, or if the schema cannot be used to tell. It finds mistakes
 * early and is no protection: the server judges for itself.
 */
export function argumentsFlaw(tool: ServerTool, given: Json): string | null {
  if (!isShallow(given)) return 'The arguments are nested too deeply.';
  try {
    const schema = withoutPatterns(tool.inputSchema) as JsonSchemaType;
    const checked = new AjvJsonSchemaValidator().getValidator(schema)(given);
    return checked.valid ? null : `The arguments do not fit the tool: ${quoted(checked.errorMessage ?? '')}.`;
  } catch {
    return null;
  }
}

/** A server's own patterns could be made to run for ever, and every one of them only narrows what fits. */
function withoutPatterns(schema: Json): Json {
  if (schema === null || typeof schema !== 'object') return schema;
  if (isList(schema)) return schema.map(withoutPatterns);
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, Json | undefined][] => {
    if (['pattern', 'patternProperties', 'propertyNames', 'format', '$schema', '$id'].includes(keyword)) return [];
    // What a pattern allowed may stand there, so nothing that is left over can be called wrong.
    const isOpen = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
    if (isOpen && 'patternProperties' in schema) return [];
    if (value === undefined || VALUES.has(keyword)) return [[keyword, value]];
    if (!SCHEMAS_BY_NAME.has(keyword) || value === null || typeof value !== 'object' || isList(value)) {
      return [[keyword, withoutPatterns(value)]];
    }
    const schemas = Object.entries(value).map(([name, each]) => [
      name,
      each === undefined ? each : withoutPatterns(each),
    ]);
    return [[keyword, Object.fromEntries(schemas) as Json]];
  });
  return Object.fromEntries(kept);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
