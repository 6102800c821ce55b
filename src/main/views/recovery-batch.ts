import type { BatchResultView } from '../../shared/contract/decision-views.ts';
import type { AlikeResult } from '../host/resolve-alike.ts';
import { findAttempt } from '../store/rows.ts';
import { alreadyDecidedText, decidedView } from './recovery-decided.ts';
import type { ViewSource } from './view-source.ts';

/** What came of one answer for several steps, one by one and counted: nothing is rounded up to a success. */
export function batchResultView(source: ViewSource, results: readonly AlikeResult[]): BatchResultView {
  const steps = results.map((each) => stepOf(source, each));
  const elsewhere = results.flatMap(({ attemptToken, result }) =>
    !result.ok && result.error.code === 'already-decided' ? [whereText(source, attemptToken)] : [],
  );
  const counts = Map.groupBy(elsewhere, (where) => where);
  const decided = steps.filter(({ kind }) => kind === 'decided').length;
  const failed = steps.filter(({ kind }) => kind === 'failed').length;
  const parts = [
    `${decided} decided`,
    ...[...counts].map(([where, all]) => `${all.length} ${all.length === 1 ? 'was' : 'were'} already ${where}`),
    ...(failed === 0 ? [] : [`${failed} could not be decided`]),
  ];
  return { sentence: `${parts.join(', ')}.`, steps };
}

function stepOf(source: ViewSource, { attemptToken, result }: AlikeResult): BatchResultView['steps'][number] {
  if (result.ok) return { attemptToken, kind: 'decided', sentence: 'Decided.' };
  const { code, message, wayOut } = result.error;
  if (code !== 'already-decided') return { attemptToken, kind: 'failed', sentence: `${message} ${wayOut}`.trim() };
  const attempt = findAttempt(source.connection.db, attemptToken);
  const known = attempt === null ? null : alreadyDecidedText(source, attempt);
  return { attemptToken, kind: 'already-decided', sentence: known ?? message };
}

function whereText(source: ViewSource, attemptToken: string): string {
  const attempt = findAttempt(source.connection.db, attemptToken);
  const decided = attempt === null ? null : decidedView(source, attempt);
  if (decided === null || decided.deviceName === null) return 'settled';
  return `decided on ${decided.isHere ? 'this device' : decided.deviceName}`;
}
