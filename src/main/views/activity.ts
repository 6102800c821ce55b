import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type {
  ActivityEntryView,
  ActivityNewsView,
  ActivityRow,
  ActivityView,
} from '../../shared/contract/activity-views.ts';
import { actOf, kindsOf } from '../../shared/contract/acts.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { devicesOfRecord, findPlaces, newestPlace } from '../store/activity-places.ts';
import type { PlaceFilter } from '../store/activity-places.ts';
import { readOne } from '../store/connection.ts';
import { eventOf } from '../store/journal-rows.ts';
import type { OpRow } from '../store/journal-rows.ts';
import { findAgent, findAttempt, findRun, intentOf } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { actorOf } from './activity-actor.ts';
import { activitySentence } from './activity-words.ts';
import type { ActivityNames } from './activity-words.ts';
import { evidenceOf } from './run-events.ts';
import { stateTitle } from './steps.ts';
import { deviceNameOf, sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** More news than this is not counted. */
const NEWS_LIMIT = 999;

/** A page of the whole record, from the newest entry backwards. */
export function activityView(source: ViewSource, request: ParsedRequestOf<'activity.list'>): ActivityView {
  const { db } = source.connection;
  const newestSeq = newestPlace(db);
  const before = request.before ?? newestSeq + 1;
  const found = findPlaces(db, filterOf(request), { from: 1, before, limit: request.limit });
  const names = pageNames(source);
  return {
    sequence: sequenceOf(source),
    newestSeq,
    rows: found.places.flatMap((seq) => {
      const row = readOp(source, seq);
      return row === null ? [] : [activityRow(source, row, names)];
    }),
    before: found.before,
    devices: devicesOfRecord(db).map((deviceId) => ({ deviceId, name: deviceNameOf(source, deviceId) })),
  };
}

/** What came after a place, and fits. */
export function activityNews(source: ViewSource, request: ParsedRequestOf<'activity.news'>): ActivityNewsView {
  const { db } = source.connection;
  const range = { from: request.after + 1, before: newestPlace(db) + 1, limit: NEWS_LIMIT + 1 };
  const { places, before } = findPlaces(db, filterOf(request), range);
  const isMore = places.length > NEWS_LIMIT || before !== null;
  return { sequence: sequenceOf(source), count: Math.min(places.length, NEWS_LIMIT), isMore };
}

/** One entry with its facts; `null` if there is none at that place. */
export function activityEntry(source: ViewSource, seq: number): ActivityEntryView | null {
  const row = readOp(source, seq);
  if (row === null) return null;
  const [event = eventOf(row)] = evidenceOf([eventOf(row)]);
  const title = row.run_id === null ? null : findRun(source.connection.db, row.run_id)?.title;
  return { row: activityRow(source, row, pageNames(source)), runTitle: title ?? '', event };
}

function readOp(source: ViewSource, seq: number): OpRow | null {
  return readOne<OpRow>(source.connection.db, 'SELECT * FROM ops WHERE seq = ?', seq);
}

function filterOf(request: Omit<ParsedRequestOf<'activity.news'>, 'after'>): PlaceFilter {
  const { acts, agentId = null, deviceId = null, sinceMs = null } = request;
  return { kinds: acts.length === 0 ? null : kindsOf(acts), agentId, deviceId, sinceMs };
}

/** Names looked up once for a page. */
interface PageNames {
  readonly agent: (agentId: string | null) => string;
  readonly run: (runId: string | null) => RunRecord | null;
}

function pageNames({ connection }: ViewSource): PageNames {
  const agents = new Map<string, string>();
  const runs = new Map<string, RunRecord | null>();
  return {
    agent(agentId) {
      if (agentId === null) return '';
      const known = agents.get(agentId) ?? findAgent(connection.db, agentId)?.name ?? agentId;
      agents.set(agentId, known);
      return known;
    },
    run(runId) {
      if (runId === null) return null;
      const known = runs.get(runId) ?? findRun(connection.db, runId);
      runs.set(runId, known);
      return known;
    },
  };
}

function activityRow(source: ViewSource, row: OpRow, names: PageNames): ActivityRow {
  const event = eventOf(row);
  const run = names.run(row.run_id);
  const agentName = names.agent(row.agent_id);
  return {
    seq: row.seq,
    atMs: row.wall_ms,
    kind: row.kind,
    act: actOf(row.kind),
    ...activitySentence(event, namesOf(source, run)),
    actor: actorOf(event, agentName),
    agentId: row.agent_id,
    agentName,
    deviceName: deviceNameOf(source, row.device_id),
    runId: run === null ? null : run.run_id,
    runNumber: run?.run_number ?? null,
  };
}

/**
 * An entry is told as what it was when it was written: of an effect that began, nobody knew yet whether it would leave, and
 * what became of it stands in a later entry.
 */
function namesOf(source: ViewSource, run: RunRecord | null): ActivityNames {
  const { db } = source.connection;
  return {
    source,
    deviceName: (deviceId) => deviceNameOf(source, deviceId),
    stateTitle(stateId) {
      const strategy = run === null ? null : source.strategyOf(run.revision_digest);
      return stateTitle(stateId, strategy === null ? undefined : ownMember(strategy.states, stateId));
    },
    attempt(token: string) {
      const attempt = findAttempt(db, token);
      if (attempt === null) return null;
      const { tool, title, attemptNumber } = intentOf(attempt);
      return { tool, title, number: attemptNumber };
    },
    isOver: () => true,
    mayNotHaveLeft: () => true,
  };
}
