import { z } from 'zod';

/** The longest list of one kind of trigger. */
const TRIGGER_LIMIT = 32;
/** The most missed slots of one schedule that are caught up with. */
export const CATCH_UP_LIMIT = 100;

const triggerId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/u);
const input = z.record(z.string().regex(/^[a-z][a-zA-Z0-9]{0,31}$/u), z.string().max(65_536)).default({});

/** Two triggers of one kind and name could not be told apart. */
function named<Trigger extends { id: string }>(trigger: z.ZodType<Trigger>) {
  return z
    .array(trigger)
    .max(TRIGGER_LIMIT)
    .default([])
    .superRefine((list, context) => {
      for (const [index, { id }] of list.entries()) {
        if (list.findIndex((other) => other.id === id) === index) continue;
        context.addIssue({ code: 'custom', path: [index, 'id'], message: `There is another one called "${id}".` });
      }
    });
}

const schedule = z.strictObject({
  id: triggerId,
  cron: z.string().min(1).max(120).describe('Five fields: minute, hour, day of month, month, day of week.'),
  timeZone: z.string().min(1).max(64).describe('Such as Europe/Berlin.'),
  missed: z
    .enum(['skip', 'once', 'each'])
    .default('once')
    .describe('What happens with slots that passed while no device could run: none, one run, or one run each.'),
  input,
});
/** A schedule as it stands in a strategy. */
export type Schedule = z.infer<typeof schedule>;

/** What a person chooses of a new one. */
export const newScheduleSchema = schedule.pick({ cron: true, timeZone: true, missed: true });
export type NewSchedule = z.infer<typeof newScheduleSchema>;

const fileTrigger = z.strictObject({
  id: triggerId,
  folder: z.string().min(1).max(4_096).describe('Files that appear or change in here start a run.'),
  pattern: z.string().max(128).optional().describe('Only file names like this one, with * for any text.'),
  as: z
    .string()
    .regex(/^[a-z][a-zA-Z0-9]{0,31}$/u)
    .optional()
    .describe('The input that gets the path of the file.'),
  input,
});
export type FileTrigger = z.infer<typeof fileTrigger>;

const webhook = z.strictObject({
  id: triggerId,
  secret: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/u)
    .describe('The name of the secret that callers must present.'),
  as: z
    .string()
    .regex(/^[a-z][a-zA-Z0-9]{0,31}$/u)
    .optional()
    .describe('The input that gets the body of the call.'),
  input,
});
export type Webhook = z.infer<typeof webhook>;

const afterRun = z.strictObject({
  id: triggerId,
  agent: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/u),
  endings: z
    .array(z.enum(['done', 'failed-nothing-sent', 'failed-was-sent', 'stopped']))
    .min(1)
    .default(['done']),
  input,
});
export type AfterRun = z.infer<typeof afterRun>;

/** What starts an agent by itself. Everything here needs the grant of this very revision, like a run by hand. */
export const triggersSchema = z.strictObject({
  schedules: named(schedule),
  files: named(fileTrigger),
  webhooks: named(webhook),
  afterRuns: named(afterRun),
});
