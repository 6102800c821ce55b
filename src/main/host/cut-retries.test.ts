import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scaled } from '../../../test/harness/figures.ts';
import { ModelServer } from '../../../test/harness/model-server.ts';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { DeviceId, RunId } from '../../shared/contract/identifiers.ts';
import type { Operation } from '../../shared/core/sync/operation.ts';
import { operationOf } from '../store/journal-rows.ts';
import type { OpRow } from '../store/journal-rows.ts';
import { openStore } from '../store/testing/store-bench.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { foldOperations } from '../store/transactions/fold-operations.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
/** How many devices take over side by side. */
const AT_ONCE = 8;
/** Until every claim of the device that is gone has run out, ms; far within what a target remembers of a key. */
const LATER_MS = 60_000;
const ATTEMPTS = 3;
const DELAYS_MS = [20, 40];
const NONE: Tries = { left: 0, settled: 0, delaysMs: [] };
/** How long a takeover may take where many go on side by side, ms. */
const WAIT_LIMIT_MS = 120_000;
/** Entries at which it changes what is known of an attempt: a commit is judged by the cuts behind them, a night by all. */
const TELLING: readonly string[] = ['effect.started', 'settle.recorded', 'run.retrying'];
/** What fails each time, besides the questions to the model. */
const REFUSED = ['/ask', '/items/pear', '/left'];

/** Every kind of step that can have a retry: of the run itself, of an item, of a way, and a question to a model. */
function everyRetry(origin: string, of: { modelUrl: string; effect: string }): string {
  const retry = `retry: { attempts: ${ATTEMPTS}, firstDelayMs: ${DELAYS_MS[0]} }`;
  const post = (path: string, next: string): string =>
    `{ type: tool, call: { tool: http.request, method: POST, url: '${origin}/${path}' }, effect: ${of.effect}, ${retry}, ${next} }`;
  const either = (next: string): string => `onSuccess: ${next}, onFailure: [{ to: ${next} }]`;
  return `fencepost: 1
id: every-retry
name: Every retry
scope: { hosts: ['${new URL(origin).host}'], models: { mind: { provider: openai, baseUrl: '${of.modelUrl}', model: mind } } }
start: ask
states:
  ask: ${post('ask', either('each'))}
  each: { type: workset, items: '["apple", "pear"]', do: send, ${either('both')} }
  send: ${post('items/{{ item }}', 'onSuccess: arrived')}
  arrived: { type: done }
  both: { type: fork, branches: { one: left, two: right }, join: meet }
  left: ${post('left', 'onSuccess: meet')}
  right: ${post('right', 'onSuccess: meet')}
  meet: { type: join, need: all, ${either('mind')} }
  mind: { type: model, model: mind, prompt: Hello., ${retry}, ${either('finish')} }
  finish: { type: done }
`;
}

interface LeftBehind {
  readonly journal: readonly Operation[];
  readonly runId: RunId;
  readonly registerFile: string;
}

/** What entries tell of the attempts at one effect. */
interface Tries {
  readonly left: number;
  readonly settled: number;
  readonly delaysMs: readonly number[];
}

/** Of each effect, by its run and its key. */
function triesIn(told: readonly { readonly kind: string; readonly payload: string }[]): ReadonlyMap<string, Tries> {
  const tries = new Map<string, Tries>();
  for (const { kind, payload } of told) {
    const said = JSON.parse(payload) as { effect?: { runId: string; effectKey: string }; delayMs?: number } & Record<
      string,
      unknown
    >;
    const turn = said['stateId'] === 'mind' ? '/1' : '';
    const key =
      kind === 'run.retrying'
        ? `${String(said['runId'])} ${String(said['stateId'])}#${String(said['stateVisit'])}${turn}`
        : `${said.effect?.runId} ${said.effect?.effectKey}`;
    const { left, settled, delaysMs } = tries.get(key) ?? NONE;
    if (kind === 'effect.started') tries.set(key, { left: left + 1, settled, delaysMs });
    if (kind === 'settle.recorded') tries.set(key, { left, settled: settled + 1, delaysMs });
    if (kind === 'run.retrying') tries.set(key, { left, settled, delaysMs: [...delaysMs, Number(said.delayMs)] });
  }
  return tries;
}

