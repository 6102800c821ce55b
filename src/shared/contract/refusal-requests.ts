import { z } from 'zod';
import { agentIdSchema, deviceIdSchema } from './identifiers.ts';

/** The requests about times a device held back. */
export const refusalRequestSchemas = {
  'refusals.list': z.strictObject({
    agentId: agentIdSchema.optional(),
    /** Those of this device, in times that lie from here on and before there, wall ms. */
    deviceId: deviceIdSchema.optional(),
    sinceMs: z.int().min(0).optional(),
    beforeMs: z.int().min(0).optional(),
  }),
} as const;
