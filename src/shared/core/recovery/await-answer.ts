import type { DeviceId } from '../../contract/identifiers.ts';
import { knownUpTo } from '../sync/sealed.ts';
import type { Frontier } from '../sync/sealed.ts';

/** Why nothing more is to be expected of the device that made an unclear attempt. */
export type WaitEnd =
  | 'answer-arrived'
  | 'not-known-there'
  | 'record-arrived'
  | 'let-go'
  | 'removed'
  | 'set-aside'
  | 'not-shared';

/** Whether waiting could bring an answer. */
export type AnswerOutlook =
  /** Decided, settled, or made by this device: there is nobody to wait for. */
  { readonly kind: 'nobody' } | { readonly kind: 'may-come' } | { readonly kind: 'over'; readonly because: WaitEnd };

/** How the device that made an attempt takes part in the exchange of journals. */
export type JournalStanding = 'shared' | 'let-go' | 'removed' | 'set-aside' | 'not-shared';

/** What is known about an unclear attempt and about the journal of the device that made it. */
export interface AwaitedAnswerFacts {
  /** Unclear, and neither settled nor decided about. */
  readonly isOpen: boolean;
  /** An answer is known already, which no decision was made by. */
  readonly hasEvidence: boolean;
  readonly thisDevice: DeviceId;
  /** `null` where nobody knows. */
  readonly madeBy: DeviceId | null;
  readonly journal: JournalStanding;
  /** The entries that say that nobody knows how it ended, oldest first, each by its place in its author's journal. */
  readonly doubts: readonly { readonly deviceId: DeviceId; readonly journalSeq: number }[];
  /** What the device that made it said last that it has; `null` while no relay has told. */
  readonly acknowledged: Frontier | null;
  /** Up to where its journal is folded here. */
  readonly foldedSeq: number;
}

/**
 * Whether a person may wait for the device that made an attempt, and whether somebody who waits goes on waiting: in both cases
 * as long as an answer may come. No clock is asked. A device that has the newest doubt knew what it is asked for, and
 * everything that it knew then is here once its journal is folded up to what it says to have of it.
 */
export function answerOutlook(facts: AwaitedAnswerFacts): AnswerOutlook {
  const { madeBy, doubts, acknowledged } = facts;
  if (!facts.isOpen || madeBy === null || madeBy === facts.thisDevice) return { kind: 'nobody' };
  if (facts.hasEvidence) return over('answer-arrived');
  if (doubts.some(({ deviceId }) => deviceId === madeBy)) return over('not-known-there');
  if (facts.journal !== 'shared') return over(facts.journal);
  const newest = doubts.at(-1);
  if (newest === undefined || acknowledged === null) return { kind: 'may-come' };
  const isAsked = knownUpTo(acknowledged, newest.deviceId) >= newest.journalSeq;
  const isHere = facts.foldedSeq >= knownUpTo(acknowledged, madeBy);
  return isAsked && isHere ? over('record-arrived') : { kind: 'may-come' };
}

function over(because: WaitEnd): AnswerOutlook {
  return { kind: 'over', because };
}
