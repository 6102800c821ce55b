import type { WaitView } from '../../shared/contract/decision-views.ts';
import type { AnswerOutlook, WaitEnd } from '../../shared/core/recovery/await-answer.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { findAwaited } from '../store/awaited-answers.ts';
import { claimOf } from '../store/rows.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** Whether waiting could bring an answer about an attempt. */
export function outlookOf(source: ViewSource, attempt: AttemptRecord): AnswerOutlook {
  return source.awaited?.outlookOf(attempt) ?? { kind: 'over', because: 'not-shared' };
}

/** Whom to wait for about an unclear attempt, and how that stands; `null` where nothing can come of it and nobody waited. */
export function waitView(source: ViewSource, attempt: AttemptRecord): WaitView | null {
  const outlook = outlookOf(source, attempt);
  const kept = findAwaited(source.connection.db, attempt.attempt_token);
  const deviceId = claimOf(attempt)?.owner.deviceId ?? null;
  if (outlook.kind === 'nobody' || deviceId === null) return null;
  const deviceName = deviceNameOf(source, deviceId);
  const of = { deviceName, lastSeenAtMs: source.awaited?.lastSeenMs(deviceId) ?? null };
  if (kept?.endedAtMs === null) return { ...of, state: 'waiting', sinceMs: kept.sinceMs, sentence: '' };
  if (outlook.kind === 'may-come') return { ...of, state: 'offered', sinceMs: null, sentence: '' };
  if (kept === null || kept.endedBecause === null) return null;
  return { ...of, state: 'over', sinceMs: kept.sinceMs, sentence: waitEndText(kept.endedBecause, deviceName) };
}

/** Why a question that was waited about is there again. */
export function waitEndText(because: WaitEnd, device: string): string {
  switch (because) {
    case 'answer-arrived':
      return `An answer of ${device} arrived. It is among what we know.`;
    case 'not-known-there':
      return `The record of ${device} arrived: it does not know either.`;
    case 'record-arrived':
      return `The record of ${device} arrived, and it holds no answer.`;
    case 'let-go':
      return `${device} was let go, so nothing of it arrives here any more.`;
    case 'removed':
      return `${device} was removed, so nothing is to be expected of it.`;
    case 'set-aside':
      return `What ${device} wrote was set aside, so no answer of it can be read.`;
    case 'not-shared':
      return `This device and ${device} don’t share their records, so no answer can arrive.`;
    default:
      return assertNever(because);
  }
}

/** What nobody here knows about the device that made an attempt; empty where its record leaves nothing open. */
export function elsewhereUnknown(outlook: AnswerOutlook, device: string): string {
  const name = device === 'Another device' ? 'another device' : device;
  if (outlook.kind === 'may-come') return `Whether ${name} holds an answer that has not arrived here.`;
  if (outlook.kind === 'nobody') return '';
  switch (outlook.because) {
    case 'answer-arrived':
    case 'not-known-there':
    case 'record-arrived':
      return '';
    case 'let-go':
    case 'removed':
    case 'set-aside':
    case 'not-shared':
      return `Whether ${name} holds an answer. ${waitEndText(outlook.because, device)}`;
    default:
      return assertNever(outlook.because);
  }
}
