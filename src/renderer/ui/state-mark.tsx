import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { Icon } from './icon.tsx';
import { stateLooks, stateWord } from './state-words.ts';
import { VisibleText } from './visible-text.tsx';

/** A state as shape and word. `word` replaces the usual one, for example with a whole sentence. */
export function StateMark(props: {
  readonly status: RunStatus;
  readonly deviceName?: string;
  readonly word?: string;
  readonly size?: 'normal' | 'small';
}) {
  const { status, deviceName = '', word = stateWord(status, deviceName), size = 'normal' } = props;
  const look = stateLooks[status];
  return (
    <span className={`st ${look.tone}`}>
      <Icon name={look.icon} size={size} />
      <span className="cut">
        <VisibleText text={word} />
      </span>
    </span>
  );
}

/** A state as its shape alone, where there is no room for the word: that is its name and its title. */
export function StateIcon({ status }: { readonly status: RunStatus }) {
  const look = stateLooks[status];
  return (
    <span className={`st ${look.tone}`} title={look.word}>
      <Icon name={look.icon} label={look.word} />
    </span>
  );
}