describe(
  'a journal that ends before, within or behind a planned retry, and whose device is gone',
  { timeout: scaled(600_000, 6_000_000) },
  () => {
    let receiver: Receiver;
    let mind: ModelServer;
    beforeEach(async () => {
      [receiver, mind] = await Promise.all([Receiver.start(), ModelServer.start()]);
    });
    afterEach(async () => await Promise.all([receiver.close(), mind.close()]));

    /** The whole journal of a device at which all attempts were spent, and the register as it left it. */
    async function leaveBehind(effect: string): Promise<LeftBehind> {
      receiver.behaviour = ({ path }) => (REFUSED.includes(path) ? 'refuse' : 'answer');
      mind.otherwise = { status: 503, error: { type: 'overloaded', message: 'Not now.' } };
      const folder = newFolder();
      const registerFile = join(folder, 'register.sqlite');
      const bench = await HostBench.start(folder, registerFile, { waitLimitMs: WAIT_LIMIT_MS });
      const runId = await bench.run(
        await bench.agent(everyRetry(receiver.origin, { modelUrl: mind.openaiBaseUrl, effect })),
      );
      expect(await bench.ended(runId)).toBe('done');
      await bench.until('the right to act is given back', () => bench.count('lease.released') > 0);
      const journal = bench.rows<OpRow>('SELECT * FROM ops ORDER BY seq').map(operationOf);
      await bench.close();
      expect(failingIn(journal).map(([, tries]) => tries)).toEqual(
        Array.from({ length: 4 }, () => ({ left: 3, settled: 3, delaysMs: DELAYS_MS })),
      );
      return { journal, runId, registerFile };
    }

    function failingIn(journal: readonly Operation[]): readonly (readonly [string, Tries])[] {
      return [...triesIn(journal)].filter(([, { delaysMs }]) => delaysMs.length > 0);
    }

    /** Another device takes over after each entry of the journal; what is wrong with what it came to. */
    async function afterEachEntry(
      { journal, registerFile }: LeftBehind,
      judge: (bench: HostBench, told: readonly Operation[]) => Promise<readonly string[]>,
    ): Promise<readonly string[]> {
      const first = journal.findIndex(({ kind }) => kind === 'trigger.fired');
      const isJudged = ({ kind }: Operation): boolean => scaled(0, 1) === 1 || TELLING.includes(kind);
      const lengths = journal.flatMap((entry, at) => (at >= first && isJudged(entry) ? [at + 1] : []));
      expect(lengths.length).toBeGreaterThan(20);
      const wrong: string[] = [];
      const takeOver = async (): Promise<void> => {
        for (let length = lengths.shift(); length !== undefined; length = lengths.shift()) {
          const told = journal.slice(0, length);
          const folder = newFolder();
          copyFileSync(registerFile, join(folder, 'register.sqlite'));
          const store = openStore(folder);
          must(await store.write((within) => foldOperations(within, told[0]?.deviceId as DeviceId, told)));
          store.close();
          const bench = await HostBench.start(folder, join(folder, 'register.sqlite'), { waitLimitMs: WAIT_LIMIT_MS });
          bench.clock.shift({ wallMs: LATER_MS, monotonicMs: LATER_MS, bootMs: LATER_MS });
          const found = await judge(bench, told).catch((cause: unknown) => [String(cause)]);
          await bench.close();
          const last = told.at(-1);
          wrong.push(
            ...found.map((each) => `after entry ${length}, ${last?.kind} ${last?.payload.slice(0, 120)}: ${each}`),
          );
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, takeOver));
      return wrong;
    }

    /** What the device itself wrote. */
    function ownOf(bench: HostBench, told: readonly Operation[]): ReadonlyMap<string, Tries> {
      return triesIn(bench.rows('SELECT kind, payload FROM ops WHERE device_id <> ? ORDER BY seq', told[0]?.deviceId));
    }

    it('lets the next one make fewer attempts or more than the policy says, or wait another time', async () => {
      const behind = await leaveBehind('{ kind: read-only }');
      const failing = failingIn(behind.journal);
      const wrong = await afterEachEntry(behind, async (bench, told) => {
        const before = triesIn(told);
        // A question to a model goes by its key: where it was on its way, a no to its repeat is a case for a person.
        const isAsked = failing.some(([key]) => key.endsWith('/1') && isOnItsWay(before.get(key)));
        if (isAsked) return await bench.reaches(behind.runId, 'needs-recovery').then(() => []);
        expect(await bench.ended(behind.runId)).toBe('done');
        const own = ownOf(bench, told);
        return failing.flatMap(([key]) => {
          const [{ left, delaysMs, ...rest }, mine] = [before.get(key) ?? NONE, own.get(key) ?? NONE];
          // What was on its way is repeated by its kind, however many attempts there were; a policy is about failures.
          const doubts = isOnItsWay({ left, delaysMs, ...rest }) ? left : 0;
          const expected = {
            left: Math.max(ATTEMPTS, doubts + 1),
            delaysMs: DELAYS_MS.filter((_, index) => index + 1 !== doubts),
          };
          const seen = { left: left + mine.left, delaysMs: [...delaysMs, ...mine.delaysMs] };
          return JSON.stringify(seen) === JSON.stringify(expected)
            ? []
            : [`${key} ${JSON.stringify({ seen, expected })}`];
        });
      });
      expect(wrong).toEqual([]);
    });

    it('lets the next one rest, or do a step anew, once the rest of that journal arrives in the middle', async () => {
      const behind = await leaveBehind('{ kind: idempotent-by-key, dedupeWindowMs: 600000 }');
      receiver.behaviour = () => 'answer';
      mind.otherwise = { text: 'Hello.' };
      const failing = failingIn(behind.journal);
      const wrong = await afterEachEntry(behind, async (bench, told) => {
        const author = told[0]?.deviceId as DeviceId;
        const ownRetries = 'SELECT 1 FROM ops WHERE device_id <> ? AND kind = ?';
        await bench.until(
          'it tries again, or all is over',
          () =>
            bench.rows(ownRetries, author, 'run.retrying').length > 0 || bench.look(behind.runId)?.ending === 'done',
        );
        const connection = bench.host.control.connection();
        connection?.db.transaction(() => foldOperations(connection, author, behind.journal))();
        bench.clock.shift({ wallMs: 100, monotonicMs: 100, bootMs: 100 });
        expect(await bench.ended(behind.runId)).toBe('done');
        const own = ownOf(bench, told);
        const before = triesIn(told);
        const between = bench.rows(`SELECT run_id, phase FROM runs WHERE ending IS NOT NULL AND phase <> 'ended'`);
        return [
          ...between.map((each) => `ended and yet ${JSON.stringify(each)}`),
          ...failing.flatMap(([key]) => {
            const { left, settled } = before.get(key) ?? NONE;
            const mine = own.get(key)?.left ?? 0;
            return mine > (settled < ATTEMPTS ? 1 : 0) ? [`${key} ${left} and ${mine} more`] : [];
          }),
        ];
      });
      expect(wrong).toEqual([]);
    });
  },
);

function isOnItsWay(tries: Tries | undefined): boolean {
  return tries !== undefined && tries.left > tries.settled;
}
