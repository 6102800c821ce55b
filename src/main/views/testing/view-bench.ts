import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EventKind, EventPayloads, RecordedEvent } from '../../../shared/contract/events.ts';
import type {
  AgentId,
  AttemptToken,
  DeviceId,
  EffectKey,
  RunId,
  StateId,
} from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { HostControl, LeaseStatus } from '../../host/control.ts';
import { Sleeps } from '../../host/sleeps.ts';
import type { HostClock } from '../../host/clock.ts';
import { readOne, sha256 } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { openDatabase } from '../../store/database.ts';
import { Journal } from '../../store/journal.ts';
import { MIGRATIONS } from '../../store/migrations/migrations.ts';
import { NO_SECRETS } from '../../secrets/no-secrets.ts';
import { parseStrategy } from '../../strategy/load-strategy.ts';
import { bootTerms } from '../../coordinators/sqlite/lease-terms.ts';
import { SqliteRegister } from '../../coordinators/sqlite/sqlite-register.ts';
import type { ViewSource } from '../view-source.ts';

export const AGENT = 'poster' as AgentId;
export const RUN = 'run-1' as RunId;
const POST = 'post' as StateId;
export const OTHER_DEVICE = 'other' as DeviceId;
const START_MS = Date.UTC(2026, 9, 12, 5, 0, 0);

/** A strategy with every kind of state. */
const STRATEGY = `fencepost: 1
id: poster
name: Poster
input: { folder: { title: Folder, default: ~/Reports } }
scope: { folders: ['{{ input.folder }}'], programs: [sort, tar], hosts: ['api.example.com:443'] }
start: ask
states:
  ask: { type: approve, title: Ask me first, question: Post it?, of: post, onSuccess: post, onFailure: never }
  post:
    type: tool
    title: Post the report
    call: { tool: http.request, method: POST, url: 'https://api.example.com/x', body: hi }
    onSuccess: over
    onFailure: failed
    onUnclear: never
  over: { type: choice, title: Big?, branches: [{ value: '5', atLeast: 5, to: pause }], otherwise: pause }
  pause: { type: wait, forMs: 300000, onSuccess: keep }
  keep:
    type: tool
    title: Keep a copy
    call: { tool: file.write, path: '{{ input.folder }}/copy.txt', content: hi }
    onSuccess: done
  done: { type: done, title: All done }
  never: { type: done, title: Not posted }
  failed: { type: fail, title: It failed }
`;

/** A real record in a temporary folder, written through the journal, and the views' source over it. */
export interface ViewBench {
  readonly connection: Connection;
  readonly source: ViewSource;
  nowMs: number;
  lease: LeaseStatus;
  /** What running calls told. */
  live: ReturnType<HostControl['liveOf']>;
  /** What is known about waiting for other devices. */
  awaited: HostControl['awaited'];
  readonly control: HostControl;
  append<Kind extends EventKind>(kind: Kind, payload: EventPayloads[Kind]): RecordedEvent;
  /** Writes down the agent, its permission and one run that has entered `post`. */
  startRun(runId?: RunId): void;
  intent(changes?: Partial<EventPayloads['intent.recorded']>, token?: string): void;
  /** Intent, gate, claim, fence and the in-flight mark. */
  send(token?: string, changes?: Partial<EventPayloads['intent.recorded']>): void;
  doubt(token?: string, code?: string): void;
  remove(): void;
}

export function identity(
  token = 'token-1',
  runId = RUN,
): { effect: { agentId: AgentId; runId: RunId; effectKey: EffectKey }; attemptToken: AttemptToken } {
  return { effect: { agentId: AGENT, runId, effectKey: 'post#1' as EffectKey }, attemptToken: token as AttemptToken };
}

function notNeeded(): never {
  throw new Error('Not needed by this test.');
}

