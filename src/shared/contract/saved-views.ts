import { z } from 'zod';
import { agentIdSchema } from './identifiers.ts';
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

const viewId = z.string().min(1).max(80);
const parts = {
  name: z.string().trim().min(1).max(VIEW_NAME_MAX),
  search: z.string().max(200),
  statuses: z.array(runStatusSchema).max(11),
  agentId: agentIdSchema.nullable(),
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
