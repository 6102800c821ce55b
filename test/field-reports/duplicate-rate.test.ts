import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportFigures } from '../harness/figures.ts';
import { HostProcess } from '../harness/host-process.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { quietly } from './steady-time.ts';
import { agentText, sendStep } from './strategies.ts';

/** Runs of one agent that are on their way at one time, and the agents of each kind: 209 refunds in all. */
const RUNS = 11;
const BLIND_AGENTS = 10;
const KEYED_AGENTS = 9;
const REFUNDS = RUNS * (BLIND_AGENTS + KEYED_AGENTS);
/** Longer than several rounds of a host that has something to do, ms. */
const QUIET_MS = 1_500;
const KEY = '{ kind: idempotent-by-key, dedupeWindowMs: 3600000 }';

interface Counted {
  readonly phase: string;
  readonly runs: number;
}

// microsoft/agent-framework#3938 measured 209 of 209 refunds done twice; crewAIInc/crewAI#5802, mist-agent-harness/mist-agent#11.
describe('a process that dies after its effects and before it wrote down how they ended', () => {
  it('refunds some of 209 twice after its restart, or forgets that nobody knows', async () => {
    const receiver = await Receiver.start();
    const profileFolder = temporaryFolder();
    const paths: string[] = [];
    const files: string[] = [];
    for (let index = 0; index < BLIND_AGENTS + KEYED_AGENTS; index += 1) {
      const isKeyed = index >= BLIND_AGENTS;
      const agentId = `agent-${index}`;
      const path = `/${isKeyed ? 'keyed' : 'blind'}/${agentId}`;
      const step = sendStep({
        url: `${receiver.origin}${path}`,
        next: 'finish',
        ...(isKeyed ? { effect: KEY } : {}),
        more: ', timeoutMs: 60000',
      });
      const file = join(temporaryFolder(), 'strategy.yaml');
      writeFileSync(file, agentText({ agentId, origin: receiver.origin, states: { refund: step } }));
      paths.push(path);
      files.push(file);
    }
    receiver.behaviour = () => 'hang';
    const first = await HostProcess.start({ profileFolder, isSteady: true });
    for (const file of files) await first.save(file);
    const presses = paths.flatMap((_path, index) =>
      Array.from({ length: RUNS }, (_, run) =>
        first.control('startRun', { agentId: `agent-${index}`, requestId: `press-${run}`, input: {}, by: 'Test' }),
      ),
    );
    await Promise.all(presses);
    const total = (count: (path: string) => number): number => paths.reduce((sum, path) => sum + count(path), 0);
    const hits = (path: string): number => receiver.hits(path);
    for (let waitedMs = 0; total(hits) < REFUNDS && waitedMs < 60_000; waitedMs += 50) await quietly(50);
    expect(total(hits), 'every refund arrived once before the crash').toBe(REFUNDS);
    first.kill();
    await first.exited;

    receiver.behaviour = () => 'answer';
    const second = await HostProcess.start({ profileFolder, isSteady: true });
    // What can be repeated by key is unclear for a moment on its way; what cannot stays a question for ever.
    const phases = 'SELECT phase, count(*) AS runs FROM runs GROUP BY phase ORDER BY phase';
    await second.until<Counted>(phases, ([ended]) => ended?.phase === 'ended' && ended.runs === RUNS * KEYED_AGENTS);
    await quietly(QUIET_MS);
    expect(await second.rows<Counted>(phases)).toEqual([
      { phase: 'ended', runs: RUNS * KEYED_AGENTS },
      { phase: 'needs-recovery', runs: RUNS * BLIND_AGENTS },
    ]);
    const repeated = await second.rows(`SELECT 1 FROM ops WHERE kind = 'recovery.repeated'`);
    const doubled = total((path) => receiver.effects(path)) - REFUNDS;
    second.kill();
    await second.exited;
    await receiver.close();
    reportFigures({ refunds: REFUNDS, doubled, 'repeated by key': repeated.length, asked: RUNS * BLIND_AGENTS });
    expect(repeated).toHaveLength(RUNS * KEYED_AGENTS);
    expect(doubled).toBe(0);
  });
});
