import type { RunStatus } from '../../shared/core/run/run-state.ts';
import type { IconName } from './icon-shapes.tsx';

type StateTone = 'you' | 'run' | 'quiet' | 'ref' | 'ok' | 'bad';

interface StateLook {
  readonly icon: IconName;
  readonly tone: StateTone;
  readonly word: string;
}

/** A shape, a word and a tone for each state: never colour alone (ux section 2). */
export const stateLooks: Readonly<Record<RunStatus, StateLook>> = {
  'needs-recovery': { icon: 's-unclear', tone: 'you', word: 'Needs you: unclear' },
  'needs-approval': { icon: 's-approve', tone: 'you', word: 'Needs you: approve' },
  'running-here': { icon: 's-run', tone: 'run', word: 'Running here' },
  'running-elsewhere': { icon: 's-else', tone: 'run', word: 'Running elsewhere' },
  waiting: { icon: 's-wait', tone: 'quiet', word: 'Waiting' },
  refused: { icon: 's-ref', tone: 'ref', word: 'Refused' },
  done: { icon: 's-done', tone: 'ok', word: 'Done' },
  'failed-nothing-sent': { icon: 's-fail0', tone: 'quiet', word: 'Failed (nothing sent)' },
  'failed-was-sent': { icon: 's-fail1', tone: 'bad', word: 'Failed (sent, error answered)' },
  stopped: { icon: 's-stop', tone: 'quiet', word: 'Stopped' },
  missed: { icon: 's-missed', tone: 'quiet', word: 'Missed' },
};

/** The word for a state; another device is named where it is known. */
export function stateWord(status: RunStatus, deviceName = ''): string {
  if (status === 'running-elsewhere' && deviceName !== '') return `Running on ${deviceName}`;
  return stateLooks[status].word;
}
