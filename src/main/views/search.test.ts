import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import type { RunId } from '../../shared/contract/identifiers.ts';
import type { SearchKind } from '../../shared/contract/search-views.ts';
import { change, readOne } from '../store/connection.ts';
import { rebuildProjections } from '../store/projections/rebuild.ts';
import { searchView } from './search.ts';
import { AGENT, createViewBench, identity } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
});
afterEach(() => bench.remove());

const search = (query: string, request: Partial<RequestOf<'search.list'>> = {}) =>
  searchView(bench.source, requestSchemas['search.list'].parse({ query, ...request }));

function hits(query: string, kind: SearchKind, request: Partial<RequestOf<'search.list'>> = {}) {
  return search(query, { kind, ...request }).groups[0]?.hits ?? [];
}

/** What was marked in each hit of a kind. */
const marked = (query: string, kind: SearchKind) =>
  hits(query, kind).map(({ text, ranges }) => ranges.map(({ from, to }) => text.slice(from, to)));

function end(name: string, summary: string): void {
  bench.append('run.ended', { agentId: AGENT, runId: name as RunId, ending: 'done', summary });
}

/** So many runs that what was written before them is in the index and not waiting for it. */
function fillIndex(): void {
  // Written together: one commit instead of a thousand.
  bench.connection.db
    .transaction(() => {
      for (let number = 0; number < 300; number++) {
        bench.startRun(`fill-${number}` as RunId);
        end(`fill-${number}`, `Filed sheet ${number}`);
      }
    })
    .immediate();
}

describe('search over the record', () => {
  it('does not look at whom a step is about or at what became of it', () => {
    bench.startRun();
    bench.send('token-1', { title: 'Email “Weekly numbers”', target: 'ana@example.com' });
    end('run-1', 'Accepted by the server as 4711');
    expect(marked('ana@example', 'target')).toEqual([['ana@example']]);
    expect(marked('4711 accepted', 'summary')).toEqual([['Accepted', '4711']]);
    expect(hits('post the', 'run')).toMatchObject([{ runId: 'run-1', number: 1, agentName: 'Poster', status: 'done' }]);
    expect(search('server').groups.map((group) => group.kind)).toEqual(['summary']);
  });

  it('loses a text when it goes from the waiting ones into the index', () => {
    bench.startRun();
    bench.send('token-1', { target: 'Rechnungen/März-2019 (Entwurf).pdf' });
    const before = marked('märz-2019 (entwurf)', 'target');
    fillIndex();
    expect(readOne<{ count: number }>(bench.connection.db, 'SELECT count(*) AS count FROM search_waiting')?.count).toBe(
      602 - 512,
    );
    expect(marked('märz-2019 (entwurf)', 'target')).toEqual(before);
    expect(before).toEqual([['März-2019', '(Entwurf)']]);
    expect(marked('MARZ', 'target')).toEqual([['März']]);
    expect(marked('sheet 299', 'summary')).toEqual([['sheet', '299']]);
    expect(marked('sheet 7', 'summary').length).toBeGreaterThan(10);
  });

  it('takes what is typed for the language of the index', () => {
    bench.startRun();
    fillIndex();
    for (const query of [
      '"',
      '""',
      '*',
      'NOT',
      'a" OR "b',
      'folded:x',
      '(((',
      'NEAR(',
      '-',
      '^',
      "';--",
      '%',
      '_',
      '\\',
    ]) {
      expect(() => search(query), query).not.toThrow();
      expect(search(query).groups, query).toEqual([]);
    }
    expect(search(' \u200B ')).toMatchObject({ groups: [], isNewestOnly: false });
  });

  it('is fooled by a character that nobody sees, before and after it is in the index', () => {
    bench.startRun();
    bench.send('token-1', { title: 'Pay\u200Bment', target: 'nord\u202Ewind' });
    expect(hits('payment nordwind', 'target')).toHaveLength(1);
    fillIndex();
    expect(hits('payment nordwind', 'target')).toHaveLength(1);
    expect(marked('nordwind', 'target')).toEqual([['nord\u202Ewind']]);
  });

  it('misses or repeats runs between two pages', () => {
    fillIndex();
    const seen: string[] = [];
    let before: number | undefined;
    for (let page = 0; page < 10; page++) {
      const [group] = search('filed', {
        kind: 'summary',
        limit: 70,
        ...(before === undefined ? {} : { before }),
      }).groups;
      seen.push(...(group?.hits ?? []).map((hit) => hit.runId));
      if (group?.next === null || group === undefined) break;
      before = group.next;
    }
    expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => `fill-${299 - index}`));
  });

  it('finds a run once for each try of the same step', () => {
    bench.startRun();
    for (const attemptNumber of [1, 2, 3])
      bench.send(`token-${attemptNumber}`, { attemptNumber, target: 'ledger.csv' });
    expect(hits('ledger.csv', 'target')).toHaveLength(1);
  });

  it('cannot find a run by its number, or a word of two letters', () => {
    bench.startRun();
    bench.send('token-1', { title: 'Ask', target: '会議 notes' });
    expect(hits('0001', 'run').map((hit) => hit.runId)).toEqual(['run-1']);
    expect(hits('#1', 'run').map((hit) => hit.runId)).toEqual(['run-1']);
    expect(search('会議')).toMatchObject({ isNewestOnly: true, groups: [{ kind: 'target' }] });
    fillIndex();
    expect(marked('会議', 'target')).toEqual([['会議']]);
    expect(marked('notes 会議', 'target')).toEqual([['会議', 'notes']]);
  });

  it('shows what a device wrote after it was let go', () => {
    bench.startRun();
    end('run-1', 'Paid twice');
    const gone = `INSERT INTO sync_devices (device_id, name, version, public_key, wrap_public_key, joined_at_ms, let_go_up_to)
      VALUES ('laptop', '', '', '', '', 0, 2)`;
    change(bench.connection.db, gone);
    change(bench.connection.db, `INSERT OR REPLACE INTO profile (key, value) VALUES ('device-id', 'other')`);
    expect(search('paid twice').groups).toEqual([]);
  });

  it('forgets everything, or finds it twice, when the projections are made again', () => {
    bench.startRun();
    end('run-1', 'Accepted');
    rebuildProjections(bench.connection.db);
    expect(hits('accepted', 'summary')).toHaveLength(1);
  });

  it('shows only the beginning of a long text, and not what was found in it', () => {
    bench.startRun();
    end('run-1', `${'🙂 '.repeat(200)}needle ${'x'.repeat(500)}`);
    const [hit] = hits('needle', 'summary');
    expect(hit?.text.length).toBeLessThan(340);
    expect(hit?.text).toMatch(/^….*needle.*…$/u);
    expect(hit?.ranges.map(({ from, to }) => hit.text.slice(from, to))).toEqual(['needle']);
    expect(hit?.text.isWellFormed()).toBe(true);
  });

  it('stops a record from being written because a text in it is odd', () => {
    bench.startRun();
    const odd = { ...identity('odd'), answer: 'silent', summary: 7, by: 'x' } as never;
    expect(() => bench.append('recovery.probed', odd)).not.toThrow();
    expect(hits('7', 'summary')).toHaveLength(1);
  });
});
