import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../harness/strategies.ts';

/** The kinds that differ in what may happen when nobody knows. */
const KINDS = ['blind', 'keyed', 'verifiable'] as const;
/** Steps of every agent, one effect each. */
export const STEPS = ['first', 'second'] as const;
/**
 * How many runs an agent gets before another takes its place: a register on a file keeps at most 256 settled effects of one
 * agent, and then refuses new ones by name (protocol section 4).
 */
export const RUNS_PER_AGENT = 60;
/** How long a call waits for its answer, ms. */
const CALL_LIMIT_MS = 1_500;
/** The shortest that a strategy may have, ms, so that the other host takes over soon. */
export const SOAK_TTL_MS = 3_000;

/** An agent with two effects of one kind, each at a path of its own for every occurrence. */
export interface SoakAgent {
  readonly agentId: string;
  readonly file: string;
  runs: number;
}

/** The `number`-th agent; kinds take turns. */
export function writeAgent(number: number, origin: string): SoakAgent {
  const kind = KINDS[number % KINDS.length] ?? 'blind';
  const agentId = `${kind}-${number}`;
  const file = join(temporaryFolder(), `${agentId}.yaml`);
  const [first, second] = STEPS.map((step) =>
    stepOf({ kind, step, url: `${origin}/${agentId}/{{ input.occurrence }}/${step}` }),
  );
  const text = `fencepost: 1
id: ${agentId}
name: Soak ${agentId}
scope: { hosts: ['${new URL(origin).host}'] }
leaseTtlMs: ${SOAK_TTL_MS}
input: { occurrence: { title: Occurrence } }
start: first
states:
${first}
    onSuccess: second
${second}
    onSuccess: finish
  finish: { type: done }
`;
  writeFileSync(file, text);
  return { agentId, file, runs: 0 };
}

/** Where the outside world counts the effect of one step of one occurrence. */
export function pathOf(agentId: string, occurrence: string, step: string): string {
  return `/${agentId}/${occurrence}/${step}`;
}

function stepOf({ kind, step, url }: { kind: string; step: string; url: string }): string {
  const effects: Readonly<Record<string, string>> = {
    blind: '{ kind: blind }',
    keyed: '{ kind: idempotent-by-key, dedupeWindowMs: 3600000 }',
    verifiable: `{ kind: verifiable, probe: { tool: http.request, method: GET, url: '${url}' } }`,
  };
  return `  ${step}:
    type: tool
    call: { tool: http.request, method: POST, url: '${url}', body: hello, timeoutMs: ${CALL_LIMIT_MS} }
    effect: ${effects[kind]}`;
}
