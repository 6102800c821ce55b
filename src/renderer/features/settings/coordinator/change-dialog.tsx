import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import type { CoordinatorView } from '../../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { useRefetchEvery } from '../../../state/use-refetch-every.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Note } from '../../../ui/note.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { Checks } from './checks.tsx';
import { CHOICE_KINDS, whyNot } from './choice-form.ts';
import { EtcdFields, PostgresFields } from './choice-fields.tsx';
import { LeaveOff, MoveProgress } from './move-progress.tsx';
import { choiceText as text, moveText } from './strings.ts';
import { useChange } from './use-change.ts';
import type { Change } from './use-change.ts';

/** The guided way to another place: choose, fill in, test, move. Nothing changes before the last press. */
export function ChangeDialog(props: {
  readonly view: CoordinatorView;
  /** A kind that a link asked for; empty for none. */
  readonly asked: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { view, onClose, onChanged } = props;
  const change = useChange({ view, asked: props.asked, onChanged });
  const { step } = change;
  const safe = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLParagraphElement>(null);
  const hasTurned = useRef(false);
  useRefetchEvery({ refetch: onChanged }, step === 'progress' ? 1_000 : null);
  useEffect(() => {
    // Whoever goes on by keyboard lands at the beginning of the step, and before a move at the safe answer.
    if (hasTurned.current) (step === 'move' || step === 'progress' ? safe : heading).current?.focus();
    hasTurned.current = true;
  }, [step]);
  return (
    <Dialog
      isOpen
      width="wide"
      title={text.heading}
      onClose={onClose}
      initialFocus={safe}
      actions={<Actions change={change} view={view} safe={safe} onChanged={onChanged} onClose={onClose} />}
    >
      <p className="label co-step" ref={heading} tabIndex={-1}>
        {text.steps[step]}
      </p>
      <Step change={change} view={view} onChanged={onChanged} />
      {change.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={change.problem.message} className="co-gap">
          {change.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}

function Step(props: {
  readonly change: Change;
  readonly view: CoordinatorView;
  readonly onChanged: () => void;
}): ReactNode {
  const { change, view } = props;
  switch (change.step) {
    case 'choose':
      return <Choose change={change} view={view} />;
    case 'fields': {
      const Fields = change.form.kind === 'etcd' ? EtcdFields : PostgresFields;
      return <Fields form={change.form} mistakes={change.shownMistakes} onChange={change.edit} />;
    }
    case 'test':
      return <Tested change={change} />;
    case 'move':
      return <BeforeMove name={change.name} />;
    case 'progress':
      return view.move === null ? (
        <p>{moveText.starting}</p>
      ) : (
        <>
          <MoveProgress move={view.move} onChanged={props.onChanged} />
          {view.move.state === 'running' && <p className="t12 ink3 co-gap">{moveText.goesOn}</p>}
        </>
      );
    default:
      return change.step satisfies never;
  }
}

function Choose({ change, view }: { readonly change: Change; readonly view: CoordinatorView }) {
  return (
    <RadioGroup
      label={text.places}
      value={change.form.kind}
      onChange={(kind) => change.edit({ kind })}
      items={CHOICE_KINDS.map((kind) => {
        const why = whyNot(kind, view);
        const about =
          kind === 'hub' && view.pairedHub !== null
            ? text.pairedWith(visibleText(view.pairedHub.name))
            : text.about[kind];
        return {
          value: kind,
          label: text.names[kind],
          description: why === '' ? about : `${about} ${why}`,
          isDisabled: why !== '',
        };
      })}
    />
  );
}

function Tested({ change }: { readonly change: Change }) {
  if (change.isTesting) {
    return (
      <div aria-live="polite">
        <p>{text.testing}</p>
        <div className="hatch co-wait" aria-hidden="true" />
      </div>
    );
  }
  if (change.tested === null) return null;
  const label = text.tested(visibleText(change.name));
  return (
    <div aria-live="polite">
      <p>{label}</p>
      <Checks checks={change.tested.checks} label={label} />
    </div>
  );
}

function BeforeMove({ name }: { readonly name: string }) {
  return (
    <>
      <p className="ink">
        <VisibleText text={text.moveLead(name)} />
      </p>
      <ul className="co-facts">
        {text.moveFacts.map(([fact, meaning]) => (
          <li key={fact}>
            <Icon name="check" />
            <span>
              <b className="medium ink">{fact}.</b> {meaning}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Actions(props: {
  readonly change: Change;
  readonly view: CoordinatorView;
  readonly safe: RefObject<HTMLButtonElement | null>;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { change, safe, view } = props;
  const { step } = change;
  if (step === 'progress') {
    return (
      <>
        {view.move?.state === 'running' && <LeaveOff onChanged={props.onChanged} />}
        <Button ref={safe} onClick={props.onClose}>
          {moveText.close}
        </Button>
      </>
    );
  }
  return (
    <>
      {step !== 'choose' && (
        <span className="co-back">
          <Button variant="quiet" onClick={change.back}>
            {text.back}
          </Button>
        </span>
      )}
      <Button ref={safe} onClick={props.onClose}>
        {step === 'move' ? text.moveSafe : text.dont}
      </Button>
      {step === 'choose' && (
        <Button
          variant="primary"
          disabledReason={change.form.kind === null ? text.chooseFirst : whyNot(change.form.kind, view)}
          onClick={change.next}
        >
          {text.next}
        </Button>
      )}
      {step === 'fields' && (
        <Button variant="primary" onClick={change.next}>
          {text.test}
        </Button>
      )}
      {step === 'test' && <AfterTest change={change} />}
      {step === 'move' && (
        <Button variant="primary" isDisabled={change.isStarting} onClick={change.next}>
          {text.move}
        </Button>
      )}
    </>
  );
}

function AfterTest({ change }: { readonly change: Change }) {
  const isUsable = change.tested?.isUsable === true;
  return (
    <>
      <Button isDisabled={change.isTesting} onClick={change.testAgain}>
        {text.testAgain}
      </Button>
      <Button
        variant="primary"
        isDisabled={change.isTesting}
        disabledReason={change.isTesting || isUsable ? '' : change.tested === null ? text.notTested : text.notUsable}
        onClick={change.next}
      >
        {text.next}
      </Button>
    </>
  );
}
