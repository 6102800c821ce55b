import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestSchemas } from '../../shared/contract/api.ts';
import type { RequestOf } from '../../shared/contract/api.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { activityEntry, activityNews, activityView } from './activity.ts';
import { AGENT, createViewBench, identity, RUN } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function list(request: RequestOf<'activity.list'> = {}) {
  return activityView(bench.source, requestSchemas['activity.list'].parse(request));
}

function news(request: RequestOf<'activity.news'>) {
  return activityNews(bench.source, requestSchemas['activity.news'].parse(request));
}

const by = (kind: string) => list({ limit: 500 }).rows.find((row) => row.kind === kind);

describe('the activity', () => {
  it('tells an entry without who, what, where and its run', () => {
    bench.send();
    expect(by('trigger.fired')).toMatchObject({
      actor: { kind: 'person', name: 'You' },
      sentence: '“Post the report” was started by You',
      agentName: 'Poster',
      deviceName: 'Laptop',
      runId: RUN,
      runNumber: 1,
    });
    expect(by('intent.recorded')).toMatchObject({ actor: { kind: 'agent', name: 'Poster' }, act: 'effects' });
    expect(by('gate.decided')).toMatchObject({ actor: { kind: 'host', name: 'Fencepost' }, act: 'checks' });
    expect(by('grant.given')).toMatchObject({
      actor: { kind: 'person', name: 'You' },
      sentence: 'You permitted this version of the agent',
      runId: null,
    });
    expect(by('run.entered')?.sentence).toBe('Came to “Post the report”');
  });

  it('says that something left before anybody could know', () => {
    bench.send();
    expect(by('effect.started')?.sentence).toBe('Laptop was about to send it');
  });

  it('blames the person for what a standing permission, a schedule or the host did', () => {
    const at = { agentId: AGENT, runId: RUN };
    const decided = { approvalId: 'a', isAllowed: true, by: 'you', reason: '' };
    bench.append('approval.decided', { ...at, ...decided, standingId: 's' });
    expect(by('approval.decided')?.actor.kind).toBe('host');
    bench.send();
    const previousOwner = { deviceId: 'laptop' as DeviceId, hostId: 'host-1', epoch: 3 };
    bench.append('recovery.in-doubt', { ...identity(), code: 'timeout', previousOwner, lostSince: null });
    bench.append('recovery.probed', { ...identity(), answer: 'silent', summary: '', by: 'Fencepost' });
    expect(by('recovery.probed')?.actor.kind).toBe('host');
    expect(by('recovery.in-doubt')).toMatchObject({ mark: 'unclear', actor: { kind: 'host' } });
  });

  it('goes blind over one entry that a later version wrote, or that is of another shape', () => {
    const { db } = bench.connection;
    const raw = (kind: string, payload: string) =>
      db
        .prepare(
          `INSERT INTO ops (op_id, prev_hash, device_id, wall_ms, counter, kind, payload, journal_seq)
           VALUES (?, '', 'other', 5, 0, ?, ?, 1)`,
        )
        .run(kind, kind, payload);
    raw('lease.future', '{"agentId":"poster"}');
    raw('recovery.in-doubt', '{}');
    raw('trigger.missed', '{"reason":7}');
    expect(list().rows.map((row) => [row.kind, row.act])).toEqual(
      expect.arrayContaining([
        ['lease.future', null],
        ['recovery.in-doubt', 'decisions'],
      ]),
    );
    expect(by('lease.future')?.sentence).toContain('later version');
    expect(by('recovery.in-doubt')?.sentence).not.toBe('');
    expect(by('trigger.missed')?.sentence).not.toBe('');
  });

  it('counts what does not fit as news, or what was there before', () => {
    const { newestSeq } = list();
    expect(news({ after: newestSeq })).toMatchObject({ count: 0, isMore: false });
    bench.send();
    expect(news({ after: newestSeq })).toMatchObject({ count: 5, isMore: false });
    expect(news({ after: newestSeq, acts: ['checks'] })).toMatchObject({ count: 3 });
    expect(news({ after: newestSeq, agentId: 'another' })).toMatchObject({ count: 0 });
  });

  it('leads from page to page by the place, not by a count', () => {
    bench.send();
    const all = list({ limit: 500 }).rows.map((row) => row.seq);
    const first = list({ limit: 4 });
    bench.append('agent.pause-requested', { agentId: null, by: 'You' });
    const second = list({ limit: 4, ...(first.before === null ? {} : { before: first.before }) });
    expect([...first.rows, ...second.rows].map((row) => row.seq)).toEqual(all.slice(0, 8));
  });
});

describe('the facts of one entry', () => {
  it('are those of another, or hold a long text as a whole', () => {
    const input = bench.connection.journal.keep('x'.repeat(40_000));
    bench.intent({ input });
    const row = by('intent.recorded');
    const entry = activityEntry(bench.source, row?.seq ?? 0);
    expect(entry).toMatchObject({ row, runTitle: 'Post the report', event: { kind: 'intent.recorded' } });
    expect(JSON.stringify(entry).length).toBeLessThan(20_000);
    expect(activityEntry(bench.source, 999_999)).toBeNull();
  });
});
