import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { findAwaited, readAwaited } from '../../store/awaited-answers.ts';
import { change, sha256 } from '../../store/connection.ts';
import { findAttempt } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { connectionOf, openStore } from '../../store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../../store/testing/temporary-folder.ts';
import { openOtherDevice } from '../../views/testing/other-device.ts';
import type { OtherDevice } from '../../views/testing/other-device.ts';
import { identity } from '../../views/testing/view-bench.ts';
import { Signal } from '../signal.ts';
import { AwaitedAnswers } from './awaited-answers.ts';
import { writeSharing } from './kept-sharing.ts';
import type { SyncStatus } from './sync-control.ts';

const OTHER = 'work-pc' as DeviceId;
const TOKEN = 'token-1';

describe('waiting for the device that made an unclear attempt', () => {
  const newFolder = useTemporaryFolders();
  let folder: string;
  let store: Store;
  let other: OtherDevice;
  let news: Signal;
  let awaited: AwaitedAnswers;
  let acknowledged: Record<string, number> | null;
  let removed: string | null;

  beforeEach(async () => {
    folder = newFolder();
    news = new Signal();
    acknowledged = null;
    removed = null;
    open();
    other = openOtherDevice(newFolder(), OTHER, Date.now);
    const keys = { publicKey: 'key', wrapPublicKey: 'wrap' };
    await other.write('sync.device-joined', { deviceId: OTHER, name: 'Work-PC', version: '1', ...keys });
    await sendThere();
    other.handOver(connectionOf(store));
    must(await writeSharing(store, { choice: { kind: 'hub' }, spaceId: 'ab'.repeat(32), sealedWith: [] }));
    await doubtHere();
  });
  afterEach(async () => {
    await awaited.close();
    other.close();
    store.close();
  });

  function open(): void {
    store = openStore(folder);
    awaited = new AwaitedAnswers({
      store,
      deviceId: store.identity().deviceId,
      wallMs: Date.now,
      status: () => status(),
      isRemoved: (deviceId) => deviceId === removed,
    });
    awaited.start(news);
  }

  async function again(): Promise<void> {
    await awaited.close();
    store.close();
    open();
  }

  function status(): SyncStatus {
    const member = { deviceId: OTHER, lastSeenAtMs: 7, acknowledged: acknowledged ?? {}, isLetGo: false };
    return {
      choice: { kind: 'hub' },
      relayName: 'Attic',
      spaceId: 'ab'.repeat(32),
      hasWords: false,
      isCatchingUp: false,
      syncedAtMs: null,
      problem: null,
      pushedSeq: 0,
      relay: acknowledged === null ? null : { heads: {}, members: [member], checkpoint: null },
      catchUp: null,
    };
  }

  async function sendThere(): Promise<void> {
    const owner = { deviceId: OTHER, hostId: 'host-2', epoch: 4 };
    await other.write('intent.recorded', {
      ...identity(TOKEN),
      attemptNumber: 1,
      stateId: 'post' as EventPayloads['intent.recorded']['stateId'],
      stateVisit: 1,
      recipient: { recipient: 'actor', bindingId: 'http', runtimeId: 'http' },
      effectKind: 'blind',
      title: 'Post the report',
      target: 'api.example.com',
      input: { digest: sha256('{}'), bytes: 2, inline: '{}' },
      inputDigest: sha256('{}'),
      grantDigest: sha256('grant'),
      dedupeUntilMs: null,
      isDestructive: false,
      hasUndo: false,
      tool: 'http.request',
      observedBefore: null,
      decidedAfter: null,
    });
    const leaseUntil = { bootId: 'boot', bootMs: 1 };
    await other.write('claim.decided', { ...identity(TOKEN), verdict: 'granted', owner, leaseUntil });
    await other.write('effect.started', { ...identity(TOKEN), epoch: 4, idempotencyKey: 'key' });
  }

  async function doubtHere(): Promise<void> {
    const previousOwner = { deviceId: OTHER, hostId: 'host-2', epoch: 4 };
    await write('recovery.in-doubt', {
      ...identity(TOKEN),
      code: 'effect_outcome_unknown',
      previousOwner,
      lostSince: null,
    });
  }

  async function write<Kind extends keyof EventPayloads>(kind: Kind, payload: EventPayloads[Kind]): Promise<void> {
    must(await store.write(({ journal }) => journal.append(kind, payload)));
  }

  /** The other device says that it has everything of this one, and so much of its own. */
  async function heardOf(ownSeq: number): Promise<void> {
    acknowledged = { [store.identity().deviceId]: connectionOf(store).journal.head.journalSeq, [OTHER]: ownSeq };
    news.tell();
    await awaited.look();
  }

  const kept = () => findAwaited(connectionOf(store).db, TOKEN);
  const begin = async () => must(await awaited.begin(TOKEN));

  it('waiting is forgotten by a restart, or ends by one', async () => {
    expect(await begin()).toEqual({ deviceId: OTHER });
    await again();
    await awaited.look();
    expect(kept()).toMatchObject({ deviceId: OTHER, endedAtMs: null });
  });

  it('waiting decides something, or is written down for other devices', async () => {
    const before = connectionOf(store).journal.head;
    await begin();
    expect(connectionOf(store).journal.head).toBe(before);
    expect(findAttempt(connectionOf(store).db, TOKEN)).toMatchObject({ decision: null, progress: 'in-flight' });
  });

  it('the question stays away although the record has arrived, or comes back without a reason', async () => {
    await begin();
    await heardOf(5);
    expect(kept()?.endedAtMs).toBeNull();
    const { attemptToken, effect } = identity(TOKEN);
    await other.write('recovery.probed', { effect, attemptToken, answer: 'silent', summary: '', by: 'Test' });
    other.handOver(connectionOf(store));
    news.tell();
    await awaited.look();
    expect(kept()).toMatchObject({ endedBecause: 'record-arrived' });
    // Nothing more can come of it, so nobody waits again.
    expect(await awaited.begin(TOKEN)).toMatchObject({ ok: false, error: { code: 'not-offered' } });
    await again();
    expect(kept()).toMatchObject({ endedBecause: 'record-arrived' });
  });

  it.each(['let-go', 'removed', 'set-aside', 'not-shared'] as const)(
    'the waiting goes on for a device that is %s',
    async (how) => {
      await begin();
      if (how === 'let-go') await write('sync.device-let-go', { deviceId: OTHER, by: 'you', upToSeq: 3 });
      if (how === 'removed') removed = OTHER;
      if (how === 'not-shared') must(await writeSharing(store, null));
      if (how === 'set-aside')
        must(
          await store.write(({ db }) =>
            change(db, `INSERT INTO quarantines VALUES (?, 'gap', 4, '{"kind":"gap"}', 1)`, OTHER),
          ),
        );
      news.tell();
      await awaited.look();
      expect(kept()).toMatchObject({ endedBecause: how });
    },
  );

  it('an answer that arrived is waited for, or one that decided leaves the waiting behind', async () => {
    await begin();
    const output = { digest: sha256('ok'), bytes: 2, inline: 'ok' };
    const late = { ...identity(TOKEN), outcome: { kind: 'success' }, output, summary: 'HTTP 200.' } as const;
    await write('settle.late-evidence', late);
    await awaited.look();
    expect(kept()).toMatchObject({ endedBecause: 'answer-arrived' });
    await write('recovery.decided', { ...identity(TOKEN), choice: 'stop-here', by: 'you', reason: '', epoch: 4 });
    await awaited.look();
    expect(readAwaited(connectionOf(store).db)).toEqual([]);
  });

  it('a person cannot take the waiting back, or the window is not told', async () => {
    let told = 0;
    awaited.changed.on(() => {
      told += 1;
    });
    await begin();
    await begin();
    must(await awaited.takeBack(TOKEN));
    expect(kept()).toBeNull();
    expect(told).toBe(3);
    expect(await awaited.begin('no such')).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });
});
