import { z } from 'zod';
import { BATCH_CHOICES, BATCH_MAX } from '../core/recovery/alike-doubts.ts';
import { attemptTokenSchema, digestSchema } from './identifiers.ts';

const reason = z.string().max(1_000).default('');
const stepRef = z.strictObject({ attemptToken: attemptTokenSchema });
/** What a decision is bound to, so that it applies to what the person saw and to nothing else. */
const binding = { attemptToken: attemptTokenSchema, inputDigest: digestSchema, epoch: z.int().min(0) };

/** Requests about unclear steps. */
export const recoveryRequestSchemas = {
  'recovery.get': stepRef,
  'recovery.check': stepRef,
  'recovery.resolve': z.strictObject({
    ...binding,
    choice: z.enum(['it-happened', 'send-again', 'undo-then-send', 'stop-here']),
    reason,
  }),
  'recovery.reopen': stepRef,
  /** One answer for several unclear steps that are alike. Nothing that sends can be asked for here. */
  'recovery.resolveAlike': z.strictObject({
    steps: z.array(z.strictObject(binding)).min(2).max(BATCH_MAX),
    choice: z.enum(BATCH_CHOICES),
    reason,
  }),
  /** Waits for the device that made the attempt. Decides nothing. */
  'recovery.wait': stepRef,
  'recovery.stopWaiting': stepRef,
} as const;
