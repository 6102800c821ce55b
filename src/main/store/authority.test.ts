import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type { AgentId, AttemptToken, Digest, EffectKey, RunId, StateId } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { HostClock } from '../host/clock.ts';
import { parseStrategy } from '../strategy/load-strategy.ts';
import { askedOnce } from '../host/testing/approval-strategy.ts';
import { authorityFor, staleAnswer } from './authority.ts';
import type { GuardedEffect } from './authority.ts';
import { sha256 } from './connection.ts';
import type { Connection } from './connection.ts';
import { grantNow } from './grant-now.ts';
import { findRun } from './rows.ts';
import type { Store } from './store.ts';
import { connectionOf, openStore } from './testing/store-bench.ts';
import { must, useTemporaryFolders } from './testing/temporary-folder.ts';
import { decideApproval } from './transactions/decide-approval.ts';
import { giveGrant, OPEN_TERMS, previewGrant } from './transactions/give-grant.ts';

const newFolder = useTemporaryFolders();
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 9, 12, 5, 0, 0);
const AGENT = 'asks' as AgentId;
const RUN = 'run-1' as RunId;
const INPUT = 'the input';
const ASK = 'ask' as StateId;
const POST = 'post' as StateId;

function parsed(): { strategy: Strategy; digest: Digest } {
  const found = parseStrategy('asks.yaml', askedOnce('asks', 'http://127.0.0.1:1/asks'));
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return found.value;
}

