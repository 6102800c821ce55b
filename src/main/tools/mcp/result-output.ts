import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { cappedOutput } from '../capped-output.ts';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';
import { isShallow } from './server-tools.ts';

/** What later steps see of a call that brought no result. */
export const EMPTY_OUTPUT = { content: [], structuredContent: null, isError: false };

/**
 * What later steps see: `{content, structuredContent, isError}`, at most `OUTPUT_LIMIT_BYTES` of it. The structured part
 * comes first, then the content in its order; texts are cut, and of anything else that has no room its size is told.
 */
export function resultOutput(result: CallToolResult, limitBytes: number = OUTPUT_LIMIT_BYTES): Json {
  let room = limitBytes;
  const take = (value: Json): boolean => {
    const size = sizeOf(value);
    if (size > room) return false;
    room -= size;
    return true;
  };
  const structured = plainJson(result.structuredContent ?? null);
  const hasRoom = take(structured);
  const content = result.content.map((block): Json => {
    const plain = plainJson(block);
    if (take(plain)) return plain;
    if (block.type !== 'text') return { type: block.type, ...mimeTypeOf(block), omittedBytes: sizeOf(plain) };
    const kept = cappedOutput(Math.max(0, room));
    kept.add(Buffer.from(block.text, 'utf8'));
    room = 0;
    return { type: 'text', text: kept.text() };
  });
  return {
    content,
    structuredContent: hasRoom ? structured : null,
    ...(hasRoom ? {} : { structuredContentOmittedBytes: sizeOf(structured) }),
    isError: result.isError === true,
  };
}

/** The value as it came, or a mark instead of one that is nested too deeply for anybody to walk. */
function plainJson(value: unknown): Json {
  return isShallow(value) ? (value as Json) : { omitted: 'nested too deeply' };
}

function mimeTypeOf(block: CallToolResult['content'][number]): { readonly mimeType?: string } {
  const mimeType =
    block.type === 'resource' ? block.resource.mimeType : 'mimeType' in block ? block.mimeType : undefined;
  return mimeType === undefined ? {} : { mimeType };
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}
