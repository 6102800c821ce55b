import type { AttemptIdentity } from '../../../shared/contract/identifiers.ts';
import type { ToolRun } from '../../tools/tool.ts';
import type { LiveText } from '../live-text.ts';
import type { HostPorts } from '../ports.ts';
import type { ProgressNotices } from '../progress-notices.ts';
import type { EffectPlan } from './intent.ts';

/** What is on its way at this moment. */
export interface InFlight {
  readonly attempt: AttemptIdentity;
  readonly title: string;
  readonly abort: AbortController;
  /** What it told so far. Never recorded. */
  readonly live: LiveText;
}

/** Carries the effect out. A tool that throws has told nobody what happened: that is unclear, never failed. */
export async function performEffect(
  ports: HostPorts,
  plan: EffectPlan,
  of: { flight: InFlight; epoch: number; progress: ProgressNotices },
): Promise<ToolRun & { tookMs: number }> {
  const { timers } = ports;
  const { abort, attempt, live } = of.flight;
  // A model tells pieces of one text; everything else tells one line after the other.
  const ending = plan.prepared.tool === 'model.call' ? '' : '\n';
  const startedAtMs = timers.nowMs();
  try {
    const run = await ports.tools.perform(plan.prepared, {
      effectId: plan.effectId,
      epoch: of.epoch,
      signal: abort.signal,
      onProgress: (text) => {
        live.add(`${text}${ending}`);
        of.progress.note(attempt.effect.runId);
      },
    });
    return { ...run, tookMs: Math.round(timers.nowMs() - startedAtMs) };
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    return {
      outcome: { kind: 'unclear', code: 'tool-broke' },
      output: { error: text },
      summary: `The tool broke off: ${text}`.slice(0, 300),
      tookMs: Math.round(timers.nowMs() - startedAtMs),
    };
  } finally {
    live.end();
  }
}
