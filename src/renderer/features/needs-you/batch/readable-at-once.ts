import type { ApprovalView, RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { countHidden } from '../hidden-characters.ts';

/** Whether a question may be answered beside others: it is open, and everything it would do is shown and can be seen. */
export function isReadableAtOnce(view: ApprovalView): boolean {
  return view.state === 'open' && !view.input.isCut && countHidden([view.input.text, ...(view.argv ?? [])]) === 0;
}

/** The same for an unclear step. */
export function isDoubtReadableAtOnce(view: RecoveryView): boolean {
  return view.decided === null && !view.input.isCut && countHidden([view.input.text]) === 0;
}
