import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { ControlView, HoldView } from '../../shared/contract/decision-views.ts';
import { pauseState } from '../../shared/core/gate/hold.ts';
import { readAll, readOne } from '../store/connection.ts';
import { findHold } from '../store/holds.ts';
import { findAgent } from '../store/rows.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** How many titles of what is on its way are named one by one. */
const NAMED_LIMIT = 5;

/** What is on its way at this moment: of one agent, or of all (`null`). Unclear steps are not: nobody follows them. */
function inFlightTitles(source: ViewSource, agentId: string | null): readonly string[] {
  return readAll<{ title: string }>(
    source.connection.db,
    `SELECT json_extract(intent, '$.title') AS title FROM attempts
       WHERE progress = 'in-flight' AND in_doubt_at_ms IS NULL AND (agent_id = ? OR ? IS NULL) ORDER BY started_at_ms`,
    agentId,
    agentId,
  ).map((row) => row.title);
}

/** The pause of one agent, or of everything (`null`); `null` if there is none. */
export function holdView(source: ViewSource, agentId: string | null): HoldView | null {
  const hold = findHold(source.connection.db, agentId);
  if (hold === null) return null;
  const state = pauseState(true, inFlightTitles(source, agentId).length);
  return { state: state === 'paused' ? 'paused' : 'pause-requested', by: hold.held_by, sinceMs: hold.held_at_ms };
}

/** What a stop and a pause of an agent, or of everything, would and would not do now; `null` if there is no such agent. */
export function controlView(source: ViewSource, agentId: AgentId | null): ControlView | null {
  const { db } = source.connection;
  const agent = agentId === null ? null : findAgent(db, agentId);
  if (agentId !== null && agent === null) return null;
  const open =
    readOne<{ count: number }>(
      db,
      'SELECT count(*) AS count FROM runs WHERE ending IS NULL AND parent_run_id IS NULL AND (agent_id = ? OR ? IS NULL)',
      agentId,
      agentId,
    )?.count ?? 0;
  const inFlight = inFlightTitles(source, agentId);
  const names = { whose: agent === null ? 'any agent' : agent.name, isAll: agent === null };
  return {
    sequence: sequenceOf(source),
    name: agent?.name ?? null,
    openRuns: open,
    inFlight,
    hold: holdView(source, agentId),
    stop: stopSentences(open, inFlight, names),
    pause: pauseSentences(open, inFlight),
  };
}

function stopSentences(open: number, inFlight: readonly string[], of: { whose: string; isAll: boolean }): string[] {
  const runs =
    open === 0
      ? `No run of ${of.whose} is under way.`
      : open === 1
        ? 'The one run that is under way ends for good. It can’t be resumed.'
        : `The ${open} runs that are under way end for good. They can’t be resumed.`;
  const permission = of.isAll
    ? 'The permissions of all agents are taken back: nothing starts until you permit an agent again.'
    : 'Its permission is taken back: nothing of it starts until you permit it again.';
  return [runs, onTheirWay(inFlight), permission, 'What was already sent stays sent.'];
}

function pauseSentences(open: number, inFlight: readonly string[]): string[] {
  const runs =
    open === 0
      ? 'No run is under way now.'
      : open === 1
        ? 'The run that is under way waits before its next step. Nothing is lost.'
        : `The ${open} runs that are under way wait before their next step. Nothing is lost.`;
  return [runs, onTheirWay(inFlight), 'Runs that start meanwhile wait as well. All of them go on when you resume.'];
}

function onTheirWay(titles: readonly string[]): string {
  const [first] = titles;
  if (first === undefined) return 'Nothing is on its way, so nothing more is sent.';
  const named = titles.slice(0, NAMED_LIMIT).map((title) => `“${title}”`);
  const more = titles.length > NAMED_LIMIT ? ` and ${titles.length - NAMED_LIMIT} more` : '';
  return titles.length === 1
    ? `1 step is on its way: ${named.join('')}. It can’t be called back: it is followed to its end and recorded, or shown as unclear. Nothing after it is sent.`
    : `${titles.length} steps are on their way: ${named.join(', ')}${more}. They can’t be called back: they are followed to their end and recorded, or shown as unclear. Nothing after them is sent.`;
}
