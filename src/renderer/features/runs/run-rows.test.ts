import { describe, expect, it } from 'vitest';
import type { SavedView } from '../../../shared/contract/saved-views.ts';
import type { RunRow, RunsView } from '../../../shared/contract/views.ts';
import { NO_FILTERS, PAGE_ROWS, countOf, pageRequest, savedViewOf, builtInViews, viewOf } from './run-filters.ts';
import { bandOf, keptPages, loadedRows, movedBy, pagesFor } from './run-rows.ts';

const row = (runId: string): RunRow => ({
  runId,
  number: 1,
  status: 'done',
  title: runId,
  agentId: 'a',
  agentName: 'A',
  deviceName: 'This Mac',
  startedAtMs: 0,
  endedAtMs: 1,
  stepsDone: 1,
  stepsTotal: 1,
  lastEvent: '',
});
const page = (...ids: string[]): RunsView => ({
  sequence: 1,
  total: ids.length,
  shown: ids.length,
  counts: {},
  rows: ids.map(row),
  devices: [],
});

describe('rows of the runs list', () => {
  it('keeps rows at their place when an earlier page has not arrived', () => {
    const rows = loadedRows(new Map([[2, page('x', 'y')]]));
    expect(rows.rowAt(0)).toBeNull();
    expect(rows.rowAt(2 * PAGE_ROWS + 1)?.runId).toBe('y');
    expect(rows.indexOf('y')).toBe(2 * PAGE_ROWS + 1);
  });

  it('keeps every page of a list that was scrolled through, or lets go of the row that a stretch begins at', () => {
    const pages = new Map(Array.from({ length: 500 }, (_, index) => [index, page(`row-${index}`)]));
    expect([...keptPages(pages, [250, 251], [null, 'row-3']).keys()]).toEqual([
      3, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257,
    ]);
  });

  it('takes a saved view for the one in use that looks for something else', () => {
    const kept = {
      viewId: 'v',
      name: 'Bills',
      search: 'bill ',
      statuses: ['done', 'stopped'],
      agentId: null,
      deviceId: null,
      time: null,
    } as const;
    const views: SavedView[] = [{ ...kept, statuses: [...kept.statuses] }];
    expect(savedViewOf(views, { ...NO_FILTERS, search: 'bill', statuses: ['stopped', 'done'] })?.name).toBe('Bills');
    expect(savedViewOf(views, { ...NO_FILTERS, statuses: ['stopped', 'done'] })).toBeNull();
    expect(savedViewOf(views, { ...NO_FILTERS, search: 'bill', statuses: ['done'] })).toBeNull();
    expect(
      savedViewOf(views, { ...NO_FILTERS, search: 'bill', statuses: ['stopped', 'done'], agentId: 'a' }),
    ).toBeNull();
  });

  it('takes a saved view for the one in use that is of another device or another time', () => {
    const between = { kind: 'between', from: '2026-10-01', until: '2026-10-12' } as const;
    const kept: SavedView = {
      viewId: 'v',
      name: 'October',
      search: '',
      statuses: [],
      agentId: null,
      deviceId: null,
      time: between,
    };
    expect(savedViewOf([kept], { ...NO_FILTERS, time: { ...between } })?.name).toBe('October');
    expect(savedViewOf([kept], { ...NO_FILTERS, time: { ...between, until: '2026-10-13' } })).toBeNull();
    expect(savedViewOf([kept], { ...NO_FILTERS, time: { kind: 'today' } })).toBeNull();
    expect(savedViewOf([kept], { ...NO_FILTERS, time: between, deviceId: 'phone' })).toBeNull();
  });

  it('asks for another device or time than the one that was chosen', () => {
    const atMs = new Date(2026, 9, 12, 9, 30).getTime();
    const filters = { ...NO_FILTERS, deviceId: 'phone', time: { kind: 'today' } } as const;
    const sinceMs = new Date(2026, 9, 12).getTime();
    expect(pageRequest(filters, 0, atMs)).toMatchObject({ deviceId: 'phone', sinceMs });
  });

  it('asks for every page that the visible stretch touches, and no other', () => {
    expect(pagesFor(0, 30)).toEqual([0]);
    expect(pagesFor(PAGE_ROWS - 1, PAGE_ROWS)).toEqual([0, 1]);
    expect(pagesFor(-5, -1)).toEqual([0]);
  });

  it('counts only new rows as new, so that a row that merely moved up is not announced', () => {
    const before = loadedRows(new Map([[0, page('a', 'b', 'c')]]));
    const after = loadedRows(new Map([[0, page('new', 'c', 'a', 'b')]]));
    expect(movedBy(before, after, 'a')).toEqual({ rows: 2, newAbove: 1 });
  });

  it('does not scroll when the kept row vanished', () => {
    const before = loadedRows(new Map([[0, page('a', 'b')]]));
    const after = loadedRows(new Map([[0, page('z', 'b')]]));
    expect(movedBy(before, after, 'a')).toEqual({ rows: 0, newAbove: 0 });
  });
});

describe('band and saved views', () => {
  it('leaves nothing that needs a person out of the band', () => {
    expect(bandOf({ 'needs-approval': 2, 'needs-recovery': 1, done: 9 }).map((part) => part.count)).toEqual([3, 9]);
  });

  it('covers each of the eleven states with a saved view', () => {
    const covered = new Set(builtInViews.flatMap((view) => view.statuses));
    expect(covered.size).toBe(11);
  });

  it('recognises a view whatever the order in which its states were chosen', () => {
    expect(viewOf(['needs-approval', 'needs-recovery'])).toBe('needs');
    expect(viewOf(['needs-approval'])).toBe('');
    expect(countOf({ id: '', label: '', statuses: ['done', 'missed'] }, { done: 2 })).toBe(2);
  });

  it('never sends a search longer than the host takes', () => {
    expect(pageRequest({ ...NO_FILTERS, search: 'x'.repeat(900) }, 3)).toMatchObject({
      offset: 3 * PAGE_ROWS,
      search: 'x'.repeat(200),
    });
  });
});
