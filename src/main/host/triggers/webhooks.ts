import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Webhook } from '../../../shared/contract/triggers.ts';
import { err } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { readTriggers } from '../../store/trigger-rows.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import { fireTrigger } from '../pipeline/trigger.ts';
import type { HostPorts } from '../ports.ts';
import { agentStand } from './agent-stand.ts';
import { definitionOf } from './definitions.ts';
import { byTrigger } from './pass-schedule.ts';
import { missedReasonOf, recordMissedOccurrence } from './record-missed.ts';

/** A webhook that may be called. */
export interface OpenWebhook {
  readonly secretName: string;
  /** Starts the run that a call asks for. Once it is answered, the run is durable. */
  receive(call: { readonly requestId: string; readonly body: string }): Promise<Result<WebhookStart, Problem>>;
}

interface WebhookStart {
  readonly runId: string;
  readonly isNew: boolean;
}

/** Finds a webhook by the two names in its address; `null` if nobody may call it. */
export function findWebhook(ports: HostPorts, agentId: string, triggerId: string): OpenWebhook | null {
  const db = ports.store.connection()?.db;
  const trigger =
    db === undefined
      ? undefined
      : readTriggers(db, agentId).find((each) => each.kind === 'webhook' && each.trigger_id === triggerId);
  const webhook = trigger === undefined ? null : definitionOf(ports, trigger, 'webhook');
  if (trigger === undefined || webhook === null) return null;
  return { secretName: webhook.secret, receive: (call) => receive(ports, { trigger, webhook, call }) };
}

/** Whether any agent may be called on this device now. */
export function isAnyWebhookOpen(ports: HostPorts): boolean {
  const connection = ports.store.connection();
  if (connection === null) return false;
  return readTriggers(connection.db).some(
    (each) => each.kind === 'webhook' && ['ready', 'paused'].includes(agentStand(connection, ports, each.agent_id)),
  );
}

async function receive(
  ports: HostPorts,
  of: {
    readonly trigger: TriggerRecord;
    readonly webhook: Webhook;
    readonly call: { readonly requestId: string; readonly body: string };
  },
): Promise<Result<WebhookStart, Problem>> {
  const { trigger, webhook, call } = of;
  const { agent_id: agentId, trigger_id: triggerId } = trigger;
  const connection = ports.store.connection();
  if (connection === null)
    return err(problem('store-unsure', 'The record is being opened again. Nothing was started.'));
  if (agentStand(connection, ports, agentId) === 'not-here')
    return err(problem('not-found', 'The agent may not act on this device. Nothing was started.'));
  const source = { by: 'webhook', triggerId, requestId: call.requestId } as const;
  const input = webhook.as === undefined ? webhook.input : { ...webhook.input, [webhook.as]: call.body };
  const fired = await fireTrigger(ports, { agentId, source, input, by: byTrigger('webhook', triggerId) });
  if (fired.ok) return fired;
  const reason = missedReasonOf(fired.error);
  // Another content under a known id is the caller's mistake, and the run of the first one stands.
  if (reason !== null && reason !== 'already-ran')
    await recordMissedOccurrence(ports, { trigger, source, reason, detail: fired.error.message });
  return fired;
}
