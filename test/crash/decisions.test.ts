import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostProcess } from '../harness/host-process.ts';
import { Receiver } from '../harness/receiver.ts';
import type { TestedKind } from '../harness/strategies.ts';
import { CrashScenario } from './scenario.ts';
import type { RegisterPlace } from './scenario.ts';

interface Unclear {
  readonly attempt_token: string;
  readonly input_digest: string;
  readonly epoch: number;
}

const UNCLEAR = `SELECT attempt_token, input_digest, epoch FROM attempts WHERE in_doubt_at_ms IS NOT NULL AND decision IS NULL AND progress <> 'settled'`;

async function decide(host: HostProcess, unclear: Unclear, choice: string): Promise<unknown> {
  const { attempt_token: attemptToken, input_digest: inputDigest, epoch } = unclear;
  const request = { attemptToken, inputDigest, epoch, choice, by: 'Test', reason: 'because' };
  for (;;) {
    const answer = (await host.control('resolveRecovery', request)) as { ok: boolean; error?: { code: string } };
    if (answer.ok || answer.error?.code !== 'not-holder') return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function unclearOf(host: HostProcess): Promise<Unclear> {
  const [unclear] = await host.until<Unclear>(UNCLEAR, (rows) => rows.length === 1);
  if (unclear === undefined) throw new Error('Nothing is unclear.');
  return unclear;
}

describe('decisions of a person about an unclear effect', { concurrent: true }, () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  async function unclear(name: string, register: RegisterPlace, kind: TestedKind = 'blind'): Promise<CrashScenario> {
    const scenario = new CrashScenario(receiver, { name, kind, register });
    await scenario.crashAt('after-effect');
    return scenario;
  }

  for (const register of ['embedded', 'file'] as const) {
    test(
      `it happened: carries on, sends nothing, survives a crash right after (${register})`,
      { timeout: 300_000 },
      async () => {
        const scenario = await unclear(`happened-${register}`, register);
        const host = await scenario.start('after-decision');
        await decide(host, await unclearOf(host), 'it-happened').catch(() => undefined);
        await host.exited;
        expect(await scenario.surviveOnce()).toMatchObject({ hits: 1, ending: 'done' });
      },
    );

    test(
      `send again: exactly one more, also when the host dies right after the decision (${register})`,
      { timeout: 300_000 },
      async () => {
        const scenario = await unclear(`again-${register}`, register);
        const host = await scenario.start('after-decision');
        await decide(host, await unclearOf(host), 'send-again').catch(() => undefined);
        await host.exited;
        const left = await scenario.surviveOnce();
        expect(left).toMatchObject({ hits: 2, ending: 'done' });
        expect(await scenario.surviveOnce()).toEqual(left);
      },
    );
  }

  test('stop here: nothing more is sent, and it can be reopened', { timeout: 300_000 }, async () => {
    const scenario = await unclear('stop-here', 'embedded');
    const host = await scenario.start();
    const found = await unclearOf(host);
    expect(await decide(host, found, 'stop-here')).toMatchObject({ ok: true });
    expect(await scenario.look(host)).toMatchObject({ hits: 1, ending: 'stopped' });
    expect(await host.control('reopenRecovery', found.attempt_token, 'Test')).toMatchObject({ ok: true });
    expect(await scenario.look(host)).toMatchObject({ hits: 1, ending: null, phase: 'needs-recovery' });
    expect(await decide(host, found, 'it-happened')).toMatchObject({ ok: true });
    await host.until<{ ending: string | null }>('SELECT ending FROM runs', ([run]) => run?.ending === 'done');
    expect(await scenario.look(host)).toMatchObject({ hits: 1 });
    host.kill();
  });

  test('undo, then send again: one undo and one more send', { timeout: 300_000 }, async () => {
    const scenario = await unclear('undo', 'embedded', 'compensable');
    const host = await scenario.start();
    expect(await decide(host, await unclearOf(host), 'undo-then-send')).toMatchObject({ ok: true });
    await host.until<{ ending: string | null }>('SELECT ending FROM runs', ([run]) => run?.ending === 'done');
    expect(receiver.hits(`${scenario.path}-undo`)).toBe(1);
    expect(await scenario.look(host)).toMatchObject({ hits: 2 });
    host.kill();
  });

  test(
    'a second decision, and one about something else than was shown, change nothing',
    { timeout: 300_000 },
    async () => {
      const scenario = await unclear('twice', 'embedded');
      const host = await scenario.start();
      const found = await unclearOf(host);
      expect(await decide(host, { ...found, epoch: found.epoch + 1 }, 'send-again')).toMatchObject({
        ok: false,
        error: { code: 'changed' },
      });
      expect(await decide(host, { ...found, input_digest: 'f'.repeat(64) }, 'send-again')).toMatchObject({
        ok: false,
        error: { code: 'changed' },
      });
      const both = await Promise.all([decide(host, found, 'it-happened'), decide(host, found, 'send-again')]);
      const codes = both.map((answer) => (answer as { error?: { code: string } }).error?.code ?? 'applied');
      expect(codes.toSorted()).toEqual(['already-decided', 'applied']);
      await host.until<{ ending: string | null }>('SELECT ending FROM runs', ([run]) => run?.ending === 'done');
      expect((await scenario.look(host)).hits).toBe(codes[0] === 'applied' ? 1 : 2);
      host.kill();
    },
  );
});
