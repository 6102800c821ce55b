import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { temporaryFolder, writeGraph } from '../harness/strategies.ts';
import { begin, GraphScenario } from './graph-scenario.ts';

const ODD_SERVER = resolve('test/fixtures/servers/odd-server.mjs');
/** How long what a dead host started may go on, ms. */
const OUTLIVES_AT_MOST_MS = 10_000;

type Kind = 'undeclared' | 'read-only' | 'idempotent-by-key';

/** One call of a tool server that counts calls in a file before it does anything else. */
class ServerScenario extends GraphScenario {
  readonly #log: string;

  constructor(name: string, of: { tool: string; kind: Kind }) {
    const log = join(temporaryFolder(), 'calls');
    const effects = {
      'read-only': '{ kind: read-only }',
      'idempotent-by-key': '{ kind: idempotent-by-key, dedupeWindowMs: 3600000 }',
    };
    const declared = of.kind === 'undeclared' ? '' : `, effects: { ${of.tool}: ${effects[of.kind]} }`;
    const command = JSON.stringify([process.execPath, ODD_SERVER]);
    const call = `{ tool: mcp.call, server: odd, name: ${of.tool}, arguments: { word: a }, timeoutMs: 60000 }`;
    const file = writeGraph({
      agentId: name,
      origin: 'http://127.0.0.1:1',
      start: 'call',
      states: { call: `{ type: tool, call: ${call}, onSuccess: finish }` },
      scope: `servers: { odd: { command: ${command}, env: { ODD_LOG: '${log}' }${declared} } }`,
    });
    super(name, file);
    this.#log = log;
  }

  #lines(): readonly string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\n') : [];
  }

  calls(tool: string): number {
    return this.#lines().filter((line) => line === tool).length;
  }

  /** The servers that were started so far, in order. */
  pids(): readonly number[] {
    return this.#lines().flatMap((line) => (line.startsWith('pid ') ? [Number(line.slice(4))] : []));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that nobody reaped yet is dead all the same.
    return process.platform !== 'linux' || !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function allEnd(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  const limit = { timeout: OUTLIVES_AT_MOST_MS, interval: 50 };
  await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]), limit);
}

interface Case {
  readonly kind: Kind;
  readonly point: CrashPoint;
  /** Calls that reached the server, at the death and at the end. */
  readonly calls: readonly [number, number];
  readonly recovery: readonly string[];
}

const AGAIN = ['in-doubt', 'repeated'] as const;
const CASES: readonly Case[] = [
  { kind: 'undeclared', point: 'before-intent', calls: [0, 1], recovery: [] },
  { kind: 'undeclared', point: 'before-effect', calls: [0, 0], recovery: ['in-doubt'] },
  { kind: 'undeclared', point: 'after-effect', calls: [1, 1], recovery: ['in-doubt'] },
  { kind: 'undeclared', point: 'after-settle', calls: [1, 1], recovery: [] },
  ...(['read-only', 'idempotent-by-key'] as const).flatMap((kind): Case[] => [
    { kind, point: 'before-effect', calls: [0, 1], recovery: AGAIN },
    { kind, point: 'after-effect', calls: [1, 2], recovery: AGAIN },
  ]),
];

describe(
  'a call of a tool server: SIGKILL at a point, then two more starts',
  { concurrent: true, timeout: 300_000 },
  () => {
    for (const [index, { kind, point, calls, recovery }] of CASES.entries()) {
      test(`${kind}, ${point}: it is called twice unasked, or its server outlives the host`, async () => {
        const { scenario } = await begin(
          (beginning) => new ServerScenario(`server-${index}-${beginning}`, { tool: 'echo', kind }),
          (begun) => begun.crashAt(point),
        );
        expect(scenario.calls('echo')).toBe(calls[0]);
        await allEnd(scenario.pids());
        const asking = recovery.length === 1 ? [''] : [];
        const first = await scenario.survive(asking);
        expect(scenario.calls('echo')).toBe(calls[1]);
        const [run] = first.runs;
        expect(run?.recovery).toEqual(recovery);
        expect(run?.effects.map(({ key, sentAs }) => [key, sentAs.length])).toEqual([['call#1', 1]]);
        expect(await scenario.survive(asking)).toEqual(first);
        expect(scenario.calls('echo')).toBe(calls[1]);
        await allEnd(scenario.pids());
      });
    }

    test('undeclared, killed while the server works: it is called once more, or nobody is asked', async () => {
      const scenario = new ServerScenario('server-works', { tool: 'hang', kind: 'undeclared' });
      const death = await scenario.crashOnce(() => vi.waitFor(() => expect(scenario.calls('hang')).toBe(1), 30_000));
      expect(death.runs[0]?.effects).toMatchObject([{ key: 'call#1', progress: ['in-flight'] }]);
      const first = await scenario.survive(['']);
      expect(await scenario.survive([''])).toEqual(first);
      expect(first.runs[0]?.recovery).toEqual(['in-doubt']);
      expect(scenario.calls('hang')).toBe(1);
    });

    test('a server that heeds neither the end of its input nor a polite signal runs on, with its children, after its host was killed', async () => {
      const scenario = new ServerScenario('server-stubborn', { tool: 'parent', kind: 'undeclared' });
      await scenario.crashAt('after-settle');
      const pids = await scenario.readAtRest(async (ask) => {
        const [settled] = await ask<{ text: string }>(
          `SELECT json_extract(json_extract(payload, '$.output.inline'), '$.content[0].text') AS text FROM ops WHERE kind = 'settle.recorded'`,
        );
        return (settled?.text ?? '').split(' ').map(Number);
      });
      expect(pids).toHaveLength(2);
      // Windows has no process groups: there a server has to end with its input.
      if (process.platform !== 'win32') await allEnd(pids);
    });
  },
);
