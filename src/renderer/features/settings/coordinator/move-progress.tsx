import type { MoveView } from '../../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Note } from '../../../ui/note.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { movingLooks, moveText as text } from './strings.ts';

const titles: Readonly<Record<MoveView['state'], (name: string) => string>> = {
  running: text.title,
  done: text.doneTitle,
  cancelled: text.endedTitle,
  failed: text.failedTitle,
};

/** How far a move has got, agent by agent. Inline it brings its own button to leave it off. */
export function MoveProgress(props: {
  readonly move: MoveView;
  readonly isInline?: boolean;
  readonly onChanged: () => void;
}) {
  const { move } = props;
  const moved = move.agents.filter((agent) => agent.state === 'moved').length;
  const isRunning = move.state === 'running';
  // A move that is over is only worth its sentence.
  const isShort = props.isInline === true && (move.state === 'done' || move.state === 'cancelled');
  return (
    <section className="co-move" aria-label={titles[move.state](visibleText(move.toName))}>
      <p aria-live="polite">
        <b className="strong ink">
          <VisibleText text={titles[move.state](move.toName)} />
        </b>{' '}
        <span className="num ink2">{text.count(moved, move.agents.length)}</span>
      </p>
      {isRunning && (
        <span className="bar" aria-hidden="true">
          <i style={{ width: `${move.agents.length === 0 ? 0 : (moved / move.agents.length) * 100}%` }} />
        </span>
      )}
      <p className="t12 ink2">
        <VisibleText text={move.sentence} />
      </p>
      {!isShort && move.agents.length > 0 && <Agents move={move} />}
      {isRunning && props.isInline === true && <LeaveOff onChanged={props.onChanged} />}
    </section>
  );
}

function Agents({ move }: { readonly move: MoveView }) {
  return (
    <ul className="co-list" aria-label={text.list}>
      {move.agents.map((agent) => {
        const look = movingLooks[agent.state];
        return (
          <li key={agent.agentId}>
            <span className={`st ${look.tone}`}>
              <Icon name={look.icon} />
            </span>
            <span className="grow">
              <span className="medium ink">
                <VisibleText text={agent.agentName} />
              </span>
              <span className="t12 ink2 co-line">
                <VisibleText text={agent.sentence} />
              </span>
            </span>
            <span className="t12 ink3">{look.word}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Leaves off a move that is under way. */
export function LeaveOff({ onChanged }: { readonly onChanged: () => void }) {
  const cancelling = useAction('coordinator.cancelMove');
  async function go(): Promise<void> {
    await cancelling.run({});
    onChanged();
  }
  return (
    <>
      <Button isDisabled={cancelling.isBusy} onClick={() => void go()}>
        {text.leaveOff}
      </Button>
      {cancelling.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={cancelling.problem.message}>
          {cancelling.problem.wayOut}
        </Note>
      )}
    </>
  );
}
