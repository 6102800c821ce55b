import type { RecordedEvent } from '../../shared/contract/events.ts';
import type { TimelineRow } from '../../shared/contract/views.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { plainly } from './failure-words.ts';
import { countText, durationText } from './words.ts';

type BranchEvent = Extract<
  RecordedEvent,
  { kind: 'run.branching' | 'run.branched' | 'run.concluded' | 'run.retrying' | 'intent.refused' }
>;
type Sentence = Pick<TimelineRow, 'word' | 'sentence' | 'measure' | 'mark'>;

/** What branches, retries and models add to the timeline of a run, under the ten words. */
export function branchSentence(
  event: BranchEvent,
  names: { readonly device: string; readonly stateTitle: (stateId: string) => string },
): Sentence {
  switch (event.kind) {
    case 'run.branching': {
      const { stateId, count } = event.payload;
      const begins = count === 1 ? 'begins as a run of its own' : 'begin, each as a run of its own';
      return {
        word: 'successor',
        sentence: `${names.stateTitle(stateId)}: ${countText(count, 'branch', 'branches')} ${begins}`,
        measure: '',
        mark: 'dot',
      };
    }
    case 'run.branched': {
      const { branch, item } = event.payload;
      const what = item === null ? 'branch' : 'item';
      return { word: 'trigger', sentence: `Started as ${what} “${branch}”`, measure: '', mark: 'dot' };
    }
    case 'run.concluded': {
      const { stateId, summary } = event.payload;
      return {
        word: 'settle',
        sentence: `${names.stateTitle(stateId)}: ${plainly(summary)}`,
        measure: '',
        mark: 'dot',
      };
    }
    case 'run.retrying': {
      const { attemptNumber, delayMs } = event.payload;
      return {
        word: 'successor',
        sentence: `Repeating it is safe, so attempt ${attemptNumber + 1} follows`,
        measure: `after ${durationText(delayMs)}`,
        mark: 'dot',
      };
    }
    case 'intent.refused': {
      const { message } = event.payload;
      const wasSaid = /nothing was (sent|done|run|written|started)/iu.test(message);
      return {
        word: 'intent',
        sentence: wasSaid ? message : `${message.replace(/\.$/u, '')}. Nothing was sent.`,
        measure: `nothing left ${names.device}`,
        mark: 'refused',
      };
    }
    default:
      return assertNever(event);
  }
}
