import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import { SEARCH_KINDS } from '../../shared/contract/search-views.ts';
import type { SearchGroup, SearchHit, SearchKind, SearchView } from '../../shared/contract/search-views.ts';
import { findWords, searchWords } from '../../shared/lib/search-text.ts';
import { readOne } from '../store/connection.ts';
import type { RunRecord } from '../store/rows.ts';
import { findAgent } from '../store/rows.ts';
import { findTexts, isNewestOnly } from '../store/search.ts';
import type { FoundText } from '../store/search.ts';
import { standingOf } from './run-status.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** More than one entry of a run can say the same: so many are read for each hit that is shown. */
const READ_AHEAD = 3;
/** How much of a long text is shown, and how much of it before what was found. */
const SHOWN_LENGTH = 160;
const SHOWN_BEFORE = 40;

/** Looks for words in the names of runs, in what and whom steps are about, and in what became of them. Newest first. */
export function searchView(source: ViewSource, request: ParsedRequestOf<'search.list'>): SearchView {
  const words = searchWords(request.query);
  const kinds = request.kind === undefined ? SEARCH_KINDS : [request.kind];
  const names = new Map<string, string>();
  const groups = kinds.map((kind) => groupOf(source, { kind, words, request, names }));
  return {
    sequence: sequenceOf(source),
    groups: groups.filter((group) => group.hits.length > 0),
    isNewestOnly: words.length > 0 && isNewestOnly(words),
  };
}

interface Looking {
  readonly kind: SearchKind;
  readonly words: readonly string[];
  readonly request: ParsedRequestOf<'search.list'>;
  readonly names: Map<string, string>;
}

function groupOf(source: ViewSource, looking: Looking): SearchGroup {
  const { kind, words, request } = looking;
  const before = request.before ?? Number.MAX_SAFE_INTEGER;
  const asked = request.limit * READ_AHEAD;
  const found = findTexts(source.connection.db, { kind, words, before, limit: asked });
  const hits: SearchHit[] = [];
  const seen = new Set<string>();
  let next: number | null = null;
  for (const each of found) {
    if (hits.length === request.limit) break;
    next = each.seq;
    // A step that was tried again says the same once more.
    const name = `${each.run.run_id} ${each.text}`;
    if (!seen.has(name)) hits.push(hitOf(source, looking, each));
    seen.add(name);
  }
  const isMore = found.length === asked || (next !== null && found.at(-1)?.seq !== next);
  return { kind, hits: [...byNumber(source, looking), ...hits], next: isMore ? next : null };
}

/** A number alone is also the number of a run. */
function byNumber(source: ViewSource, looking: Looking): readonly SearchHit[] {
  const { kind, request } = looking;
  const number = /^#?(\d{1,15})$/u.exec(request.query.trim())?.[1];
  if (kind !== 'run' || number === undefined || request.before !== undefined) return [];
  const run = readOne<RunRecord>(source.connection.db, 'SELECT * FROM runs WHERE run_number = ?', Number(number));
  if (run === null) return [];
  return [hitOf(source, looking, { seq: 0, text: run.title, atMs: run.started_at_ms, run })];
}

function hitOf(source: ViewSource, { words, names }: Looking, { text, atMs, run }: FoundText): SearchHit {
  const agentName = names.get(run.agent_id) ?? findAgent(source.connection.db, run.agent_id)?.name ?? run.agent_id;
  names.set(run.agent_id, agentName);
  return {
    runId: run.run_id,
    number: run.run_number,
    title: run.title,
    agentName,
    status: standingOf(source, run),
    ...shownOf(text, words),
    atMs,
  };
}

/** A long text is cut around what was found first, never inside a character. */
function shownOf(text: string, words: readonly string[]): Pick<SearchHit, 'text' | 'ranges'> {
  const all = findWords(text, words) ?? [];
  const characters = Array.from(text);
  if (characters.length <= SHOWN_LENGTH) return { text, ranges: all };
  const before = Array.from(text.slice(0, all[0]?.from ?? 0)).length;
  const from = Math.max(0, Math.min(before - SHOWN_BEFORE, characters.length - SHOWN_LENGTH));
  const cut = characters.slice(from, from + SHOWN_LENGTH).join('');
  const shown = `${from === 0 ? '' : '…'}${cut}${from + SHOWN_LENGTH < characters.length ? '…' : ''}`;
  return {
    text: shown,
    ranges:
      findWords(shown, words) ??
      inside(all, { from: characters.slice(0, from).join('').length - (from === 0 ? 0 : 1), length: shown.length }),
  };
}

/** The ranges that are still to be seen after a cut in which not every word is left. */
function inside(
  ranges: SearchHit['ranges'],
  { from, length }: { readonly from: number; readonly length: number },
): SearchHit['ranges'] {
  return ranges
    .map((range) => ({ from: range.from - from, to: range.to - from }))
    .filter((range) => range.from >= 0 && range.to < length);
}
