import { z } from 'zod';
import { ACT_KINDS } from './acts.ts';
import { agentIdSchema, deviceIdSchema } from './identifiers.ts';

/** Which entries of the record are asked for; without any of it, all. */
const filter = {
  acts: z.array(z.enum(ACT_KINDS)).max(ACT_KINDS.length).default([]),
  agentId: agentIdSchema.optional(),
  deviceId: deviceIdSchema.optional(),
  /** Wall ms, of the device that wrote the entry. */
  sinceMs: z.int().min(0).optional(),
};
const moment = z.int().min(0).nullable().default(null);

/** The requests about the record as a whole: looking through it, and taking a copy of it away. */
export const activityRequestSchemas = {
  /** From the newest backwards. A place in the record never changes, so a page stays the same however much is added. */
  'activity.list': z.strictObject({
    ...filter,
    /** Only entries before this place in the record of this device. */
    before: z.int().min(1).optional(),
    limit: z.int().min(1).max(500).default(100),
  }),
  /** How many entries came after this place. */
  'activity.news': z.strictObject({ ...filter, after: z.int().min(0) }),
  'activity.get': z.strictObject({ seq: z.int().min(1) }),
  'export.begin': z.strictObject({
    agentId: agentIdSchema.nullable().default(null),
    /** Wall ms: from this moment, and before that one. */
    fromMs: moment,
    untilMs: moment,
  }),
  'export.get': z.strictObject({ exportId: z.string().min(1).max(80) }),
  'export.cancel': z.strictObject({ exportId: z.string().min(1).max(80) }),
} as const;