describe('the authority of an effect, on a record whose clock is set back', () => {
  const { strategy, digest } = parsed();
  let store: Store;
  let nowMs = START_MS;
  const clock: HostClock = {
    read: () => ({ wallMs: nowMs, monotonicMs: nowMs, bootMs: nowMs }),
    instant: () => ({ bootId: 'boot', bootMs: nowMs }),
  };
  const effect: GuardedEffect = {
    agentId: AGENT,
    runId: RUN,
    effectKey: 'post#1' as EffectKey,
    stateId: POST,
    revisionDigest: digest,
    inputDigest: sha256(INPUT),
    guardedBy: ASK,
  };
  beforeEach(async () => {
    nowMs = START_MS;
    store = openStore(newFolder(), clock);
    must(
      await store.write(({ journal }) => {
        const saved = { agentId: AGENT, revisionDigest: digest, name: 'Asks', description: '', source: '' };
        journal.append('agent.saved', saved);
      }),
    );
  });
  afterEach(() => store.close());

  async function permit(expiresAtMs: number | null): Promise<void> {
    const terms = { ...OPEN_TERMS, expiresAtMs };
    const given = await store.write((connection) => {
      const { previewDigest } = must(previewGrant(connection, AGENT, terms));
      return giveGrant(connection, { agentId: AGENT, previewDigest, terms, by: 'Test' });
    });
    must(must(given));
  }

  function lease(epoch: number): Promise<unknown> {
    const register = { coordinatorId: 'register', incarnation: 'first', holdOffMs: 0, previousHolder: null };
    return store.write(({ journal }) => journal.append('lease.acquired', { agentId: AGENT, epoch, ...register }));
  }

  function request(journal: Connection['journal'], approvalId: string, forMs = HOUR_MS): void {
    journal.append('approval.requested', {
      agentId: AGENT,
      runId: RUN,
      approvalId,
      stateId: ASK,
      stateVisit: 1,
      ofStateId: POST,
      inputDigest: sha256(INPUT),
      input: journal.keep(INPUT),
      question: '',
      title: '',
      target: 'POST http://127.0.0.1:1/asks',
      effectKind: 'blind',
      tool: 'http.request',
      expiresAtMs: journal.nowMs() + forMs,
    });
  }

  async function ask(approvalId = 'question', forMs = HOUR_MS): Promise<void> {
    const at = { agentId: AGENT, runId: RUN };
    const written = await store.write(({ journal }) => {
      journal.append('trigger.fired', {
        ...at,
        revisionDigest: digest,
        requestDigest: digest,
        title: 'Run',
        by: 'Test',
        input: {},
        stateId: ASK,
      });
      journal.append('run.entered', { ...at, stateId: ASK, stateVisit: 1 });
      request(journal, approvalId, forMs);
    });
    must(written);
  }

  async function allow(epoch: number | null, approvalId = 'question') {
    const answer = { approvalId, inputDigest: sha256(INPUT), isAllowed: true, by: 'Anna', reason: '' };
    return must(await store.write((within) => decideApproval(within, { ...answer, epoch, strategy, nowMs })));
  }

  it('a permission that had run out when something was last written is in force again', async () => {
    await permit(START_MS + HOUR_MS);
    expect(grantNow(connectionOf(store), AGENT, digest).standing.kind).toBe('in-force');
    nowMs = START_MS + HOUR_MS;
    await lease(1);
    nowMs = START_MS;
    expect(grantNow(connectionOf(store), AGENT, digest).standing).toEqual({
      kind: 'expired',
      expiresAtMs: START_MS + HOUR_MS,
    });
  });

  it('a question that was over when something was last written can be answered with yes', async () => {
    await permit(null);
    await lease(1);
    await ask();
    nowMs = START_MS + HOUR_MS;
    await lease(1);
    nowMs = START_MS;
    expect(await allow(1)).toMatchObject({ ok: false, error: { code: 'already-decided' } });
    expect(authorityFor(connectionOf(store), effect)).toBeNull();
  });

  it('an older yes is taken for the newest answer, because both questions have the same time', async () => {
    await permit(null);
    await lease(1);
    await ask();
    expect(await allow(1)).toEqual({ ok: true, value: null });
    expect(authorityFor(connectionOf(store), effect)).not.toBeNull();
    nowMs = START_MS - HOUR_MS;
    // By its name it would come before the first one; only the journal tells that it came after it.
    must(await store.write(({ journal }) => request(journal, 'a later question')));
    expect(authorityFor(connectionOf(store), effect)).toBeNull();
  });

  it('a yes without a lease counts, or one outlives its lease or goes to another device', async () => {
    await permit(null);
    await lease(1);
    await ask();
    expect(await allow(null)).toMatchObject({ ok: false, error: { code: 'not-holder' } });
    expect(await allow(1)).toEqual({ ok: true, value: null });
    expect(authorityFor(connectionOf(store), effect)).not.toBeNull();
    const connection = connectionOf(store);
    const elsewhere = { db: connection.db, journal: { deviceId: 'tower', nowMs: () => nowMs } };
    expect(staleAnswer(elsewhere, effect)?.reason).toBe('device-changed');
    await lease(2);
    expect(authorityFor(connection, effect)).toBeNull();
    expect(staleAnswer(connection, effect)?.reason).toBe('epoch-changed');
  });

  it('two devices asked the same, and the run goes on twice, or waits for ever behind the answer that did not come', async () => {
    await permit(null);
    await lease(1);
    await ask();
    must(await store.write(({ journal }) => request(journal, 'of the other device')));
    await allow(1);
    const connection = connectionOf(store);
    expect(findRun(connection.db, RUN)).toMatchObject({ state_id: POST, state_visit: 1 });
    expect(authorityFor(connection, effect)).toBeNull();
    expect(staleAnswer(connection, effect)).toMatchObject({
      approval: { approval_id: 'question' },
      reason: 'overtaken',
    });
    expect(await allow(1, 'of the other device')).toEqual({ ok: true, value: null });
    expect(findRun(connection.db, RUN)).toMatchObject({ phase: 'ready', state_id: POST, state_visit: 1 });
    expect(authorityFor(connection, effect)).not.toBeNull();
  });

  it('a question that another device let run out meanwhile is taken for a yes, or what was answered waits for ever', async () => {
    await permit(null);
    await lease(1);
    await ask();
    await allow(1);
    const connection = connectionOf(store);
    const authority = authorityFor(connection, effect);
    const expire = ({ journal }: Connection) =>
      journal.append('approval.expired', { agentId: AGENT, runId: RUN, approvalId: 'question' });
    must(await store.write(expire));
    expect(authorityFor(connection, effect)).toBeNull();
    expect(staleAnswer(connection, effect)?.reason).toBe('overtaken');
    // Somebody has said since that the attempt which relied on the yes is to be made again.
    const attemptToken = 'attempt' as AttemptToken;
    const at = { effect: { agentId: AGENT, runId: RUN, effectKey: effect.effectKey }, attemptToken };
    const doubt = { ...at, code: 'aborted', previousOwner: null, lostSince: null };
    const decided = { ...at, choice: 'send-again', by: 'Anna', reason: '', epoch: 1 } as const;
    must(
      await store.write(({ journal }) => {
        const place = { stateId: POST, stateVisit: 1, inputDigest: effect.inputDigest, grantDigest: authority };
        journal.append('intent.recorded', { ...at, attemptNumber: 1, ...place } as EventPayloads['intent.recorded']);
        journal.append('effect.started', { ...at, epoch: 1, idempotencyKey: 'key' });
        journal.append('recovery.in-doubt', doubt);
      }),
    );
    expect(authorityFor(connection, effect)).toBeNull();
    must(await store.write(({ journal }) => journal.append('recovery.decided', decided)));
    expect(authorityFor(connection, effect)).toBe(authority);
    expect(staleAnswer(connection, effect)).toBeNull();
  });

  it('a yes for one input, one run or one permission is authority for another', async () => {
    await permit(null);
    await lease(1);
    await ask();
    await allow(1);
    const connection = connectionOf(store);
    const first = authorityFor(connection, effect);
    expect(authorityFor(connection, { ...effect, inputDigest: sha256('another') })).toBeNull();
    expect(staleAnswer(connection, { ...effect, inputDigest: sha256('another') })?.reason).toBe('input-changed');
    expect(authorityFor(connection, { ...effect, runId: 'run-2' as RunId })).toBeNull();
    expect(authorityFor(connection, { ...effect, agentId: 'other' as AgentId })).toBeNull();
    expect(authorityFor(connection, { ...effect, revisionDigest: sha256('next') })).toBeNull();
    await permit(null);
    const second = authorityFor(connection, effect);
    expect([first, second].every((each) => each !== null)).toBe(true);
    expect(second).not.toBe(first);
  });
});
