import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { v7 } from 'uuid';
import { createHostClock } from '../src/main/host/clock.ts';
import { HostBench } from '../src/main/host/testing/host-bench.ts';
import { createHostTimers } from '../src/main/host/timers.ts';
import { sha256 } from '../src/main/store/connection.ts';
import type { Connection } from '../src/main/store/connection.ts';
import { Store } from '../src/main/store/store.ts';
import type { EventKind, EventPayloads } from '../src/shared/contract/events.ts';
import { Receiver } from '../test/harness/receiver.ts';
import { must } from './coordinators-hub.ts';

const AGENT = 'bench';
/** Effects of a run unless a benchmark says otherwise: with all that is written down about each, it comes to about fifty entries. */
const STEPS = 6;
/** Runs that are written in one write. */
const TOGETHER = 20;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu;

/** How large a record is made. */
export interface RecordSize {
  readonly agents: number;
  readonly runs: number;
}

/** An entry that is yet to be appended. */
export interface Entry {
  readonly kind: EventKind;
  readonly payload: string;
}

/** What a real host writes down about an agent, and about one run of it. */
export interface Template {
  readonly aboutAgent: readonly Entry[];
  readonly aboutRun: readonly Entry[];
  readonly runId: string;
}

/**
 * Makes a profile that has worked for months: a real host does one run, and what it wrote down is appended to the real journal
 * again and again, for other agents and other runs. Answers the number of entries.
 */
export async function makeRecord(profileFolder: string, { agents, runs }: RecordSize): Promise<number> {
  mkdirSync(profileFolder, { recursive: true });
  const template = await oneRun(profileFolder, STEPS);
  const store = must(
    Store.open(profileFolder, { clock: createHostClock(), timers: createHostTimers(), newId: () => v7() }),
  );
  const write = async (entries: readonly Entry[]): Promise<void> => {
    must(await store.write((connection) => appendAll(connection, entries)));
  };
  const names = Array.from({ length: agents }, (_, index) => `${AGENT}-${index + 1}`);
  await write(names.flatMap((name) => agentEntries(template, name)));
  for (let run = 0; run < runs; run += TOGETHER) {
    const together = Array.from({ length: Math.min(TOGETHER, runs - run) }, (_, index) => {
      const number = run + index;
      return runEntries(template, { name: names[number % names.length] ?? AGENT, number });
    });
    await write(together.flat());
  }
  const count = store.connection()?.journal.head.journalSeq ?? 0;
  store.close();
  return count;
}

/** Appends entries to a journal, inside a write of the store. */
export function appendAll({ journal }: Pick<Connection, 'journal'>, entries: readonly Entry[]): void {
  for (const { kind, payload } of entries) journal.append(kind, JSON.parse(payload) as EventPayloads[typeof kind]);
}

/** The same about another agent. */
export function agentEntries({ aboutAgent }: Template, name: string): readonly Entry[] {
  return copies(aboutAgent, [[`"agentId":"${AGENT}"`, `"agentId":"${name}"`]]);
}

/** The same run again, of another agent; every number is another run. */
export function runEntries(
  { aboutRun, runId }: Template,
  { name, number }: { readonly name: string; readonly number: number },
): readonly Entry[] {
  return copies(aboutRun, [
    [`"agentId":"${AGENT}"`, `"agentId":"${name}"`],
    [runId, sha256(`${runId} ${number}`).slice(0, runId.length)],
  ]);
}

/** Lets a real host do one run of some steps in a profile that is new. */
export async function oneRun(profileFolder: string, steps: number): Promise<Template> {
  const receiver = await Receiver.start();
  const bench = await HostBench.start(profileFolder);
  const runId = await bench.run(await bench.agent(strategy(receiver.origin, steps)));
  if ((await bench.ended(runId)) !== 'done') throw new Error('The run that is to be copied came to nothing.');
  const aboutAgent = bench.rows<Entry>(
    `SELECT kind, payload FROM ops WHERE run_id IS NULL AND agent_id = ? ORDER BY seq`,
    AGENT,
  );
  const aboutRun = bench.rows<Entry>('SELECT kind, payload FROM ops WHERE run_id = ? ORDER BY seq', runId);
  await bench.close();
  await receiver.close();
  return { aboutAgent, aboutRun, runId };
}

/** The same entries about something else; every name that was given once is another one. */
function copies(entries: readonly Entry[], replaced: readonly (readonly [string, string])[]): readonly Entry[] {
  const renamed = new Map<string, string>();
  const other = (found: string): string => {
    const known = renamed.get(found) ?? randomUUID();
    renamed.set(found, known);
    return known;
  };
  return entries.map(({ kind, payload }) => ({
    kind,
    payload: replaced.reduce((text, [from, to]) => text.replaceAll(from, to), payload).replaceAll(UUID, other),
  }));
}

function strategy(origin: string, steps: number): string {
  const step = (index: number): string =>
    `  step-${index}: { type: tool, call: { tool: http.request, method: POST, url: '${origin}/step-${index}', body: '${'A line of a report. '.repeat(8)}' }, effect: { kind: blind }, onSuccess: ${index === steps ? 'finish' : `step-${index + 1}`} }`;
  return `fencepost: 1
id: ${AGENT}
name: Bench
scope: { hosts: ['${new URL(origin).host}'] }
start: step-1
states:
${Array.from({ length: steps }, (_, index) => step(index + 1)).join('\n')}
  finish: { type: done }
`;
}
