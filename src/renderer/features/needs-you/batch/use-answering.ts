import { useState } from 'react';
import type { ApprovalView } from '../../../../shared/contract/decision-views.ts';
import { NOTHING_YET, counted } from '../../../state/bulk-result.ts';
import type { BulkResult } from '../../../state/bulk-result.ts';
import { callHost } from '../../../state/host-store.ts';

/** How far answering several questions has got. */
export interface Answering {
  readonly state: 'asking' | 'going' | 'over';
  readonly isAllowed: boolean;
  readonly total: number;
  readonly result: BulkResult;
}

/** Answers one question after the other, each by what was shown of it and nothing else. Nothing is sent again by itself. */
export function useAnswering(): {
  readonly answering: Answering;
  readonly answer: (questions: readonly ApprovalView[], isAllowed: boolean) => Promise<void>;
} {
  const [answering, setAnswering] = useState<Answering>({
    state: 'asking',
    isAllowed: false,
    total: 0,
    result: NOTHING_YET,
  });
  async function answer(questions: readonly ApprovalView[], isAllowed: boolean): Promise<void> {
    const about = { isAllowed, total: questions.length };
    let result = NOTHING_YET;
    setAnswering({ state: 'going', ...about, result });
    for (const { approvalId, inputDigest } of questions) {
      const told = await callHost('approval.decide', { approvalId, inputDigest, isAllowed, reason: '' });
      result = counted(result, { id: approvalId, answer: told, alreadyCode: 'already-decided' });
      setAnswering({ state: 'going', ...about, result });
    }
    setAnswering({ state: 'over', ...about, result });
  }
  return { answering, answer };
}
