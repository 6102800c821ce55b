import type { RecordCheckView } from '../../../shared/contract/record-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/note.tsx';
import type { NoteTone } from '../../ui/note.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { recordText as text } from './record-strings.ts';

/** Whether the record is as it was written: a check when somebody wants one, how far it is, and what it found. */
export function RecordCheck({
  view,
  onBegun,
}: {
  readonly view: RecordCheckView | null;
  readonly onBegun: () => void;
}) {
  const beginning = useAction('record.check');
  async function begin(): Promise<void> {
    await beginning.run({});
    onBegun();
  }
  const isRunning = view?.state === 'running';
  return (
    <div className="se-row">
      <span className="ink2">{text.check}</span>
      <span className="se-value se-check">
        <output className="se-check">
          {isRunning && <Progress view={view} />}
          {view !== null && !isRunning && <Result view={view} />}
        </output>
        <span>
          <Button isDisabled={isRunning || beginning.isBusy} onClick={() => void begin()}>
            {view === null ? text.checkGo : text.checkAgain}
          </Button>
        </span>
        <span className="t12 ink3">{text.checkHelp}</span>
        {beginning.problem !== null && (
          <Note tone="bad" role="alert" title={beginning.problem.message}>
            {beginning.problem.wayOut}
          </Note>
        )}
      </span>
    </div>
  );
}

function Progress({ view }: { readonly view: RecordCheckView }) {
  return (
    <span className="se-progress">
      <span>{view.sentence}</span>
      <progress aria-label={text.progress} value={view.read} max={Math.max(1, view.total)} />
      <span className="t12 ink3 num">
        {text.checking(view.read.toLocaleString('en'), view.total.toLocaleString('en'))}
      </span>
    </span>
  );
}

const TONES: Readonly<Record<Exclude<RecordCheckView['state'], 'running'>, NoteTone>> = {
  whole: 'plain',
  damaged: 'bad',
  'broken-off': 'needs',
};

function Result({ view }: { readonly view: RecordCheckView }) {
  if (view.state === 'running') return null;
  return (
    <Note tone={TONES[view.state]} title={view.sentence} icon={view.state === 'whole' ? 's-done' : 'warn'}>
      {view.faults.length > 0 && (
        <ul className="se-faults">
          {view.faults.map((fault) => (
            <li key={fault}>
              <VisibleText text={fault} />
            </li>
          ))}
        </ul>
      )}
      {view.wayOut}{' '}
      {view.endedAtMs !== null && (
        <span className="t12 ink3">
          {text.looked} <Time atMs={view.endedAtMs} format="both" />
        </span>
      )}
    </Note>
  );
}
