import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CRASH_POINTS } from '../../src/main/host/crash-points.ts';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { Receiver } from '../harness/receiver.ts';
import type { TestedKind } from '../harness/strategies.ts';
import { CrashScenario } from './scenario.ts';
import type { CrashOutcome, RegisterPlace } from './scenario.ts';

/** What protocol section 6 says must be left after a crash at a point. */
interface Expectation {
  readonly point: CrashPoint;
  readonly register: RegisterPlace;
  readonly kind: TestedKind;
  readonly left: Partial<CrashOutcome>;
}

const DONE_ONCE = { hits: 1, effects: 1, ending: 'done', recovery: [] } as const;
const ASKS = {
  phase: 'needs-recovery',
  ending: null,
  recovery: ['recovery.in-doubt'],
  progress: ['in-flight'],
} as const;

/** Before the in-flight marker nothing can have left; after the settlement everything is known. */
const CERTAIN: readonly { point: CrashPoint; registers: readonly RegisterPlace[] }[] = [
  { point: 'after-trigger', registers: ['embedded', 'file'] },
  { point: 'after-acquire', registers: ['embedded', 'file'] },
  { point: 'before-intent', registers: ['embedded', 'file'] },
  { point: 'after-announce', registers: ['file'] },
  { point: 'after-settle', registers: ['embedded', 'file'] },
  { point: 'after-settle-tail', registers: ['embedded', 'file'] },
];

const certain: Expectation[] = CERTAIN.flatMap(({ point, registers }) =>
  registers.flatMap((register) =>
    (['blind', 'keyed'] as const).map((kind) => ({ point, register, kind, left: DONE_ONCE })),
  ),
);

const REPEATED = ['recovery.in-doubt', 'recovery.repeated'];

/** The one ambiguous window, by kind: on both sides of the effect itself. */
const ambiguous: Expectation[] = (['embedded', 'file'] as const).flatMap((register) => [
  ...(['after-in-flight', 'before-effect'] as const).flatMap((point): Expectation[] => [
    { point, register, kind: 'blind', left: { ...ASKS, hits: 0 } },
    { point, register, kind: 'compensable', left: { ...ASKS, hits: 0 } },
    { point, register, kind: 'keyed', left: { ending: 'done', hits: 1, effects: 1, recovery: REPEATED } },
    { point, register, kind: 'read-only', left: { ending: 'done', hits: 1, recovery: REPEATED } },
    {
      point,
      register,
      kind: 'verifiable',
      left: { ending: 'done', hits: 1, recovery: ['recovery.in-doubt', 'recovery.probed', 'recovery.repeated'] },
    },
  ]),
  { point: 'after-effect', register, kind: 'blind', left: { ...ASKS, hits: 1 } },
  { point: 'after-effect', register, kind: 'compensable', left: { ...ASKS, hits: 1 } },
  { point: 'after-effect', register, kind: 'keyed', left: { ending: 'done', hits: 2, effects: 1, recovery: REPEATED } },
  {
    point: 'after-effect',
    register,
    kind: 'verifiable',
    left: { ending: 'done', hits: 1, recovery: ['recovery.in-doubt', 'recovery.probed'] },
  },
]);

const MATRIX = [...certain, ...ambiguous];

describe('crash matrix: SIGKILL at a point, then two more starts', { concurrent: true }, () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  for (const [index, { point, register, kind, left }] of MATRIX.entries()) {
    // crewAIInc/crewAI#5802, mist-agent-harness/mist-agent#11, pym96/Pan-agent#15, aaif-goose/goose#11808, aaif-goose/goose#12155
    // cloudflare/cloudflare-docs#30659, anthropics/claude-code#89265
    test(
      `${point}, ${kind}, ${register} register: nothing happens twice and nobody guesses`,
      { timeout: 300_000 },
      async () => {
        const scenario = new CrashScenario(receiver, { name: `case-${index}`, kind, register });
        await scenario.crashAt(point);
        const first = await scenario.surviveOnce(left.ending === 'done' ? 'ended' : 'at-rest');
        expect(first).toMatchObject(left);
        const second = await scenario.surviveOnce();
        expect(second).toEqual(first);
      },
    );
  }

  // NousResearch/hermes-agent#86721, Eynzof/Hermes-CN-Desktop#607, NousResearch/hermes-agent#86522
  test(
    'a claim that waits for the hold-off and dies is taken up again, and its effect happens once',
    { timeout: 300_000 },
    async () => {
      const scenario = new CrashScenario(receiver, { name: 'case-waiting', kind: 'blind', register: 'embedded' });
      await scenario.crashAt('after-acquire');
      const dying = await scenario.start('after-claim');
      await dying.exited;
      const left = await scenario.surviveOnce();
      expect(left).toMatchObject({ ...DONE_ONCE, recovery: ['recovery.reclaimed'], progress: ['settled', 'settled'] });
    },
  );

  // openai/codex#29627
  test('a question that was written down before the crash is asked once, not twice', { timeout: 300_000 }, async () => {
    const scenario = new CrashScenario(receiver, {
      name: 'case-question',
      kind: 'blind',
      register: 'embedded',
      asks: true,
    });
    await scenario.crashAt('after-approval-request');
    expect(await scenario.surviveOnce()).toMatchObject({ hits: 0, phase: 'needs-approval' });
    const host = await scenario.start();
    const open = await host.rows<{ approval_id: string; input_digest: string }>(
      `SELECT approval_id, input_digest FROM approvals WHERE state = 'open'`,
    );
    expect(open).toHaveLength(1);
    const [approval] = open;
    const answer = {
      approvalId: approval?.approval_id,
      inputDigest: approval?.input_digest,
      isAllowed: true,
      by: 'Test',
      reason: '',
    };
    expect(await host.control('decideApproval', answer)).toMatchObject({ ok: true });
    expect(await host.control('decideApproval', answer)).toMatchObject({
      ok: false,
      error: { code: 'already-decided' },
    });
    await host.until<{ ending: string | null }>('SELECT ending FROM runs', ([run]) => run?.ending === 'done');
    expect(await scenario.look(host)).toMatchObject({ hits: 1 });
    host.kill();
  });

  test(
    'an unclear answer that was written down before the crash stays one question',
    { timeout: 300_000 },
    async () => {
      const scenario = new CrashScenario(receiver, {
        name: 'case-unclear',
        kind: 'blind',
        register: 'embedded',
        timeoutMs: 300,
      });
      receiver.behaviour = (request) => (request.path.endsWith('case-unclear') ? 'hang' : 'answer');
      await scenario.crashAt('after-in-doubt');
      const first = await scenario.surviveOnce();
      expect(first).toMatchObject({ ...ASKS, hits: 1 });
      expect(await scenario.surviveOnce()).toEqual(first);
    },
  );

  test('every crash point is killed at', () => {
    const covered = new Set<CrashPoint>([
      ...MATRIX.map((each) => each.point),
      'after-claim',
      'after-approval-request',
      'after-in-doubt',
      'after-decision',
    ]);
    expect(CRASH_POINTS.filter((point) => !covered.has(point))).toEqual([]);
  });
});