/** Makes a bench, with another strategy for the agent if one is given; `remove` it after the test. */
export function createViewBench(text = STRATEGY): ViewBench {
  const folder = mkdtempSync(path.join(tmpdir(), 'fencepost-views-'));
  const opened = openDatabase(path.join(folder, 'fencepost.sqlite'), { migrations: MIGRATIONS });
  if (!opened.ok) throw new Error(opened.error.message);
  const db = opened.value;
  const parsed = parseStrategy('poster.yaml', text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const { strategy, digest } = parsed.value;
  const clock: HostClock = {
    read: () => ({ wallMs: bench.nowMs, monotonicMs: bench.nowMs, bootMs: bench.nowMs }),
    instant: () => ({ bootId: 'boot', bootMs: bench.nowMs }),
  };
  const connection: Connection = {
    db,
    journal: new Journal(db, 'laptop', () => bench.nowMs),
    register: new SqliteRegister(db, { terms: bootTerms(clock), newId: randomUUID }),
  };
  const control = controlOf({ connection, strategy, bench: () => bench });
  const bench: ViewBench = {
    connection,
    control,
    nowMs: START_MS,
    lease: { agentId: AGENT, held: null, view: null, state: 'ready' },
    live: [],
    awaited: null,
    source: {
      signIns: null,
      connection,
      device: control.device,
      hostId: 'host-1',
      coordinatorName: 'This register',
      get nowMs() {
        return bench.nowMs;
      },
      peerName: () => null,
      get awaited() {
        return bench.awaited;
      },
      leaseStatus: (agentId) => control.leaseStatus(agentId),
      strategyOf: (revisionDigest) => control.strategyOf(revisionDigest),
      liveOf: (runId) => control.liveOf(runId),
    },
    append: (kind, payload) => db.transaction(() => connection.journal.append(kind, payload)).immediate(),
    startRun: (runId = RUN) => startRun(bench, runId, digest),
    intent: (changes = {}, token = 'token-1') => recordIntent(bench, token, changes),
    send: (token = 'token-1', changes = {}) => send(bench, token, changes),
    doubt: (token = 'token-1', code = 'timeout') => {
      const previousOwner = { deviceId: 'laptop' as DeviceId, hostId: 'host-1', epoch: 3 };
      bench.append('recovery.in-doubt', { ...identity(token), code, previousOwner, lostSince: null });
    },
    remove: () => {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

function startRun(bench: ViewBench, runId: RunId, revisionDigest: ReturnType<typeof sha256>): void {
  const isNew = readOne(bench.connection.db, 'SELECT 1 FROM agents') === null;
  if (isNew) {
    bench.append('agent.saved', { agentId: AGENT, revisionDigest, name: 'Poster', description: '', source: STRATEGY });
    bench.append('grant.given', {
      agentId: AGENT,
      revisionDigest,
      grantDigest: sha256('grant'),
      grantNumber: 1,
      by: 'You',
    });
  }
  const at = { agentId: AGENT, runId };
  bench.append('trigger.fired', {
    ...at,
    revisionDigest,
    requestDigest: sha256(runId),
    title: 'Post the report',
    by: 'You',
    input: { folder: '~/Reports' },
    stateId: POST,
  });
  bench.append('run.entered', { ...at, stateId: POST, stateVisit: 1 });
}

function recordIntent(bench: ViewBench, token: string, changes: Partial<EventPayloads['intent.recorded']>): void {
  const input = bench.connection.journal.keep('{"method":"POST"}');
  bench.append('intent.recorded', {
    ...identity(token),
    attemptNumber: 1,
    stateId: POST,
    stateVisit: 1,
    recipient: { recipient: 'actor', bindingId: 'http', runtimeId: 'http' },
    effectKind: 'blind',
    title: 'Post the report',
    target: 'api.example.com',
    input,
    inputDigest: input.digest,
    grantDigest: sha256('grant'),
    dedupeUntilMs: null,
    isDestructive: false,
    hasUndo: false,
    tool: 'http.request',
    observedBefore: null,
    decidedAfter: null,
    ...changes,
  });
}

/** A gate at which everything is in order. */
export const OPEN_GATE: EventPayloads['gate.decided']['facts'] = {
  committedGrantDigest: 'abc',
  stopRequested: false,
  barrierActive: false,
  stateHasVisits: true,
  currentStateVisit: 1,
  settledAttempts: [],
};
/** What the fence sees when everything is in order. */
export const FENCE_FACTS: EventPayloads['fence.decided']['facts'] = {
  epoch: 3,
  registerEpoch: 3,
  registerHolder: 'laptop',
  coordinatorId: 'register',
  standing: 'live',
};

function send(bench: ViewBench, token: string, changes: Partial<EventPayloads['intent.recorded']>): void {
  const attempt = identity(token);
  const owner = { deviceId: 'laptop' as DeviceId, hostId: 'host-1', epoch: 3 };
  bench.intent(changes, token);
  bench.append('gate.decided', { ...attempt, decision: { kind: 'dispatch' }, facts: OPEN_GATE });
  bench.append('claim.decided', { ...attempt, verdict: 'granted', owner, leaseUntil: { bootId: 'boot', bootMs: 1 } });
  bench.append('fence.decided', { ...attempt, decision: { kind: 'proceed' }, facts: FENCE_FACTS });
  bench.append('effect.started', { ...attempt, epoch: 3, idempotencyKey: 'key' });
}

function controlOf(of: { connection: Connection; strategy: Strategy; bench: () => ViewBench }): HostControl {
  const settings = new Map<string, string>();
  return {
    device: { deviceId: 'laptop' as DeviceId, name: 'Laptop' },
    hostId: 'host-1',
    connection: () => of.connection,
    storeState: () => ({ state: 'ready', message: '' }),
    coordinatorState: () => ({
      name: 'This register',
      state: 'ready',
      identity: { coordinatorId: 'r', incarnation: 'i' },
      answeredMs: 1,
    }),
    leaseStatus: () => of.bench().lease,
    strategyOf: () => of.strategy,
    nowMs: () => of.bench().nowMs,
    liveOf: () => of.bench().live,
    secrets: NO_SECRETS,
    sleeps: new Sleeps(),
    sharing: null,
    sync: null,
    awaited: null,
    signIns: null,
    peerName: () => null,
    takeOver: notNeeded,
    setTakeover: notNeeded,
    bump: notNeeded,
    setDeviceName: notNeeded,
    readSetting: (key) => settings.get(key) ?? null,
    writeSetting: (key, value) => {
      settings.set(key, value);
      return Promise.resolve({ ok: true, value: null });
    },
    startRun: notNeeded,
    runMissed: notNeeded,
    skipMissed: notNeeded,
    webhookDoor: () => ({ origin: null, trouble: '' }),
    stopRun: notNeeded,
    pauseRun: notNeeded,
    resumeRun: notNeeded,
    checkRecovery: notNeeded,
    resolveRecovery: notNeeded,
    reopenRecovery: notNeeded,
    decideApproval: notNeeded,
    allowLikeThis: notNeeded,
    revokeStanding: notNeeded,
    stopAgents: notNeeded,
    pauseAgents: notNeeded,
    resumeAgents: notNeeded,
    saveAgent: notNeeded,
    authorise: notNeeded,
    revoke: notNeeded,
    previewGrant: () => ({ ok: true, value: { previewDigest: sha256('preview') } }),
  };
}
