import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { AfterRun, FileTrigger, Schedule, Webhook } from '../../../shared/contract/triggers.ts';
import type { TriggerKind } from '../../../shared/core/trigger/occurrence.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import type { HostPorts } from '../ports.ts';

interface Definitions {
  readonly schedule: Schedule;
  readonly file: FileTrigger;
  readonly webhook: Webhook;
  readonly run: AfterRun;
}

/** The triggers that a strategy declares, by kind. */
export function declaredTriggers(strategy: Strategy): { readonly kind: TriggerKind; readonly triggerId: string }[] {
  const { schedules, files, webhooks, afterRuns } = strategy.triggers;
  const all = { schedule: schedules, file: files, webhook: webhooks, run: afterRuns };
  return Object.entries(all).flatMap(([kind, list]) =>
    list.map(({ id }) => ({ kind: kind as TriggerKind, triggerId: id })),
  );
}

/** A trigger as it stands in the revision that was permitted; `null` if that cannot be read any more. */
export function definitionOf<Kind extends TriggerKind>(
  ports: Pick<HostPorts, 'strategyOf'>,
  trigger: TriggerRecord,
  kind: Kind,
): Definitions[Kind] | null {
  const strategy = ports.strategyOf(trigger.revision_digest);
  if (strategy === null || trigger.kind !== kind) return null;
  const { schedules, files, webhooks, afterRuns } = strategy.triggers;
  const lists: { readonly [K in TriggerKind]: readonly Definitions[K][] } = {
    schedule: schedules,
    file: files,
    webhook: webhooks,
    run: afterRuns,
  };
  return lists[kind].find((each) => each.id === trigger.trigger_id) ?? null;
}
