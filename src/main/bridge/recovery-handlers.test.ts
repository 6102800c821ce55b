import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecoveryChoice } from '../../shared/core/recovery/recovery-options.ts';
import type { DeviceId, Digest, RunId } from '../../shared/contract/identifiers.ts';
import { ok } from '../../shared/lib/result.ts';
import { decideRecovery } from '../store/transactions/decide-recovery.ts';
import { findAttempt } from '../store/rows.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { needsYouView } from '../views/needs-you.ts';
import { openOtherDevice } from '../views/testing/other-device.ts';
import type { OtherDevice } from '../views/testing/other-device.ts';
import { createViewBench, identity } from '../views/testing/view-bench.ts';
import type { ViewBench } from '../views/testing/view-bench.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';
import type { Router } from './router.ts';

const CALLER = { surface: 'window', name: 'You' } as const;
const INFO = {
  profileFolder: '/p',
  surface: 'window',
  version: '1',
  electronVersion: null,
  platform: 'linux',
} as const;
const IPAD = 'ipad' as DeviceId;

describe('one answer for several unclear steps', () => {
  const newFolder = useTemporaryFolders();
  let bench: ViewBench;
  let ipad: OtherDevice;
  let router: Router;
  /** What was asked to be decided, in order. */
  let asked: { attemptToken: string; choice: RecoveryChoice }[];

  beforeEach(async () => {
    bench = createViewBench();
    ipad = openOtherDevice(newFolder(), IPAD, () => bench.nowMs);
    const keys = { publicKey: 'key', wrapPublicKey: 'wrap' };
    await ipad.write('sync.device-joined', { deviceId: IPAD, name: 'iPad', version: '1', ...keys });
    ipad.handOver(bench.connection);
    asked = [];
    // One commit for all of them: it is not the disk that is tested here.
    bench.connection.db
      .transaction(() => ['one', 'two', 'three', 'four'].forEach((token) => unclear(token)))
      .immediate();
    const handlers = createHandlers({ ...bench.control, resolveRecovery: (request) => resolve(request) }, INFO);
    router = createRouter({ handlers }, { log: { write: () => undefined } });
  });
  afterEach(() => {
    ipad.close();
    bench.remove();
  });

  /** As the host decides where it holds the right to act: the same compare-and-set. */
  async function resolve(request: {
    attemptToken: string;
    inputDigest: Digest;
    epoch: number;
    choice: RecoveryChoice;
    by: string;
    reason: string;
  }) {
    asked.push({ attemptToken: request.attemptToken, choice: request.choice });
    const strategy = bench.control.strategyOf('any' as never);
    if (strategy === null) throw new Error('The bench has a strategy.');
    const of = {
      ...request,
      attemptToken: request.attemptToken as never,
      strategy,
      nowMs: bench.nowMs,
      isEmbedded: true,
    };
    const decided = bench.connection.db.transaction(() => decideRecovery(bench.connection, of)).immediate();
    return await Promise.resolve(decided.ok ? ok(null) : decided);
  }

  /** In a run of its own, sent from this device and never answered. */
  function unclear(token: string, code = 'timeout'): void {
    const runId = `run of ${token}` as RunId;
    bench.startRun(runId);
    const { effect } = identity(token, runId);
    bench.send(token, { effect });
    bench.append('claim.decided', {
      effect,
      attemptToken: token as never,
      verdict: 'granted',
      owner: { deviceId: 'laptop' as DeviceId, hostId: 'host-1', epoch: 3 },
      leaseUntil: { bootId: 'boot', bootMs: 1 },
    });
    const previousOwner = { deviceId: 'laptop' as DeviceId, hostId: 'host-1', epoch: 3 };
    bench.append('recovery.in-doubt', { effect, attemptToken: token as never, code, previousOwner, lostSince: null });
  }

  function stepOf(token: string) {
    const attempt = findAttempt(bench.connection.db, token);
    if (attempt === null) throw new Error(`There is no ${token}.`);
    return { attemptToken: token, inputDigest: attempt.input_digest, epoch: attempt.epoch };
  }
  const steps = (...tokens: string[]) => tokens.map(stepOf);
  const together = (choice: string, ...tokens: string[]) =>
    router.dispatch('recovery.resolveAlike', { steps: steps(...tokens), choice }, CALLER);
  const open = () => needsYouView(bench.source).unclear.map(({ id }) => id);

  it('alike ones are not offered together, or another cause is', () => {
    unclear('other cause', 'closed');
    const byKey = Map.groupBy(needsYouView(bench.source).unclear, ({ alike }) => alike);
    expect([...byKey.values()].map((items) => items.map(({ id }) => id))).toEqual([
      ['one', 'two', 'three', 'four'],
      ['other cause'],
    ]);
  });

  it.each(['send-again', 'undo-then-send', 'repeat', 'it-happened '])('"%s" gets into a batch', async (choice) => {
    expect(await together(choice, 'one', 'two')).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
    expect(asked).toEqual([]);
    expect(open()).toHaveLength(4);
  });

  it('a partial result is rounded up, or does not say where it was decided', async () => {
    bench.nowMs += 1_000;
    await ipad.write('recovery.decided', { ...identity('two', 'run of two' as RunId), ...answer('it-happened') });
    ipad.handOver(bench.connection);
    bench.nowMs += 12_000;
    const told = await together('it-happened', 'one', 'two', 'three', 'four');
    expect(told).toMatchObject({
      ok: true,
      value: {
        sentence: '3 decided, 1 was already decided on iPad.',
        steps: [
          { attemptToken: 'one', kind: 'decided' },
          { kind: 'already-decided', sentence: 'Already decided on iPad 12 s ago: it was sent.' },
          { kind: 'decided' },
          { kind: 'decided' },
        ],
      },
    });
    expect(open()).toEqual([]);
    for (const token of ['one', 'three', 'four'])
      expect(findAttempt(bench.connection.db, token)).toMatchObject({ progress: 'settled', settled_by: 'person' });
  });

  it('what is not alike is decided in part, or a step twice', async () => {
    unclear('other cause', 'closed');
    for (const tokens of [
      ['one', 'other cause'],
      ['one', 'one'],
    ])
      expect(await together('stop-here', ...tokens)).toMatchObject({ ok: false, error: { code: 'not-offered' } });
    expect(asked).toEqual([]);
    const gone = { steps: [...steps('one'), { ...stepOf('two'), attemptToken: 'no such' }], choice: 'stop-here' };
    expect(await router.dispatch('recovery.resolveAlike', gone, CALLER)).toMatchObject({ ok: false });
    expect(
      await router.dispatch('recovery.resolveAlike', { steps: steps('one'), choice: 'stop-here' }, CALLER),
    ).toMatchObject({
      ok: false,
    });
    expect(open()).toHaveLength(5);
  });

  it('an answer that came while they were read is passed over, or keeps the others back', async () => {
    const output = bench.connection.journal.keep('{}');
    const late = { outcome: { kind: 'failure', class: 'permanent', code: 'http_404', wasSent: false } } as const;
    bench.append('settle.late-evidence', {
      ...identity('two', 'run of two' as RunId),
      ...late,
      output,
      summary: '404',
    });
    const told = await together('it-happened', 'one', 'two', 'three');
    expect(told).toMatchObject({
      value: {
        sentence: '2 decided, 1 could not be decided.',
        steps: [{ kind: 'decided' }, { kind: 'failed' }, { kind: 'decided' }],
      },
    });
    expect(open()).toEqual(['two', 'four']);
  });

  it('one that was seen otherwise is decided with the others', async () => {
    const [one, two] = steps('one', 'two');
    const changed = { steps: [one, { ...two, epoch: 9 }], choice: 'stop-here' };
    expect(await router.dispatch('recovery.resolveAlike', changed, CALLER)).toMatchObject({
      value: { sentence: '1 decided, 1 could not be decided.' },
    });
    expect(open()).toEqual(['two', 'three', 'four']);
  });

  it('a late click does not say where, when and how it was decided', async () => {
    const at = identity('one', 'run of one' as RunId);
    const { inputDigest, epoch } = stepOf('one');
    // Answered on the iPad, carried out by this device: what counts for a person is where they pressed.
    await ipad.write('recovery.answered', { ...at, inputDigest, epoch, choice: 'stop-here', by: 'you', reason: 'no' });
    ipad.handOver(bench.connection);
    bench.append('recovery.decided', { ...at, ...answer('stop-here'), reason: 'no' });
    bench.nowMs += 12_000;
    const request = { ...stepOf('one'), choice: 'send-again', reason: '' };
    expect(await router.dispatch('recovery.resolve', request, CALLER)).toMatchObject({
      ok: false,
      error: { code: 'already-decided', message: 'Already decided on iPad 12 s ago: stop here.' },
    });
    bench.append('recovery.decided', { ...identity('two', 'run of two' as RunId), ...answer('it-happened') });
    expect(await router.dispatch('recovery.resolve', { ...stepOf('two'), choice: 'stop-here' }, CALLER)).toMatchObject({
      error: { message: 'Already decided on this device 0 ms ago: it was sent.' },
    });
    expect(await router.dispatch('recovery.get', { attemptToken: 'one' }, CALLER)).toMatchObject({
      value: { decided: { deviceName: 'iPad', isHere: false }, run: { runId: 'run of one' } },
    });
  });

  it('another device that would send is passed over in silence', async () => {
    const view = { isEmpty: false, lease: { holder: IPAD, epoch: 4 }, remainingMs: 9_000 };
    bench.lease = { ...bench.lease, view: view as never };
    expect(await router.dispatch('recovery.get', { attemptToken: 'one' }, CALLER)).toMatchObject({
      value: { sendsFrom: 'iPad' },
    });
  });

  function answer(choice: RecoveryChoice) {
    return { choice, by: 'you', reason: '', epoch: 3 };
  }
});
