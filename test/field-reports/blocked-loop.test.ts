import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createHostClock } from '../../src/main/host/clock.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import type { BlockedHostOptions } from './blocked-host.ts';
import { Setting } from './setting.ts';
import { until } from './steady-time.ts';
import { agentText, sendStep } from './strategies.ts';

const TTL_MS = 3_000;
/** More than two terms of the lease and the hold-off after it, ms. */
const BLOCK_MS = 2 * TTL_MS + 2_500;

/** How long a child may be silent before the test gives up on it, ms. */
const WORD_LIMIT_MS = 120_000;

async function next(child: ChildProcess): Promise<unknown> {
  return ((await once(child, 'message', { signal: AbortSignal.timeout(WORD_LIMIT_MS) })) as unknown[])[0];
}

// OptimalBits/bull#308 and #1416, taskforcesh/bullmq#3183 and #3056.
describe('an event loop that stands still for more than two terms', { concurrent: true }, () => {
  it.each([
    { blockAt: 'before-intent', hits: 1, words: ['claim: invalid-lease', 'fence: stale-epoch', 'fence: not-held'] },
    { blockAt: 'after-in-flight', hits: 0, words: ['fence: send-window-over'] },
  ])('goes on at $blockAt as if nothing had been, beside the device that took over', ({ blockAt, hits, words }) =>
    Setting.with(async (setting) => {
      const { receiver, origin, registerFile } = setting;
      const text = agentText({
        agentId: 'blocked',
        origin,
        states: { send: sendStep({ url: `${origin}/blocked/send`, next: 'finish' }) },
      });
      const strategyFile = join(temporaryFolder(), 'strategy.yaml');
      writeFileSync(strategyFile, text);
      const goOnFile = join(temporaryFolder(), 'go-on');
      const options: BlockedHostOptions = {
        profileFolder: temporaryFolder(),
        registerFile,
        strategyFile,
        blockAt,
        blockMs: BLOCK_MS,
        goOnFile,
      };
      const child = fork(fileURLToPath(new URL('blocked-host.ts', import.meta.url)), [JSON.stringify(options)], {
        execArgv: [],
      });
      try {
        expect(await next(child)).toBe('blocked');
        const refused = next(child);
        refused.catch(() => undefined);
        const other = setting.device();
        const agentId = await other.agent(text);
        other.start();
        const runId = await other.run(agentId);
        // Before the send nobody had heard of it and the other device does it; after the announce it asks a person.
        await until('the other device has come to it', () =>
          hits === 1 ? other.phase(runId) === 'ended' : other.phase(runId) === 'needs-recovery',
        );
        expect(receiver.hits('/blocked/send')).toBe(hits);
        writeFileSync(goOnFile, '');
        const { word, reason } = (await refused) as { word: string; reason: string };
        expect(words).toContain(`${word}: ${reason}`);
        expect(receiver.hits('/blocked/send')).toBe(hits);
      } finally {
        child.kill('SIGKILL');
      }
    }, createHostClock()),
  );
});
