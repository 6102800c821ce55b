import type { z } from 'zod';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { hubError } from './hub-error.ts';
import type { HubError } from './hub-error.ts';

/** What a body says, whole or not at all (`malformed`). */
export function readSaid<Output>(schema: z.ZodType<Output>, body: string): Result<Output, HubError> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return err(hubError('malformed'));
  }
  const said = schema.safeParse(value);
  return said.success ? ok(said.data) : err(hubError('malformed'));
}
