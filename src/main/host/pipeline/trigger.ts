import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId, RunId } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { fillTemplate } from '../../../shared/core/run/template.ts';
import { occurrenceText } from '../../../shared/core/trigger/occurrence.ts';
import type { TriggerSource } from '../../../shared/core/trigger/occurrence.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { sha256 } from '../../store/connection.ts';
import { findAgent } from '../../store/rows.ts';
import { startRun } from '../../store/transactions/start-run.ts';
import type { HostPorts } from '../ports.ts';

/** What starts a run: a person who presses Run, or an occurrence of one of the agent's triggers. */
export interface RunRequest {
  readonly agentId: AgentId;
  /** The same occurrence twice is the same run, on any device. */
  readonly source: TriggerSource;
  readonly input: Readonly<Record<string, string>>;
  readonly by: string;
  /** Up to where the trigger is settled with this run, if that moves: see `trigger.fired`. */
  readonly settledUpTo?: number;
}

/** The first word: names the run by its occurrence and writes it down. */
export async function fireTrigger(
  ports: HostPorts,
  request: RunRequest,
): Promise<Result<{ runId: RunId; isNew: boolean }, Problem>> {
  const { agentId, source, by, settledUpTo } = request;
  const db = ports.store.connection()?.db;
  if (db === undefined)
    return err(problem('store-unsure', 'The record is being opened again after a disk error.', 'Wait a moment.'));
  const agent = findAgent(db, agentId);
  const strategy = agent === null ? null : ports.strategyOf(agent.revision_digest);
  if (agent === null || strategy === null) return err(problem('not-found', 'There is no such agent.'));
  const input = withDefaults(strategy, request.input);
  if (!input.ok) return input;
  const runId = sha256(occurrenceText(agentId, source)).slice(0, 32) as RunId;
  const requestDigest = sha256(canonicalJson({ input: input.value, revision: agent.revision_digest }));
  const summary = fillTemplate(strategy.summary ?? strategy.name, {
    input: input.value,
    steps: {},
    run: { id: runId },
  });
  const title = visibleText(summary.ok ? summary.value : strategy.name).slice(0, 80);
  const started = await ports.store.write((connection) =>
    startRun(connection, {
      runId,
      requestDigest,
      revisionDigest: agent.revision_digest,
      strategy,
      title,
      by,
      input: input.value,
      source,
      settledUpTo,
    }),
  );
  if (!started.ok) return started;
  if (started.value.ok) ports.passed('after-trigger');
  return started.value;
}

function withDefaults(
  strategy: Strategy,
  given: Readonly<Record<string, string>>,
): Result<Record<string, string>, Problem> {
  const input: Record<string, string> = {};
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(strategy.input, key))
      return err(problem('input-invalid', `This agent takes no input called "${key}".`));
  }
  for (const [key, field] of Object.entries(strategy.input)) {
    const value = given[key] ?? field.default;
    if (value === undefined)
      return err(problem('input-invalid', `"${field.title}" is missing.`, 'Fill it in and run again.'));
    input[key] = value;
  }
  return { ok: true, value: input };
}
