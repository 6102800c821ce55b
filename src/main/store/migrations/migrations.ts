import { registerMigration } from './0020-register.ts';
import { initialMigration } from './0010-initial.ts';
import { highWaterMigration } from './0030-high-water.ts';
import { grantsMigration } from './0060-grants.ts';
import { branchesMigration } from './0040-branches.ts';
import { triggersMigration } from './0050-triggers.ts';
import { runsWindowMigration } from './0070-runs-window.ts';
import { questionOrderMigration } from './0080-question-order.ts';
import { journalsMigration } from './0090-journals.ts';
import { compactionMigration } from './0100-compaction.ts';
import { activityMigration } from './0110-activity.ts';
import { searchMigration } from './0120-search.ts';
import { visitOrderMigration } from './0130-visit-order.ts';
import { runDeviceMigration } from './0140-run-device.ts';
import { awaitedAnswersMigration } from './0150-awaited-answers.ts';
import { visitWayMigration } from './0160-visit-way.ts';
import { unclearStepsMigration } from './0170-unclear-steps.ts';
import { refusalDeviceMigration } from './0200-refusal-device.ts';
import type { Migration } from '../migrate.ts';

/** All migrations, oldest first. A released one is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  initialMigration,
  registerMigration,
  highWaterMigration,
  branchesMigration,
  triggersMigration,
  grantsMigration,
  runsWindowMigration,
  questionOrderMigration,
  journalsMigration,
  compactionMigration,
  activityMigration,
  searchMigration,
  visitOrderMigration,
  runDeviceMigration,
  awaitedAnswersMigration,
  visitWayMigration,
  unclearStepsMigration,
  refusalDeviceMigration,
];
