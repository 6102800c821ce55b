import { z } from 'zod';
import { agentIdSchema, deviceIdSchema } from './identifiers.ts';
import { SAVED_VIEWS_MAX, VIEW_NAME_MAX } from './saved-view-terms.ts';

/** What a run can be at, as lists are filtered by it. */
export const runStatusSchema = z.enum([
  'waiting',
  'running-here',
  'running-elsewhere',
  'needs-approval',
  'needs-recovery',
  'refused',
  'done',
  'failed-nothing-sent',
  'failed-was-sent',
  'stopped',
  'missed',
]);

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/u);
/** The time that a list is about, by days on the device that looks. A view that is kept goes on with the calendar. */
const listTimeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('today') }),
  z.strictObject({ kind: z.literal('since-yesterday') }),
  /** Today is one of them. */
  z.strictObject({ kind: z.literal('last-7-days') }),
  z.strictObject({ kind: z.literal('last-30-days') }),
  /** Both days are in it. */
  z.strictObject({ kind: z.literal('between'), from: day, until: day }),
]);
export type ListTime = z.output<typeof listTimeSchema>;

const viewId = z.string().min(1).max(80);
const parts = {
  name: z.string().trim().min(1).max(VIEW_NAME_MAX),
  search: z.string().max(200),
  statuses: z.array(runStatusSchema).max(11),
  agentId: agentIdSchema.nullable(),
  /** Left out in views of versions that did not know them. */
  deviceId: deviceIdSchema.nullable().default(null),
  time: listTimeSchema.nullable().default(null),
};

/** Views as they are kept with the profile. */
export const savedViewsSchema = z.array(z.strictObject({ viewId, ...parts })).max(SAVED_VIEWS_MAX);

/** Filters of the list of runs under a name. */
export type SavedView = z.output<typeof savedViewsSchema>[number];

/** The requests about saved views of the list of runs. */
export const savedViewRequestSchemas = {
  'savedViews.list': z.strictObject({}),
  /** Without an id a new one; with one that view gets this name and these filters. */
  'savedViews.save': z.strictObject({ viewId: viewId.optional(), ...parts }),
  'savedViews.remove': z.strictObject({ viewId }),
} as const;

/** All saved views of this profile, in the order in which they were saved. */
export interface SavedViewsView {
  readonly sequence: number;
  readonly views: readonly SavedView[];
}
