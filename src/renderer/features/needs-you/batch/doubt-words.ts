import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { assertNever } from '../../../../shared/lib/assert-never.ts';
import { batchChoices } from '../../../../shared/core/recovery/alike-doubts.ts';
import type { BatchChoice } from '../../../../shared/core/recovery/alike-doubts.ts';
import { actWords } from '../recovery/strings.ts';
import { doubtText as text } from './doubt-strings.ts';

/** One answer for several steps, with what it does to all of them together. */
export interface BatchAnswer {
  readonly choice: BatchChoice;
  readonly title: string;
  readonly happens: string;
  readonly button: string;
}

/** What can be answered for these steps together. Everything comes from their options; nothing is decided here. */
export function batchAnswers(views: readonly RecoveryView[]): readonly BatchAnswer[] {
  return batchChoices(views.map(({ options }) => options)).map((choice) => answerOf(choice, views));
}

function answerOf(choice: BatchChoice, views: readonly RecoveryView[]): BatchAnswer {
  switch (choice) {
    case 'it-happened':
      return {
        choice,
        // Of the same adapter, or they would not be alike.
        title: text.happened(actWords(views[0]?.tool ?? '').done),
        happens: text.happenedThen(nextOf(views)),
        button: text.carryOn(views.length),
      };
    case 'stop-here':
      return { choice, title: text.stop, happens: text.stopThen(cancelsOf(views)), button: text.stopAll(views.length) };
    default:
      return assertNever(choice);
  }
}

function nextOf(views: readonly RecoveryView[]): string {
  const titles = views.flatMap(({ options }) => {
    const next = options.find(({ choice }) => choice === 'it-happened')?.next ?? null;
    return next === null ? [] : [next];
  });
  if (titles.length === 0) return text.ends;
  const counts = [...Map.groupBy(titles, (title) => title)].map(([title, all]) => text.counted(title, all.length));
  return text.next(counts.join(', '));
}

function cancelsOf(views: readonly RecoveryView[]): string {
  const steps = views.reduce(
    (sum, { options }) => sum + (options.find(({ choice }) => choice === 'stop-here')?.cancels.length ?? 0),
    0,
  );
  return steps === 0 ? text.cancelsNone : text.cancels(steps);
}
