import type { EventPayloads } from '../../shared/contract/events.ts';
import type { ApprovalView } from '../../shared/contract/decision-views.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { findApproval, findRun } from '../store/rows.ts';
import { runRow } from './run-row.ts';
import { stateTitle } from './steps.ts';
import { textView } from './text.ts';
import { staleText } from './control-words.ts';
import { scopeViews } from './standing.ts';
import { deviceNameOf, sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** A question for a person with exactly what would leave; `null` if there is no such question. */
export function approvalView(source: ViewSource, approvalId: string): ApprovalView | null {
  const { db } = source.connection;
  const approval = findApproval(db, approvalId);
  const run = approval === null ? null : findRun(db, approval.run_id);
  if (approval === null || run === null) return null;
  const request = JSON.parse(approval.request) as EventPayloads['approval.requested'];
  const { question, title, target, tool, effectKind, input } = request;
  const strategy = source.strategyOf(run.revision_digest);
  const asking = strategy === null ? undefined : ownMember(strategy.states, approval.state_id);
  const isAnswered = approval.decided_by !== null;
  return {
    sequence: sequenceOf(source),
    approvalId,
    run: runRow(source, run),
    question,
    title,
    target,
    tool,
    effectKind,
    why: `This agent asks before this step (“${stateTitle(approval.state_id, asking)}”). Your answer holds for exactly this, once.`,
    deviceName: source.device.name,
    input: textView(db, input),
    inputDigest: approval.input_digest,
    argv: argvOf(input.inline),
    askedAtMs: approval.asked_at_ms,
    expiresAtMs: approval.expires_at_ms,
    state: approval.state,
    decided: isAnswered
      ? {
          by: approval.standing_id === null ? (approval.decided_by ?? '') : 'your standing permission',
          atMs: approval.decided_at_ms ?? 0,
          reason: approval.reason ?? '',
          deviceName: deviceNameOf(source, approval.device_id),
        }
      : null,
    staleWhy: approval.stale_reason === null ? '' : staleText(approval.stale_reason),
    scopes: scopeViews(request),
  };
}

/** The arguments of a program, one by one, exactly as they would be passed. */
function argvOf(input: string | null): readonly string[] | null {
  if (input === null) return null;
  try {
    const call = JSON.parse(input) as { argv?: unknown } | null;
    const argv = call?.argv;
    return Array.isArray(argv) && argv.every((each) => typeof each === 'string') ? argv : null;
  } catch {
    return null;
  }
}
