import type { AttemptIdentity } from '../../../shared/contract/identifiers.ts';
import type { ToolRun } from '../../tools/tool.ts';
import type { HostPorts } from '../ports.ts';
import type { EffectPlan } from './intent.ts';

/** What is on its way at this moment. */
export interface InFlight {
  readonly attempt: AttemptIdentity;
  readonly title: string;
  readonly abort: AbortController;
}

/** Carries the effect out. A tool that throws has told nobody what happened: that is unclear, never failed. */
export async function performEffect(
  ports: HostPorts,
  plan: EffectPlan,
  flight: { abort: AbortController; epoch: number },
): Promise<ToolRun & { tookMs: number }> {
  const startedAt = performance.now();
  try {
    const run = await ports.tools.perform(plan.prepared, {
      effectId: plan.effectId,
      epoch: flight.epoch,
      signal: flight.abort.signal,
    });
    return { ...run, tookMs: Math.round(performance.now() - startedAt) };
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    return {
      outcome: { kind: 'unclear', code: 'tool-broke' },
      output: { error: text },
      summary: `The tool broke off: ${text}`.slice(0, 300),
      tookMs: Math.round(performance.now() - startedAt),
    };
  }
}
